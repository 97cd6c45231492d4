"""The figures of a proof are the same in its sentences and in its table."""

from __future__ import annotations

import re

import numpy as np

from rarebit.report import Report
from rarebit.statistics import ProofPath, floor_percent


def test_bounds_are_rounded_down_and_rows_are_not_repeated() -> None:
    path = ProofPath(
        labels=np.array([20, 41, 41, 41]),
        found=np.array([20, 38, 38, 38]),
        total_max=np.array([1490, 42, 42, 42]),
        recall_min=np.array([20 / 1490, 38 / 42, 38 / 42, 38 / 42]),
        audits=np.array([0, 3, 3, 3]),
        hits=np.array([0, 0, 0, 0]),
        audit_labels=np.array([39, 40, 41]),
        audit_hits=np.array([False, False, False]),
    )
    page = str(Report("A proof", "", {}).add_proof(path).html())
    assert (floor_percent(38 / 42), floor_percent(20 / 1490)) == ("90.4 %", "1.3 %")
    assert "a recall of 0.904 is proved" in page
    cells = [cell.strip() for cell in re.findall(r"<td[^>]*>([^<]*)</td>", page)]
    assert (cells.count("0.013"), cells.count("0.904"), cells.count("0.905")) == (1, 1, 0)
