"""Figures of a ranking, by class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rarebit.metrics import rare_report


def ranking_table(
    true: NDArray[Any],
    scores: Mapping[Any, NDArray[Any]],
    threshold: float | None,
    decided: ArrayLike | None,
) -> tuple[list[str], list[list[Any]]]:
    """Return headings and one row per class: areas, PRBEP, and what is found at the threshold."""
    marks = threshold is not None or decided is not None
    rows: list[list[Any]] = []
    for name, values in scores.items():
        positive = np.where(true == name, 1, 0)
        called = values >= (0.0 if threshold is None else threshold)
        if decided is not None:
            called = np.asarray(decided) == name
        figures_of = rare_report(
            positive, called.astype(int), values, pos_label=1, labels=[0, 1], output="dict"
        )
        row = [str(name), int(positive.sum()), figures_of["roc_auc"], figures_of["prbep"],
               figures_of["average_precision"]]  # fmt: skip
        if marks:
            own = figures_of["classes"][1]
            row += [own["tp"], own["sensitivity"], own["precision"]]
        rows.append(row)
    headings = ["class", "rows", "ROC area", "PRBEP", "average precision"]
    headings += ["found", "found, share", "precision"] * marks
    return headings, rows
