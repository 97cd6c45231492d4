"""Options that take a share, or a number or the word ``tuned``."""

from __future__ import annotations

from typing import Any

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


class Share(click.FloatRange):
    """A share between 0 and 1; one that was meant in per cent is told how to write it.

    Parameters
    ----------
    zero : bool, default=False
        Whether 0 is allowed.

    Examples
    --------
    >>> Share().convert("0.9", None, None)
    0.9
    """

    def __init__(self, zero: bool = False) -> None:
        super().__init__(0.0, 1.0, min_open=not zero, max_open=True)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the share, or refuse it."""
        text = str(value).strip()
        try:
            number = float(text.removesuffix("%"))
        except ValueError:
            number = 0.0  # refused in the words of click
        # 1.2 is rather a slip of the hand than 1.2 %.
        if (text.endswith("%") and 0.0 < number < 100.0) or 2.0 <= number < 100.0:
            self.fail(f"{text} is not a share between 0 and 1: write {number / 100:g}", param, ctx)
        share: float = super().convert(value, param, ctx)
        return share
