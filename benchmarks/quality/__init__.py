"""`rarebit.compare` on real sets; run with ``python -m benchmarks.quality``."""
