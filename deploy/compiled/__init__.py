"""Compiling the engine: the same typed source, made into extension modules by mypyc.

`services/table/engine_build.py` says how a build is chosen when a program starts.
"""
