"""Which values are numbers: True and False are not, though Python counts them so."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any


def is_real(value: Any) -> bool:
    """Whether a value is a number."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number."""
    return isinstance(value, Integral) and not isinstance(value, bool)
