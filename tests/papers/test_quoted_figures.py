"""Sentences and small tables that repeat a figure of the stored results have that figure."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "benchmarks" / "results" / "papers"

pytestmark = pytest.mark.skipif(
    not STORED.is_dir() or not (ROOT / "docs").is_dir(),
    reason="pages and measured results are not beside the tests",
)


def read(name: str) -> list[dict[str, str]]:
    text = (STORED / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def page(name: str) -> str:
    return re.sub(r"\s+", " ", (ROOT / name).read_text(encoding="utf-8"))


def stopped(task: str) -> tuple[float, float, float, float]:
    """Labels, their share in percent, g-mean and g-mean of all labels in Table 1."""
    rows = [row for row in read("border.table1") if row["task"] == task]
    runs = [row for row in rows if row["method"] == "border"]
    (batch,) = (row for row in rows if row["method"] == "batch")
    labels = np.mean([float(row["n_labels"]) for row in runs])
    g_mean = np.mean([float(row["g_mean"]) for row in runs])
    share = 100 * labels / float(batch["n_rows"])
    return float(labels), float(share), float(g_mean), float(batch["g_mean"])


def test_all_files_are_of_one_run() -> None:
    heads = {
        tuple(line for line in path.read_text(encoding="utf-8").splitlines() if line[:2] == "# ")
        for path in STORED.glob("*.csv")
    }
    assert len(heads) == 1


@pytest.mark.parametrize(
    "task", ["mnist-8", "letter-A", "usps-0", "reuters-crude", "reuters-trade", "satimage-4"]
)
def test_how_to_choose_repeats_table_1(task: str) -> None:
    labels, share, g_mean, batch = stopped(task)
    line = f"| {task} | {labels:,.0f} | {share:.1f} % | {g_mean:.1f} | {batch:.1f} |"
    assert line in page("docs/guide/choosing.md")


def test_the_readme_repeats_table_1() -> None:
    text = page("README.md")
    _, share, g_mean, batch = stopped("mnist-8")
    assert f"after {share:.1f} % of the labels of mnist-8, {batch - g_mean:.1f} points" in text
    _, share, g_mean, batch = stopped("satimage-4")
    assert f"{share:.0f} % on satimage-4, and is {batch - g_mean:.1f} points below" in text


def test_the_page_of_the_border_repeats_its_counts() -> None:
    text = page("docs/papers/border.md")
    table = (STORED / "border.agreement.md").read_text(encoding="utf-8")
    counts = re.search(r"\| all \| (\d+) of 120 \S+ %\) \| (\d+) of 120", table)
    assert counts is not None
    wanted = f"{counts[1]} of 120 cells are not behind the paper (one-sided), {counts[2]} are"
    assert wanted in text


@pytest.mark.parametrize("method", ["SVM", "SMOTE", "BAVC", "BWBC"])
def test_bags_on_raw_columns_beside_standardised_ones(method: str) -> None:
    def mean(name: str, task: str) -> str:
        rows = [r for r in read(name) if (r["task"], r["method"]) == (task, method)]
        return f"{np.mean([float(row['g_mean']) for row in rows]):.3f}"

    yeast, cmc = (
        rf"{mean('bagging.table2', task)} \| {mean('bagging.raw', task)}"
        for task in ("yeast-MIT", "cmc-2")
    )
    text = page("docs/papers/bagging.md")
    assert re.search(rf"\| {method} \| {yeast} \| 0\.\d+ \| {cmc} \| 0\.\d+ \|", text)


def test_boosting_repeats_its_means() -> None:
    rows = read("boosting.rounds")
    tasks = {row["task"] for row in rows}
    assert len(tasks) == 8
    first, valid, test = (
        np.mean([float(row[f"{column}_g_mean"]) for row in rows])
        for column in ("first", "validation", "test")
    )
    text = page("docs/papers/boosting.md")
    assert f"{valid:.2f} instead of {first:.2f}" in text
    assert f"it is worth {test - first:.1f} points, and that mean, {test:.2f}, is above" in text
