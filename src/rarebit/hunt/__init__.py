"""From a pool without a label to a classifier: discovery and border learning in one loop."""

from rarebit.hunt._hunt import Hunt

__all__ = ["Hunt"]
