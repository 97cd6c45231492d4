"""From no label to a classifier: discovery, then the border, in one ask/tell loop."""

from rarebit.active.hunt._hunt import Hunt
from rarebit.active.hunt._simulation import Simulation, curves_beside_random, simulate

__all__ = ["Hunt", "Simulation", "curves_beside_random", "simulate"]
