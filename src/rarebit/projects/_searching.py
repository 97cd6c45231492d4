"""How soon the rare rows of a project were found, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rarebit._text import counted
from rarebit.metrics import labels_to_recall, time_to_discovery, work_saved

_POINTS = 60
_RECENT = 20  # answers that "the last ones" are


@dataclass(frozen=True)
class SearchProgress:
    """How soon rare rows were found; labels that were known before do not count.

    Attributes
    ----------
    labels : int
        Answers that were asked for.
    found : int
        Rare rows among them.
    mean_labels : float or None
        Labels spent when a rare row was found, on average over those found (time to discovery).
    labels_for_95 : int or None
        Labels after which 95 % of the rare rows were found: of all where `total` is known,
        otherwise of those found. None where that was not reached.
    total : int or None
        Rare rows that could be found, where a column knows every class; None otherwise.
    recall : float or None
        Share of them that was found.
    work_saved_95 : float or None
        Work saved over sampling at 95 % (WSS@95); None where `total` is not known or 95 % were not
        reached.
    curve_labels, curve_found : tuple of int
        Labels, and rare rows found by then.
    since_found : int
        Answers since the last rare row; all of them while none is found.
    recent, recent_found : int
        The last answers, twenty at most, and the rare rows among them.
    given : int
        Rare rows that were known beforehand; `found` is without them.
    """

    labels: int
    found: int
    mean_labels: float | None
    labels_for_95: int | None
    total: int | None
    recall: float | None
    work_saved_95: float | None
    curve_labels: tuple[int, ...] = ()
    curve_found: tuple[int, ...] = ()
    since_found: int = 0
    recent: int = 0
    recent_found: int = 0
    given: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return it as values that JSON has, with a sentence."""
        values = asdict(self)
        values |= {name: list(values[name]) for name in ("curve_labels", "curve_found")}
        return {**values, "sentence": self.sentence()}

    def sentence(self) -> str:
        """Say what was found, and what that does not say."""
        if not self.found:
            return "None of the rows that were asked for is rare."
        soon = f"rare rows were found at label {self.mean_labels:,.0f} on average"
        if self.total is None:
            return (
                f"{self.found:,} found with {counted(self.labels, 'label')}; {soon}. Rows that "
                "nobody found are not counted."
            )
        return (
            f"{self.found:,} of {counted(self.total, 'rare row')} found with "
            f"{counted(self.labels, 'label')}, according to the column of all answers; {soon}."
        )


def search_progress(
    found: Sequence[int], n_rows: int, total: int | None, given: int = 0
) -> SearchProgress:
    """Say how soon rare rows were found.

    Parameters
    ----------
    found : sequence of {0, 1}
        Answers that were asked for in the order given, 1 for rare.
    n_rows : int
        Rows that could be asked for.
    total : int or None
        Rare rows among them, where that is known.
    given : int, default=0
        Rare rows that were known beforehand.

    Returns
    -------
    SearchProgress
        Data.
    """
    hits = np.asarray(found, dtype=np.intp)
    n_found = int(hits.sum())
    total = total or None
    ends = np.unique(np.linspace(0, len(hits), min(len(hits) + 1, _POINTS)).round().astype(int))
    running = np.append(0, np.cumsum(hits))
    return SearchProgress(
        labels=len(hits),
        found=n_found,
        mean_labels=time_to_discovery(hits),
        labels_for_95=labels_to_recall(hits, n_rare=total) if n_found else None,
        total=total,
        recall=None if total is None else n_found / total,
        work_saved_95=None if total is None else work_saved(hits, n_rows, n_rare=total),
        curve_labels=tuple(ends.tolist()),
        curve_found=tuple(running[ends].tolist()),
        since_found=len(hits) - (int(np.flatnonzero(hits)[-1]) + 1 if n_found else 0),
        recent=min(len(hits), _RECENT),
        recent_found=int(hits[-_RECENT:].sum()),
        given=given,
    )
