"""Alarms: rows by their scores, whatever the size of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from rarebit.tables import Table


class Alarms:
    """Collects rows and gives them back by score, the highest first.

    Parameters
    ----------
    most : int or None, default=None
        Number of rows to keep; None for all.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._frames: list[pl.DataFrame] = []
        self._held = 0

    def add(self, frame: pl.DataFrame) -> None:
        """Take some rows."""
        self._frames.append(frame)
        self._held += frame.height
        # Only the best are kept in memory, whatever the size of the file.
        if self._most is not None and self._held > 4 * self._most + 10_000:
            self._frames = [self.sorted()]
            self._held = self._frames[0].height

    def sorted(self) -> pl.DataFrame:
        """Return the rows; of equal scores, the one first in the file comes first."""
        frame = pl.concat(self._frames, how="vertical_relaxed")
        frame = frame.sort("score", descending=True, maintain_order=True)
        return frame if self._most is None else frame.head(self._most)


def tell_unreached(
    threshold: str, cut: float, highest: float | None = None, *, top: bool = True
) -> str:
    """Say that no row has the score that a threshold takes, and what to do.

    Parameters
    ----------
    threshold : str
        As it was given: ``precision=0.9``, a number and so on.
    cut : float
        The score that it takes.
    highest : float or None, default=None
        Highest score of all rows; None where it is not known.
    top : bool, default=True
        Whether ``--top`` can be advised.

    Returns
    -------
    str
        A sentence with the next step.

    Examples
    --------
    >>> print(tell_unreached("precision=0.9", 8.05, 7.74))  # doctest: +NORMALIZE_WHITESPACE
    No row reaches the score of 8.05 that precision=0.9 takes; the highest score in this file is
    7.74: lower the precision, or list the highest with --top 100.
    """
    aim, equals, _ = threshold.partition("=")
    lower = {
        "precision": "lower the precision",
        "recall": "raise the recall",
        "sensitivity": "raise the sensitivity",
        "alarms": "raise the number of alarms",
    }.get(aim, "give a lower number")
    by = f"that {threshold} takes" if equals or aim == "break-even" else "that --threshold gives"
    listed = ", or list the highest with --top 100" if top else ""
    if aim == "alarms" and highest is not None:
        return (
            f"More rows than {threshold} allows share the highest score, {highest:.4g}, and rows "
            f"of equal scores are called together, so that none is: {lower}{listed}."
        )
    needed, found = f"{cut:.4g}", "" if highest is None else f"{highest:.4g}"
    if found == needed:
        needed, found = repr(cut), repr(highest)
    known = f"; the highest score in this file is {found}" if found else ""
    return f"No row reaches the score of {needed} {by}{known}: {lower}{listed}."


def plain_days(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame in which moments that are all midnight are days."""
    days = [
        column.name
        for column in frame
        if column.dtype == pl.Datetime and bool((column == column.dt.truncate("1d")).all())
    ]
    return frame.with_columns(pl.col(days).cast(pl.Date))


def keeps_types(table: Table) -> bool:
    """Return whether cells come in the types that their file has for all rows."""
    return table.written is not None and table.written.typed


def same_types(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame as those before and after it: numbers are whole in one part of a file only."""
    whole = [name for name in frame.columns[1:] if frame[name].dtype == pl.Int64]
    return frame.with_columns(pl.col(whole).cast(pl.Float64))
