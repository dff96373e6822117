"""Players: for each level one that decides from a view, and from nothing else."""
