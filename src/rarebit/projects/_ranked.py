"""The list for people who want the rare rows: those found, then the likeliest ones."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit._formulas import guarded
from rarebit._whole_files import replaced_whole
from rarebit.tables import Table


def write_ranked_rows(
    path: str | PathLike[str],
    table: Table,
    labels: Mapping[int, Any],
    is_rare: Callable[[Any], bool],
    unseen: NDArray[np.intp],
    scores: NDArray[np.float64],
    *,
    probability: NDArray[np.float64] | None = None,
    raw: bool = False,
) -> int:
    """Write rows as CSV: those found, those without a label by falling score, the others.

    Parameters
    ----------
    path : path
        Where; an earlier file is replaced as a whole.
    table : Table
        The data.
    labels : mapping of int to class
        Row to class.
    is_rare : callable
        Whether a class is rare.
    unseen : ndarray of int of shape (n_unseen,)
        Rows without a label.
    scores : ndarray of shape (n_unseen,)
        The higher, the rarer.
    probability : ndarray of shape (n_unseen,), optional
        Probability of the rare class; a column of its own.
    raw : bool, default=False
        Whether texts stay as they are; otherwise those that a spreadsheet would run as a formula
        get an apostrophe.

    Returns
    -------
    int
        Number of lines.
    """
    found = [row for row, label in labels.items() if is_rare(label)]
    others = [row for row, label in labels.items() if not is_rare(label)]
    text = str if raw else (lambda value: guarded(str(value)))
    with (
        replaced_whole(Path(path)) as partial,
        partial.open("w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.writer(file)
        more = [] if probability is None else ["probability"]
        writer.writerow([text(table.id_name), "state", "label", "score", *more])

        def write(row: int, state: str, label: Any, *values: float) -> None:
            shown = [f"{value:.6g}" for value in values] or [""] * (1 + len(more))
            writer.writerow([text(table.ids[row]), state, text(label), *shown])

        for row in found:
            write(row, "found", labels[row])
        for i in np.argsort(-scores, kind="stable").tolist():
            own = [] if probability is None else [float(probability[i])]
            write(int(unseen[i]), "unseen", "", float(scores[i]), *own)
        for row in others:
            write(row, "other", labels[row])
    return len(found) + len(unseen) + len(others)
