"""Quality by the protocols of the papers; run with ``python -m benchmarks.quality``."""
