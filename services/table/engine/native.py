"""Machine integers for the innermost loops.

In the compiled engine `i64` is a number of 64 bits in a register; here, in the one module that is never compiled, it is
`int`. Both give the same results as long as no value leaves 64 bits, which nothing checks in the compiled one.

A trap: a shift whose left side is a literal, such as `1 << n`, is done in 32 bits there. Look up `BIT[n]` instead.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_extensions import i64 as i64
else:
    i64 = int
