"""The figures of a proof are the same in its sentences and in its table."""

from __future__ import annotations

import re

import numpy as np

from rarebit.report import Report, draw_ceiling, draw_confusion
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


def test_one_row_that_was_found_is_in_the_singular() -> None:
    for n_found, said in ((1, "1 was found"), (3, "3 were found")):
        hits = [1] * n_found + [0] * 9
        page = Report("Search").add_search(hits, 1500, n_rare=29).html()
        assert f"of 29 among the 1,500 rows that could be asked for, {said}, a recall" in page
        assert f"{said}. What nobody found" in Report("Search").add_search(hits, 1500).html()


def test_the_line_of_rows_found_begins_with_the_first_of_them() -> None:
    path = ProofPath(
        labels=np.array([0, 5, 10, 20]),
        found=np.array([0, 0, 2, 3]),
        total_max=np.array([100, 90, 80, 60]),
        recall_min=np.array([0.0, 0.0, 0.02, 0.05]),
        audits=np.array([0, 3, 3, 3]),
        hits=np.array([0, 0, 0, 0]),
        audit_labels=np.array([3, 4, 5]),
        audit_hits=np.array([False, False, False]),
    )
    lines = {line.get_label(): line.get_ydata() for line in draw_ceiling(path).axes[0].lines}
    np.testing.assert_array_equal(lines["found"], [np.nan, np.nan, 2, 3])


def test_names_on_the_axes_of_a_matrix_are_whole() -> None:
    axes = draw_confusion([[5, 1], [2, 40]], ["chargeback or theft", "ok"]).axes[0]
    for labels in (axes.get_xticklabels(), axes.get_yticklabels()):
        assert [label.get_text().replace("\n", " ") for label in labels] == [
            "chargeback or theft", "ok"
        ]  # fmt: skip
