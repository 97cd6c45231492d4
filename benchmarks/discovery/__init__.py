"""Labels that explorers need to find every class: ``python -m benchmarks.discovery --help``."""
