"""Options that take a number or the word ``tuned``."""

from __future__ import annotations

import click

TUNED = "tuned"


def number_or_tuned(value: str | float) -> float | str:
    """Return a number, or ``"tuned"`` for one that cross-validation chooses.

    Examples
    --------
    >>> number_or_tuned("2.5"), number_or_tuned("tuned")
    (2.5, 'tuned')
    """
    if value == TUNED:
        return TUNED
    try:
        return float(value)
    except ValueError:
        raise click.BadParameter(
            f"{value!r} is not a number: give one, or the word tuned."
        ) from None
