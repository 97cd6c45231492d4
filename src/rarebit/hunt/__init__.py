"""Deprecated: `Hunt` moved to `rarebit.active`."""

import warnings

from rarebit.active import (
    Hunt,
    curves_beside_random,
)
from rarebit.active import Simulation as Rehearsal
from rarebit.active import simulate as rehearse

__all__ = [
    "Hunt",
    "Rehearsal",
    "curves_beside_random",
    "rehearse",
]

warnings.warn(
    "rarebit.hunt is deprecated and will be removed in 0.2: import from rarebit.active.",
    DeprecationWarning,
    stacklevel=2,
)
