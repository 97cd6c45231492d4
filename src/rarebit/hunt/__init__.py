"""From no label to a classifier: discovery, then the border, in one ask/tell loop."""

from rarebit.hunt._hunt import Hunt
from rarebit.hunt._rehearsal import Rehearsal, curves_beside_random, rehearse

__all__ = ["Hunt", "Rehearsal", "curves_beside_random", "rehearse"]
