"""What the pages say of ties, costs, weights, windows and agreement, on rows known beforehand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.utils import check_random_state

from rarebit.classifiers import BaggedSVC, BoostedSVC
from rarebit.classifiers._split import split_rows
from rarebit.metrics import g_mean_score
from rarebit.papers import Experiment
from rarebit.papers._folds import Fold
from rarebit.papers.bagging._oracle import ORACLE, combine, machine_values
from rarebit.papers.boosting._rounds import boost, scores_by_round
from rarebit.papers.border._agreement import AgreementCell
from rarebit.papers.border._windows import first_stop
from rarebit.papers.discovery import _counts
from rarebit.papers.discovery._random_row import RARE, TEN, draw_runs, random_row_table
from rarebit.papers.discovery._runs import POOLS, SHUFFLED, shuffled_rows
from rarebit.papers.pruning import _machines as pruning
from rarebit.papers.pruning._confusion import run as count_pruned


def small_fold(seed: int = 0) -> Fold:
    X, y = make_classification(
        n_samples=360, n_features=4, n_informative=3, n_redundant=0, weights=[0.85],
        class_sep=0.7, flip_y=0.05, random_state=seed,
    )  # fmt: skip
    return Fold(X[:240], y[:240], X[240:], y[240:])


def test_boosting_written_again_is_the_classifier() -> None:
    """All rounds, on the rows that the classifier trains on, score its validation rows alike."""
    fold, C = small_fold(), 0.3
    model = BoostedSVC(C=C, validation_fraction=2 / 9, random_state=5).fit(fold.X, fold.y)
    train, validation = split_rows(
        fold.y.astype(np.intp), 2 / 9, check_random_state(5), model.classes_, "BoostedSVC"
    )
    (votes,) = boost(fold.X[train], fold.y[train], C, [fold.X[validation]])
    scores = [g_mean_score(fold.y[validation], (line > 0).astype(int)) for line in votes]
    np.testing.assert_allclose(scores, model.scores_)


def test_a_round_chosen_on_the_test_rows_is_never_behind() -> None:
    valid, test = scores_by_round(small_fold(1), 1.0, 3)
    assert len(valid) == len(test) > 1
    assert test.max() >= max(test[0], test[int(np.argmax(valid))])


def test_bags_combined_from_their_coefficients() -> None:
    fold = small_fold(2)
    model = BaggedSVC(9, C=1.0, gamma=0.3, combiner="average", random_state=0)
    averaged = model.fit(fold.X, fold.y)
    values = machine_values(averaged, fold.X_test)
    np.testing.assert_allclose(
        values.mean(axis=1), averaged.decision_function(fold.X_test), atol=1e-4
    )
    np.testing.assert_array_equal(combine("BAVC", averaged, fold), averaged.predict(fold.X_test))
    # One machine alone is right, and the weights that know the answers make it heard.
    answers = np.where(fold.y_test == 1, 1.0, -1.0)
    wrong = np.stack([answers, -answers, -answers], axis=1)
    labels = _combined_by_oracle(wrong, fold)
    np.testing.assert_array_equal(labels, fold.y_test)


def _combined_by_oracle(values: Any, fold: Fold) -> Any:
    class Given:
        """Machines whose decision values are these."""

        gamma = 1.0
        support_vectors_ = fold.X_test
        intercept_ = np.zeros(3)

    from sklearn.metrics.pairwise import rbf_kernel

    kernel = rbf_kernel(fold.X_test, fold.X_test, gamma=1.0)
    model: Any = Given()
    model.dual_coef_ = np.linalg.lstsq(kernel, values, rcond=None)[0].T
    return combine(ORACLE, model, fold)


@pytest.mark.parametrize(
    ("support", "window", "growth", "stop"),
    [
        ([1, 2, 3, 3, 3, 4], 2, 0.0, 5),
        ([1, 2, 3, 3, 3, 4], 1, 0.0, 4),
        ([100, 101, 103], 1, 0.01, 2),
        ([1, 2, 3, 4], 2, 0.0, None),
        ([0, 0, 1], 1, 0.0, None),
    ],
)
def test_where_a_window_stops(
    support: list[int], window: int, growth: float, stop: int | None
) -> None:
    assert first_stop(np.array(support), window, growth) == stop


@pytest.mark.parametrize(
    ("ours", "lower_is_better", "met", "equal"),
    [
        (90.0, False, True, True),
        (89.0, False, True, True),
        (88.9, False, False, False),
        (91.0, False, True, True),
        (91.1, False, True, False),
        (80.0, True, True, False),
        (91.1, True, False, False),
    ],
)
def test_agreement_on_one_side_and_on_both(
    ours: float, lower_is_better: bool, met: bool, equal: bool
) -> None:
    cell = AgreementCell("cell", "task", ours, 0.0, 90.0, 1.0, lower_is_better)
    assert (cell.met, cell.equal) == (met, equal)


def test_shuffled_rows_are_told_by_their_place_in_the_pool(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X = np.repeat(np.arange(8.0), [30, 5, 5, 5, 5, 5, 5, 4])[:, None]
    y = np.repeat(np.arange(7), [40, 5, 5, 5, 4, 3, 2])
    monkeypatch.setitem(POOLS, "shuttle-4515", lambda seed: (X, y))
    rows = _counts.run(Experiment("shuttle-4515", SHUFFLED, 0))
    assert [y[row["row"]] for row in rows] == [row["rare_class"] for row in rows]
    assert sorted(shuffled_rows(64, 3)) == list(range(64))
    assert not np.array_equal(shuffled_rows(64, 3), shuffled_rows(64, 4))


def test_random_drawing_has_its_exact_mean() -> None:
    """The first of m rows among n is met after (n + 1) / (m + 1) labels in the mean."""
    runs = draw_runs()
    n, m = 4515, sum(RARE)
    assert runs[:, 0].mean() == pytest.approx((n + 1) / (m + 1), rel=0.03)
    assert np.all(np.diff(runs, axis=1) > 0)
    table = random_row_table()
    assert [line[-2:] for line in table.rows] == [["yes", answer] for answer in (
        "NO", "yes", "NO", "yes", "NO", "yes"
    )]  # fmt: skip
    assert len(runs) % TEN == 0


def test_the_setting_with_few_support_vectors(require_task: Callable[..., Any]) -> None:
    require_task("yeast-ME3")
    draw = pruning.prepare(pruning.YEAST_FEW, 0)
    assert (draw.C, draw.gamma) == (100.0, 0.1)
    assert (draw.X.min(), draw.X.max()) == (0.0, 1.0)
    row = count_pruned(Experiment(pruning.YEAST_FEW, "pruned 3", 0))
    assert row["removed"] == 3
    assert 15 <= row["majority_support"] <= 35
