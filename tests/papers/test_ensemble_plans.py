"""Plans of the boosting, bagging and pruning papers run, on small synthetic stand-ins."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification

from rarebit.classifiers import BoostedSVC
from rarebit.datasets import DataNotFoundError, Task
from rarebit.papers import ResultFile, Results, find_plans, reproduce
from rarebit.papers import _folds as folds
from rarebit.papers._folds import FoldExperiment, make_fold
from rarebit.papers.bagging import _figure1, _raw, _table2, _weights
from rarebit.papers.bagging import _methods as bagging
from rarebit.papers.boosting import _means
from rarebit.papers.boosting import _methods as boosting
from rarebit.papers.pruning import _machines as pruning
from rarebit.papers.pruning._figure1 import height, point_hull

NAMES = [plan.name for plan in find_plans(["boosting", "bagging", "pruning"])]


def small_rows(seed: int = 0, n: int = 240) -> tuple[Any, Any]:
    return make_classification(
        n_samples=n, n_features=5, n_informative=4, n_redundant=0, weights=[0.8], class_sep=1.2,
        random_state=seed,
    )  # fmt: skip


def small_task(name: str) -> Task:
    X, y = small_rows(len(name))
    return Task(name, X, y, None, None, "1", None, None, "rbf", "")


def clear_caches() -> None:
    for cached in (
        boosting.prepare,
        bagging.choose,
        _raw.bag,
        _weights.bag,
        pruning.prepare,
        pruning.prune,
    ):
        cached.cache_clear()


@pytest.fixture
def small_data(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    clear_caches()
    monkeypatch.setattr(folds, "whole_task", small_task)
    monkeypatch.setattr(_means, "TASKS", ("glass-7", "breast"))
    monkeypatch.setattr(_means, "QUICK_FOLDS", 2)
    monkeypatch.setattr(boosting, "RATES", (200, 300))
    tasks = {name: _table2.PUBLISHED[name] for name in ("haberman-2", "ecoli-imU")}
    monkeypatch.setattr(_table2, "PUBLISHED", tasks)
    monkeypatch.setattr(bagging, "C_GRID", (1.0,))
    monkeypatch.setattr(bagging, "GAMMA_GRID", (0.1, 1.0))
    monkeypatch.setattr(bagging, "BAGS", 7)
    monkeypatch.setattr(bagging, "SEARCH_BAGS", 5)
    monkeypatch.setattr(_figure1, "QUICK_ROWS", 200)
    monkeypatch.setattr(_figure1, "TEST_ROWS", 200)
    monkeypatch.setattr(pruning, "C_GRID", (1.0,))

    def halves(name: str, seed: int) -> tuple[Any, Any, Any, Any]:
        X, y = small_rows(seed, 400)
        return X[:200], y[:200], X[200:], y[200:]

    monkeypatch.setattr(pruning, "_rows", halves)
    yield
    clear_caches()


def run_quick(name: str, folder: Path) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    code = reproduce([name], quick=True, folder=folder, output=out, messages=err)
    return code, out.getvalue(), err.getvalue()


@pytest.mark.usefixtures("small_data")
@pytest.mark.parametrize("name", NAMES)
def test_quick_run(name: str, tmp_path: Path) -> None:
    code, out, err = run_quick(name, tmp_path)
    assert code == 0, err
    plan = find_plans([name])[0]
    figure = {".png"} if plan.draw is not None and "no figure" not in err else set()
    assert {path.suffix for path in tmp_path.iterdir()} == {".csv", ".md"} | figure
    page = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    assert "nan" not in page
    assert page.count("\n|") > 2
    # What is shown comes from the file alone.
    again = io.StringIO()
    reproduce([name], quick=True, show=True, folder=tmp_path, output=again, messages=io.StringIO())
    assert again.getvalue() == out
    # A run that was broken off anywhere can be shown.
    scale = plan.scale(quick=True)
    keys = [experiment.key for experiment in plan.experiments(scale)]
    store = ResultFile(tmp_path / f"{name}.csv", plan.experiment.columns(), plan.measures)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for count in (1, 2, len(keys) // 2, len(keys) - 1):
            for table in plan.tables(store.results(keys[:count])):
                assert table.plain()


@pytest.mark.usefixtures("small_data")
def test_missing_data_is_told_and_the_rest_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(name: str) -> Task:
        if name == "glass-7":
            raise DataNotFoundError("Set RAREBIT_DATA.")
        return small_task(name)

    monkeypatch.setattr(folds, "whole_task", load)
    monkeypatch.setattr(_means, "QUICK_FOLDS", 1)
    code, out, err = run_quick("boosting", tmp_path)
    assert code == 1
    assert "Left out: glass-7. Set RAREBIT_DATA." in err
    assert "breast" in out
    assert "glass-7" not in out


@pytest.mark.usefixtures("small_data")
def test_a_paper_without_its_only_set_shows_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(name: str, seed: int) -> Any:
        raise DataNotFoundError("Set RAREBIT_DATA.")

    monkeypatch.setattr(pruning, "_rows", load)
    code, out, err = run_quick("pruning.figure1", tmp_path)
    assert (code, out) == (1, "")
    assert "Left out: yeast-ME3" in err
    assert "nothing to show" in err


@pytest.mark.usefixtures("small_data")
def test_folds_are_shared_by_methods_and_differ_by_seed() -> None:
    parts = [make_fold(FoldExperiment("t", "any", 0, fold), 5) for fold in range(5)]
    assert sum(len(part.y_test) for part in parts) == 240
    same = make_fold(FoldExperiment("t", "other", 0, 0), 5)
    np.testing.assert_array_equal(same.X_test, parts[0].X_test)
    assert not np.array_equal(make_fold(FoldExperiment("t", "any", 1, 0), 5).X, parts[0].X)
    thinned = make_fold(FoldExperiment("t", "any", 0, 0, 100), 5)
    assert len(thinned.y) + len(thinned.y_test) == 100


@pytest.mark.usefixtures("small_data")
def test_boosting_of_one_fold_is_the_classifier_itself() -> None:
    experiment = FoldExperiment("breast", "BoostedSVC", 0, 1)
    (row,) = boosting.run(experiment)
    fold, C = boosting.prepare("breast", 0, 1, None)
    model = BoostedSVC(40, C=C, validation_fraction=2 / 9, random_state=1).fit(fold.X, fold.y)
    predicted = model.predict(fold.X_test)
    right = [np.mean(predicted[fold.y_test == side] == side) for side in (1, 0)]
    assert row["g_mean"] == pytest.approx(100.0 * np.sqrt(np.prod(right)))
    assert row["rounds"] == model.n_estimators_
    np.testing.assert_allclose(fold.X.mean(axis=0), 0.0, atol=1e-9)
    # Methods with SMOTE give a row a rate.
    rates = [row["percent"] for row in boosting.run(FoldExperiment("breast", "SMOTE", 0, 1))]
    assert rates == [200, 300]


@pytest.mark.usefixtures("small_data")
def test_combiners_share_one_search_and_a_cascade_can_lose_its_thresholds() -> None:
    place = ("ecoli-imU", 0, 0, None)
    rows = {
        name: bagging.run(FoldExperiment(place[0], name, 0, 0))
        for name in ("BWBC", "BAVC", "BalanceCascade", "cascade without thresholds")
    }
    assert bagging.choose.cache_info().misses == 1
    assert (rows["BWBC"]["C"], rows["BWBC"]["gamma"]) == (rows["BAVC"]["C"], rows["BAVC"]["gamma"])
    # Thresholds of a cascade let most rows pass.
    with_thresholds, without = rows["BalanceCascade"], rows["cascade without thresholds"]
    assert with_thresholds["sensitivity"] >= without["sensitivity"]
    assert with_thresholds["specificity"] < without["specificity"]


def test_means_of_rates_then_of_folds() -> None:
    rows = [
        {"task": "t", "method": "SMOTE", "seed": 0, "fold": fold, "percent": percent, "g_mean": g}
        for fold, percent, g in [(0, 200, 10.0), (0, 300, 20.0), (1, 200, 40.0)]
    ]
    scores = _means.fold_scores(Results(rows), "t", "SMOTE", "g_mean")
    assert scores.tolist() == [15.0, 40.0]


def boosting_results(scores: dict[str, dict[str, tuple[float, float]]]) -> Results:
    """Make rows of two folds with the same sensitivity and specificity, by task and method."""
    rows = []
    for task, by_method in scores.items():
        for method in boosting.METHODS:
            found, alone = by_method.get(method, (50.0, 50.0))
            rows += [
                {
                    "task": task, "method": method, "seed": 0, "fold": fold, "rows": None,
                    "percent": None, "sensitivity": found, "specificity": alone,
                    "g_mean": (found * alone) ** 0.5,
                }
                for fold in (0, 1)
            ]  # fmt: skip
    return Results(rows)


def test_boosting_tables_from_known_rows() -> None:
    results = boosting_results(
        {
            "a": {"BoostedSVC": (100.0, 81.0), "AdaCost": (100.0, 100.0)},
            "b": {"BoostedSVC": (64.0, 100.0), "AdaCost": (49.0, 100.0)},
        }
    )
    g_means, duels, rates, gaps = _means.tables(results)
    assert g_means.rows[0][:3] == ["a", "90.00 ± 0.0", "100.00 ± 0.0"]
    means = next(line for line in g_means.rows if line[0] == "mean")
    assert means[1:4] == ["85.00", "85.00", "50.00"]
    ranks = next(line for line in g_means.rows if line[0].startswith("mean rank"))
    assert ranks[1:3] == ["1.50", "1.50"]
    assert duels.rows[0][:2] == ["AdaCost", "+0.00"]
    assert duels.rows[0][3] == "1 of 2"
    assert "higher mean than 7 of the paper's 8" in duels.notes[0]
    assert rates.rows[0][1] == "100.0 / 81.0"
    assert gaps.rows[0][1:3] == ["19.0", "0.0"]
    assert next(line for line in gaps.rows if line[0] == "mean")[1] == "27.50"
    assert "Lupus-I" in gaps.notes[-1]


def test_bagging_agreement_from_known_rows() -> None:
    rows = [
        {
            "task": "ecoli-imU", "method": method, "seed": seed, "fold": fold, "rows": None,
            "g_mean": 0.889 + 0.002 * seed if method == "BWBC" else 0.5, "accuracy": 0.8,
        }
        for method in bagging.METHODS
        for seed in (0, 1)
        for fold in range(5)
    ]  # fmt: skip
    agreement = _table2.tables(Results(rows))[-1]
    name, ours, _, paper, gap, reached, above, repetitions = agreement.rows[0]
    assert (name, ours, paper) == ("ecoli-imU", "0.890 ± 0.001", "0.892 ± 0.003")
    assert (gap, reached, above, repetitions) == ("-0.002", "yes", "no", "2")
    # A third repetition without its last fold changes nothing.
    begun = [dict(row, seed=2, g_mean=0.0) for row in rows if row["seed"] == 0 and row["fold"] < 4]
    assert _table2.tables(Results([*rows, *begun]))[-1].rows == agreement.rows


def test_bags_do_not_mind_imbalance_as_much_as_a_plain_machine() -> None:
    made = {
        method: _figure1.run(_figure1.SeriesExperiment("gaussians", method, 0, 0.02, 1000))
        for method in ("BWBC", "SVM")
    }
    assert made["BWBC"]["n_rare"] == 20
    assert made["BWBC"]["g_mean"] > made["SVM"]["g_mean"] + 0.2


def test_a_curve_of_operating_points() -> None:
    rare = np.array([True, True, False, False])
    scores = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]])
    hull = point_hull(rare, scores)
    assert hull.tolist() == [[0.0, 0.5], [0.5, 1.0], [1.0, 1.0]]
    assert [height(hull, x) for x in (0.0, 0.25, 0.5)] == [0.5, 0.75, 1.0]


def test_the_stand_in_has_the_rows_of_the_paper(require_task: Any) -> None:
    require_task("letter-A")
    X, y, X_test, y_test = pruning._rows(pruning.STAND_IN, 3)
    assert np.bincount(y).tolist() == np.bincount(y_test).tolist() == [2500, 100]
    assert len(np.unique(np.concatenate([X, X_test]), axis=0)) > 3000
