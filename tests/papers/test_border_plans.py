"""Every plan of the border paper runs, on small synthetic stand-ins of its data."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification

from rarebit.active import BorderSVC
from rarebit.datasets import Task
from rarebit.papers import find_plans, list_plans, reproduce
from rarebit.papers.border import (
    _blind,
    _curves,
    _margin,
    _methods,
    _roc,
    _settings,
    _stopping,
    _table1,
    _table3,
    _tasks,
    _windows,
)
from rarebit.papers.border._curves import CurveExperiment, label_counts
from rarebit.papers.border._tasks import PoolExperiment, make_problem


def small_task(name: str) -> Task:
    X, y = make_classification(
        n_samples=900, n_features=6, weights=[0.8], class_sep=1.5, random_state=1
    )
    settings = (None, None) if name in _tasks.CHOSEN else (1.0, 0.1)
    return Task(name, X[:500], y[:500], X[500:], y[500:], "1", *settings, "rbf", "")


@pytest.fixture
def small_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tasks, "whole_task", small_task)
    monkeypatch.setattr(_tasks, "WAVEFORM_ROWS", 400)
    monkeypatch.setattr(_table3, "TASKS", ("reuters-corn", "abalone-7", "letter-A"))
    monkeypatch.setattr(_margin, "TASKS", ("waveform", "letter-A", "satimage-4"))
    _methods._active.cache_clear()  # it may hold a machine of other data
    for module, rows in (
        (_windows, 300),
        (_blind, 150),
        (_settings, 150),
        (_table1, 300),
        (_curves, 150),
        (_table3, 150),
        (_margin, 150),
        (_stopping, 180),
        (_roc, 150),
    ):
        monkeypatch.setattr(module, "QUICK_ROWS", rows)
    monkeypatch.setattr(_curves, "QUICK_POINTS", 4)


@pytest.mark.usefixtures("small_data")
@pytest.mark.parametrize("name", [name for name in list_plans() if name.startswith("border.")])
def test_quick_run(name: str, tmp_path: Path) -> None:
    out, err = io.StringIO(), io.StringIO()
    code = reproduce([name], quick=True, folder=tmp_path, output=out, messages=err)
    assert code == 0, err.getvalue()
    written = {path.suffix for path in tmp_path.iterdir()}
    plan = find_plans([name])[0]
    figure = {".png"} if plan.draw is not None and "no figure" not in err.getvalue() else set()
    assert written == {".csv", ".md"} | figure
    page = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    assert "nan" not in page.replace("nan to +nan", "")
    assert page.count("\n|") > 2
    # What is shown comes from the file alone.
    again = io.StringIO()
    reproduce([name], quick=True, show=True, folder=tmp_path, output=again, messages=err)
    assert again.getvalue() == out.getvalue()


@pytest.mark.usefixtures("small_data")
def test_a_figure_is_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    reproduce(["border.figure8"], quick=True, folder=tmp_path, output=io.StringIO())
    from matplotlib import image

    pixels = image.imread(tmp_path / "border.figure8.png")
    assert min(pixels.shape[:2]) > 200
    assert pixels[..., :3].std() > 0.01


@pytest.mark.usefixtures("small_data")
def test_a_curve_is_made_of_prefixes_of_one_search() -> None:
    experiment = CurveExperiment("letter-A", "pool", 3, None, None, 100, 5)
    rows = _curves.run(experiment)
    assert [row["n_labels"] for row in rows] == label_counts(100, 5)
    assert rows == _curves.run(experiment)
    problem = make_problem(experiment)
    machine = BorderSVC(
        C=problem.C, gamma=problem.gamma, explore=0.0, stop=None, max_labels=100, random_state=3
    ).fit(problem.X, problem.y)
    found = 100.0 * np.mean(machine.predict(problem.X_test)[problem.y_test == 1] == 1)
    assert rows[-1]["sensitivity"] == pytest.approx(found)


@pytest.mark.usefixtures("small_data")
def test_searches_end_at_the_machine_of_all_labels() -> None:
    ends = [
        _curves.run(CurveExperiment("letter-A", method, 0, 200))[-1]
        for method in ("pool", "full", "random", "batch")
    ]
    assert {end["n_labels"] for end in ends} == {200}
    for end in ends:
        assert end["g_mean"] == pytest.approx(ends[-1]["g_mean"], abs=0.5)


def test_labels_of_one_class_only_find_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    task = small_task("letter-A")
    rare = np.zeros(500, dtype=np.int64)
    rare[[7, 150, 333]] = 1
    thinned = Task("t", task.X_train, rare, task.X_test, task.y_test, "1", 1.0, 0.1, "rbf", "")
    monkeypatch.setattr(_tasks, "whole_task", lambda name: thinned)
    row = _curves.run(CurveExperiment("t", "random", 0, None, None, None, 2))[0]
    share = 100.0 * task.y_test.mean()  # type: ignore[union-attr]
    assert (row["g_mean"], row["auc"], row["sv_ratio"]) == (0.0, 50.0, None)
    assert row["prbep"] == pytest.approx(share)


@pytest.mark.usefixtures("small_data")
def test_ratios_remove_minority_rows_only() -> None:
    whole = make_problem(PoolExperiment("letter-A", "pool", 0))
    thinned = make_problem(PoolExperiment("letter-A", "pool", 0, None, 20.0))
    assert (thinned.y == 0).sum() == (whole.y == 0).sum()
    assert (thinned.y == 0).sum() / thinned.y.sum() == pytest.approx(20.0, rel=0.1)
    np.testing.assert_array_equal(thinned.y_test, whole.y_test)
    # A ratio below that of the data removes nothing.
    assert len(make_problem(PoolExperiment("letter-A", "pool", 0, None, 2.0)).y) == len(whole.y)


def test_pools_keep_the_shares_and_differ_by_seed() -> None:
    problem = make_problem(PoolExperiment("waveform", "pool", 0, 600))
    other = make_problem(PoolExperiment("waveform", "pool", 1, 600))
    assert problem.y.sum() == pytest.approx(200, abs=15)
    assert not np.array_equal(problem.X, other.X)


def test_real_data(require_task: Callable[..., Any]) -> None:
    require_task("letter-A")
    batch = _table1.run(PoolExperiment("letter-A", "batch", 0, 3000))
    ours = _table1.run(PoolExperiment("letter-A", "border", 0, 3000))
    assert (batch["n_labels"], batch["test_positives"]) == (3000, 79)
    assert ours["n_labels"] < 1500
    assert ours["auc"] > 95.0
