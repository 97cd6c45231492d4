"""Checks of what a hunt is given."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarebit.exceptions import InputError, RarebitError


class CertificateError(RarebitError, ValueError):
    """A certificate that cannot be had now; the message says what to do first."""


def check_share(share: Any, name: str) -> float:
    """Return a share between 0 and 1."""
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0.0 < share < 1.0:
        raise InputError(
            f"The {name} parameter must be a number between 0 and 1, got {share!r}: pass a share "
            "such as 0.9."
        )
    return float(share)


def plain(value: Any) -> Any:
    """Return NumPy scalars as Python's own."""
    return value.item() if isinstance(value, np.generic) else value
