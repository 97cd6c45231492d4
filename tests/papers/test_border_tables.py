"""Tables of the border paper: published figures, tolerances and what is written."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import rankdata

from rarebit.papers import ResultFile, Results, ResultTable, Scale, find_plans, mean_over_seeds
from rarebit.papers.border import _settings, _table1
from rarebit.papers.border._published import AVERAGE_RANKS, PUBLISHED
from rarebit.papers.border._tasks import CHOSEN

ROOT = Path(__file__).resolve().parents[2]


def test_published_prbep_gives_the_published_ranks() -> None:
    """Ranks of Table 4 follow from Table 3, so a mistyped figure would show."""
    ranks = [rankdata([-score for score in row.prbep], "min") for row in PUBLISHED.values()]
    # The paper gives Trade's 77.77, 77.77 and 77.78 the ranks 3, 3 and 2.
    np.testing.assert_allclose(np.mean(ranks, axis=0), AVERAGE_RANKS, atol=0.006)
    assert len(PUBLISHED) == 18


def test_every_task_of_the_table_is_published_and_has_c_and_gamma() -> None:
    from rarebit.datasets._recipes import RECIPES

    assert set(_table1.TASKS) <= set(PUBLISHED)
    for task in _table1.TASKS:
        recipe = RECIPES[task]
        assert (recipe.C is None) == (recipe.gamma is None) == (task in CHOSEN)


def border_results(scores: list[float], labels: int = 20) -> Results:
    common = {"task": "letter-A", "rows": None, "n_rows": 100, "test_positives": 50}
    batch = {
        **common, "method": "batch", "seed": 0, "n_labels": 100, "g_mean": 90.0, "prbep": 90.0,
        "auc": 99.0, "sensitivity": 90.0, "specificity": 90.0, "sv_ratio": 2.0, "seconds": 3.0,
    }  # fmt: skip
    ours = [
        {**batch, "method": "border", "seed": seed, "g_mean": score, "prbep": score,
         "n_labels": labels}
        for seed, score in enumerate(scores)
    ]  # fmt: skip
    return Results([batch, *ours])


@pytest.mark.parametrize(
    ("metric", "loss"), [("prbep", 2.0), ("g_mean", 90.0 - math.sqrt(88.0 * 90.0))]
)
def test_one_test_positive_is_what_missing_it_costs(metric: str, loss: float) -> None:
    assert _table1.one_positive(metric, border_results([])[0]) == pytest.approx(loss)


@pytest.mark.parametrize(
    ("score", "g_mean_met", "prbep_met"),
    [(90.0, "yes", "yes"), (88.9, "NO", "yes"), (88.0 - 1e-8, "NO", "yes"), (87.9, "NO", "NO")],
)
def test_a_set_is_met_up_to_its_tolerance(score: float, g_mean_met: str, prbep_met: str) -> None:
    g_mean, prbep, _ = _table1.tables(border_results([score, score]))
    assert (g_mean.rows[0][-1], prbep.rows[0][-1]) == (g_mean_met, prbep_met)


@pytest.mark.parametrize(("labels", "met"), [(27, "yes"), (28, "NO")])
def test_labels_are_compared_with_the_data_efficiency(labels: int, met: str) -> None:
    table = _table1.labels_table(border_results([90.0, 91.0], labels))
    assert table.rows[0][:5] == ["letter-A", f"{labels} ± 0", f"{labels:.1f}", "27.8", met]


def test_differences_have_their_interval() -> None:
    table = _table1.tables(border_results([89.0, 90.0, 91.0]))[0]
    ours, paper, batch, paper_batch, gap, interval, *_ = table.rows[0][1:]
    assert (ours, paper, batch, paper_batch) == ("90.00 ± 1.00", "99.54", "90.00", "99.28")
    assert (gap, interval) == ("+0.00", "-2.48 to +2.48")


def test_one_seed_has_no_spread_and_an_unfinished_set_no_row() -> None:
    assert _table1.tables(border_results([89.5]))[0].rows[0][1] == "89.50"
    assert _table1.tables(border_results([]))[0].rows == []
    assert math.isnan(mean_over_seeds([1.0]).low)


def test_the_best_mean_of_both_metrics_is_chosen() -> None:
    rows = [
        {"task": "t", "C": C, "gamma": gamma, "g_mean": g, "prbep": p}
        for C, gamma, g, p in [(1.0, 0.1, 80, 80), (1.0, 0.1, 90, 80), (2.0, 0.5, 83, 83)]
    ]
    assert _settings.choose(Results(rows)) == {"t": (2.0, 0.5)}


def test_stored_settings_are_those_that_were_measured() -> None:
    plan = _settings.PLAN
    path = ROOT / "benchmarks" / "results" / "papers" / f"{plan.name}.csv"
    if not path.exists():
        pytest.skip("measured results are not beside the tests")
    keys = [experiment.key for experiment in plan.experiments(plan.scale())]
    results = ResultFile(path, plan.experiment.columns(), plan.measures).results(keys)
    assert len(results) == len(keys)
    assert _settings.choose(results) == CHOSEN


def test_more_seeds_than_folds_are_no_more_folds() -> None:
    assert max(experiment.seed for experiment in _settings.experiments(Scale(10))) == 4


def test_keys_tell_all_experiments_apart() -> None:
    for plan in find_plans(["all"]):
        for quick in (False, True):
            keys = [experiment.key for experiment in plan.experiments(plan.scale(quick))]
            assert len(set(keys)) == len(keys) > 0


def test_tables_as_markdown() -> None:
    table = ResultTable("Scores", ["set", "g"], [["a", "1"]], ["A note."])
    assert table.markdown().splitlines() == [
        "**Scores**", "", "| set | g |", "| :-- | --: |", "| a | 1 |", "", "A note.",
    ]  # fmt: skip
