"""From no label to a classifier: discovery, then the border, in one ask/tell loop."""

from rarebit.hunt._hunt import Hunt
from rarebit.hunt._rehearsal import Rehearsal, rehearse

__all__ = ["Hunt", "Rehearsal", "rehearse"]
