"""The main job on a small pool that needs no file: from no label to a classifier and a report."""

from rarebit.demo._demo import Demo, run_demo
from rarebit.demo._table import rare_digit_table

__all__ = ["Demo", "rare_digit_table", "run_demo"]
