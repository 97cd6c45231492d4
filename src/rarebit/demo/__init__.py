"""The main job on a small pool that needs no file: from no label to a classifier and a report."""

from rarebit.demo._demo import Demo, run_demo

__all__ = ["Demo", "run_demo"]
