"""Figures of parts of a file: by group, or by period."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

HEADINGS = {
    "part": "part", "rows": "rows", "rare": "rare", "called": "called rare", "found": "found",
    "recall": "recall", "precision": "precision",
}  # fmt: skip
_MOST_GROUPS = 12
_PERIODS = 10


def figures_by_part(
    cells: list[Any], times: Any, truth: Any, decided: Any, rare: str
) -> list[dict[str, Any]]:
    """Measure the rare class in parts of the rows.

    Parameters
    ----------
    cells : list of str or None
        The cell of each row that decides on its part.
    times : ndarray of shape (n_rows,) or None
        The same as numbers, where parts are periods of about as many rows each; None for groups,
        of which the largest are told.
    truth, decided : ndarray of shape (n_rows,)
        Classes.
    rare : str
        The rare class.

    Returns
    -------
    list of dict
        One per part: its name, rows, rare rows, rows called rare, rare rows found, recall and
        precision (None where there is nothing to divide by).
    """
    names = ["(none)" if cell is None else str(cell) for cell in cells]
    if times is None:
        keys = np.array(names)
        parts = [(name, keys == name) for name, _ in Counter(names).most_common(_MOST_GROUPS)]
    else:
        known = np.flatnonzero(~np.isnan(times))
        order = known[np.argsort(times[known], kind="stable")]
        parts = []
        for rows in np.array_split(order, min(_PERIODS, max(1, len(order)))):
            mask = np.zeros(len(names), dtype=bool)
            mask[rows] = True
            parts.append((f"{names[rows[0]]} – {names[rows[-1]]}", mask))
    return [_figures(name, truth[mask] == rare, decided[mask] == rare) for name, mask in parts]


def _figures(name: str, rare: Any, called: Any) -> dict[str, Any]:
    n_rare, n_called, found = int(rare.sum()), int(called.sum()), int((rare & called).sum())
    return {
        "part": name,
        "rows": len(rare),
        "rare": n_rare,
        "called": n_called,
        "found": found,
        "recall": found / n_rare if n_rare else None,
        "precision": found / n_called if n_called else None,
    }


def as_cells(part: dict[str, Any]) -> list[str]:
    """Return the figures of a part as text for a table."""
    rates = ["–" if part[key] is None else f"{part[key]:.3f}" for key in ("recall", "precision")]
    return [part["part"], *(f"{part[k]:,}" for k in ("rows", "rare", "called", "found")), *rates]
