"""A report is one safe file, holds the parts that were added, and its figures stand alone."""

from __future__ import annotations

import html.parser
import os
import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

from rarebit import report as module
from rarebit.active import ColumnTable
from rarebit.report import (
    Report,
    draw_confusion,
    draw_discovery,
    draw_learning_curve,
    draw_recall,
    draw_roc,
)

from .conftest import EVIL


class Outline(html.parser.HTMLParser):
    """Elements of a page, their ids, and what it would load."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in {"meta", "link", "path", "use", "image", "rect"}:
            self.open.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value or "")
            if name in {"src", "href", "xlink:href", "action", "poster"}:
                self.references.append(value or "")
            assert not name.startswith("on"), f"{name} would run a script"

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes nothing"


@pytest.fixture(scope="module")
def page(whole_report: Report) -> str:
    return whole_report.html()


@pytest.fixture(scope="module")
def outline(page: str) -> Outline:
    return Outline(page)


def test_text_of_the_data_is_text_of_the_page(page: str, outline: Outline) -> None:
    assert "script" not in outline.tags
    assert "&lt;script&gt;" in page
    assert outline.open == []


def test_nothing_is_loaded_from_elsewhere(page: str, outline: Outline) -> None:
    assert [ref for ref in outline.references if not ref.startswith(("#", "data:"))] == []
    assert not re.search(r"@import|url\((?!#)", page)


def test_every_reference_has_its_target_and_names_are_unique(outline: Outline) -> None:
    assert len(set(outline.ids)) == len(outline.ids)
    wanted = {ref[1:] for ref in outline.references if ref.startswith("#")}
    assert wanted <= set(outline.ids)


def test_every_part_is_there(page: str, outline: Outline) -> None:
    for name in (
        "stopping", "discovery", "learning-curve", "ranking", "confusion", "rows", "proof",
        "search", "search-2", "reliability",
    ):  # fmt: skip
        assert f'<section id="{name}"' in page
    assert "You may stop" in page
    assert "PRBEP" in page
    assert outline.tags.count("svg") == page.count('role="img" aria-label="') == 12
    assert outline.tags.count("table") == outline.tags.count("caption")
    assert len(page) < 200_000


def test_parts_without_data_are_left_out() -> None:
    page = Report("Nothing").add_discovery({}).add_rows(["row"], []).html()
    page_of_one_class = Report("One").add_ranking(["a", "a"], {"a": [0.1, 0.2]}).html()
    for text in (page, page_of_one_class):
        assert "<section" not in text
        assert "<nav" not in text
    assert "Continue labelling" in Report("More").add_stop_advice(False, ["Why not."]).html()


def test_the_same_part_twice_has_two_names() -> None:
    report = Report("Twice")
    for _ in range(2):
        report.add_discovery({"a": 1, "b": 2})
    ids = Outline(report.html()).ids
    assert {"discovery", "discovery-2"} <= set(ids)
    assert len(set(ids)) == len(ids)


def test_of_many_classes_the_rarest_are_shown_in_the_matrix(rng: np.random.Generator) -> None:
    true = np.repeat(np.arange(60), np.arange(1, 61))
    page = Report("Many").add_confusion(true, rng.permutation(true)).html()
    assert "41 others" in page
    assert f"of {len(true):,} rows" in page
    numbers = [int(cell.replace(",", "")) for cell in re.findall(r'"number">([\d,]+)</td>', page)]
    assert sum(numbers) == len(true)


def test_the_threshold_is_where_the_classifier_cuts() -> None:
    figure = draw_roc([0, 0, 0, 1], {1: [0.1, 0.2, 0.9, 0.4]}, threshold=0.3)
    marks = [line for line in figure.axes[0].lines if len(line.get_xdata()) == 1]
    assert [(*mark.get_xdata(), *mark.get_ydata()) for mark in marks] == [(1 / 3, 1.0)]


def test_repetitions_are_drawn_as_mean_and_range() -> None:
    labels = np.array([10, 20])
    runs = [ColumnTable({"n_labels": labels, "score": np.array([s, s + 0.1])}) for s in (0.2, 0.4)]
    figure = draw_learning_curve({"random": runs})
    axes = figure.axes[0]
    assert axes.lines[0].get_ydata() == pytest.approx([0.3, 0.4])
    heights = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == pytest.approx((0.2, 0.5))


@pytest.mark.parametrize("suffix", ["png", "pdf", "svg"])
def test_figures_can_be_saved_alone(tmp_path: Path, suffix: str) -> None:
    for number, figure in enumerate(
        [draw_confusion([[9, 1], [0, 2]], ["a", EVIL]), draw_discovery({"a": 1, EVIL: 12})]
    ):
        path = tmp_path / f"{number}.{suffix}"
        figure.savefig(path)
        assert path.stat().st_size > 1000


def test_a_report_that_cannot_be_written_leaves_the_earlier_one(
    tmp_path: Path, whole_report: Report
) -> None:
    path = Report("Earlier").write(tmp_path / "report.html")
    assert path.stat().st_mode & 0o777 == 0o666 & ~_mask()
    broken = Report("Later")
    broken.summary = [_Unprintable()]  # type: ignore[list-item]
    with pytest.raises(RuntimeError):
        broken.write(path)
    with pytest.raises(FileNotFoundError):
        Report("Nowhere").write(tmp_path / "absent" / "report.html")
    assert "Earlier" in path.read_text(encoding="utf-8")
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]


def test_informative_rows_are_mistakes_first(whole_report: Report) -> None:
    from rarebit import BorderSVC

    rng = np.random.default_rng(1)
    y = (rng.random(500) < 0.2).astype(int)
    X = rng.normal(size=(500, 2)) + y[:, None]
    history = BorderSVC(max_labels=150, random_state=0).fit(X, y).history_
    best = module.informative_rows(history, 140)
    wrong = best["label"] != best["expected"]
    n_wrong = int(wrong.sum())
    assert 0 < n_wrong < best.n_rows
    assert wrong[:n_wrong].all()
    assert (np.diff(best["distance"][:n_wrong].astype(float)) <= 0).all()
    assert (np.diff(best["distance"][n_wrong:].astype(float)) >= 0).all()


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


class _Unprintable:
    def __str__(self) -> str:
        raise RuntimeError("no text")

    __html__ = __str__


def test_numbers_of_tables_can_be_compared_down_a_column() -> None:
    rows = [["a", 0.9, 12345, 0.5, 1e-7], ["b", 0.8512, None, 1234.6, 0.25]]
    page = Report("Numbers").add_table("T", ["name", "score", "n", "mixed", "p"], rows).html()
    cells = re.findall(r'<td class="number">(.*?)</td>', page)
    assert cells == ["0.900", "12,345", "0.5", "1e-07", "0.851", "–", "1,235", "0.25"]


def test_a_class_that_stands_for_several_is_told() -> None:
    true = np.array(["ok"] * 6 + ["not ok"] * 2)
    right = "8 of 8 rows were predicted as what they are"
    for union, more in (("", "."), ("not ok", ", where 'not ok' counts as one class.")):
        page = Report("Union").add_confusion(true, true, union=union).html()
        assert right + more in html.unescape(page)


@pytest.mark.parametrize("n_found", [0, 1, 2, 5, 1200])
def test_axes_of_rows_found_have_whole_numbers_without_repeats(n_found: int) -> None:
    figure = draw_recall([1] * n_found + [0] * 9)
    figure.canvas.draw()
    (axes,) = figure.axes
    for axis in (axes.xaxis, axes.yaxis):
        low, high = axis.get_view_interval()
        ticks = [
            (value, tick.get_text())
            for value, tick in zip(axis.get_majorticklocs(), axis.get_ticklabels(), strict=True)
            if low <= value <= high
        ]
        assert len(ticks) >= 2
        assert all(f"{value:,.0f}" == text and value == round(value) for value, text in ticks)
