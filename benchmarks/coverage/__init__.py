"""How often the bounds of rarebit.statistics miss: ``python -m benchmarks.coverage``."""
