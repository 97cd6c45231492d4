"""Speed, memory and accuracy of rarebit beside its rivals: ``python -m benchmarks --help``."""
