"""The border suite measures what it says; no time is asserted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification

pytest.importorskip("benchmarks", reason="the benchmarks are not beside the tests")

from benchmarks import labelling
from benchmarks.__main__ import fit_jobs, parse
from benchmarks.jobs import Job, Results
from benchmarks.problems import Problem
from benchmarks.suites import border, full_search


@pytest.fixture(scope="module")
def problem() -> Problem:
    X, y = make_classification(n_samples=800, weights=[0.9], random_state=0)
    return Problem("p", X, y, X[:5], y[:5], 1.0, 0.05)


def results(**figures: Any) -> Results:
    made = Results()
    made.rounds.append({"extra_mb": 1.0, "peak_mb": 9.0, "busy": 1.0, **figures})
    return made


def test_fits_are_scored() -> None:
    jobs = fit_jobs(parse(["border"]), "letter-A")
    assert {label: job.score for label, job in jobs.items()} == {"BorderSVC": True, "SVC": True}


@pytest.mark.parametrize("contender", ["pool", "full", labelling.USUAL])
def test_every_loop_ends_with_the_labels_asked_for(contender: str, problem: Problem) -> None:
    facts = labelling.loop(Job("loop", "p", contender, labels=60), problem)
    assert (facts["labels"], facts["rows"]) == (60, 800)


def test_the_usual_loop_starts_with_two_classes_and_asks_no_row_twice(problem: Problem) -> None:
    rows = labelling._until_two_classes(Job("loop", "p", labelling.USUAL, labels=60), problem)
    assert len(np.unique(problem.y_train[rows])) == 2
    assert len(np.unique(problem.y_train[rows[:-1]])) == 1
    labelling._usual_loop(rows, problem, 60)
    assert len(set(rows)) == len(rows) == 60


def test_a_mapped_pool_has_the_same_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    in_memory = labelling._make_pool(500, tmp_path)
    monkeypatch.setattr(labelling, "_MAPPED_ROWS", 500)
    monkeypatch.setattr(labelling, "_ROWS_AT_ONCE", 200)
    mapped = labelling._make_pool(500, tmp_path)
    assert isinstance(mapped, np.memmap)
    np.testing.assert_array_equal(mapped, in_memory)


def test_questions_are_timed_after_the_first_labels(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(labelling, "POOL_LABELS", 50)
    monkeypatch.setattr(labelling, "_TIMED_LABELS", {"pool": 20})
    facts = labelling.label(Job("label", "made rows", "pool", rows=2000, explore=0.2), tmp_path)
    assert facts["rows"] == 2000
    assert 0 < facts["support"] <= 70
    assert facts["median_ms"] <= facts["percentile_ms"] <= facts["longest_ms"]


def test_ratios_of_the_loops() -> None:
    seconds = {"pool 0.2": 0.1, "full 0.2": 0.3, "pool 0": 0.2, "full 0": 0.3, labelling.USUAL: 30}
    loops = {name: results(seconds=s, rows=100, labels=10) for name, s in seconds.items()}
    rows = border.loop_table({"p": loops}).rows
    assert [row["ratio"] for row in rows] == pytest.approx([300, 100, 150, 100, 1])
    assert [row["over_pool"] for row in rows[:-1]] == pytest.approx([1, 3, 1, 1.5])
    assert rows[-1]["over_pool"] is None


def test_growth_is_counted_within_a_search() -> None:
    figures = ("percentile_ms", "longest_ms", "start_seconds", "start_mb", "support")
    figures += ("processor_median_ms", "processor_percentile_ms")
    others = dict.fromkeys(figures, 1.0)
    labels = {
        "pool 0 1e+04": results(rows=10**4, median_ms=1.0, **others),
        "pool 0 1e+06": results(rows=10**6, median_ms=4.0, **others),
        "full 0 1e+04": results(rows=10**4, median_ms=5.0, **others),
    }
    growth = [row.get("growth") for row in border.label_table(labels).rows]
    assert growth == [None, pytest.approx(2.0), None]


def test_full_search_is_compared_with_pool_search_of_the_same_pool() -> None:
    jobs = full_search.jobs(quick=False)
    assert [job.rows for job in jobs.values()] == [10**4] * 2 + [10**5] * 2 + [10**6] * 2
    assert {job.labels for job in jobs.values()} == {full_search.KNOWN}
    figures = {"processor_median_ms": 0.1, "processor_percentile_ms": 1.0, "support": 90}
    measured = {
        name: results(
            rows=job.rows,
            processor_mean_ms=(0.2 if job.contender == "pool" else 0.3),
            **figures,
        )
        for name, job in jobs.items()
    }
    rows = full_search.table(measured).rows
    assert [row["over_pool"] for row in rows] == pytest.approx([1.0, 1.5] * 3)


def test_labels_are_timed_in_processor_time(tmp_path: Path) -> None:
    job = Job("label", "made rows", "full", rows=3000, labels=30)
    facts = labelling.label(job, tmp_path)
    assert facts["rows"] == 3000
    assert facts["processor_mean_ms"] > 0.0
