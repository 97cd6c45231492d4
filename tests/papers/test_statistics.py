"""Means as they are written, average ranks, paired tests, and which rows are compared."""

from __future__ import annotations

import numpy as np
import pytest

from rarebit.papers import Results, mean_over_seeds
from rarebit.papers._folds import finished_everywhere, mean_by, score_labels
from rarebit.papers._statistics import average_ranks, wilcoxon_p


def test_means_are_written_with_what_is_known_of_them() -> None:
    mean = mean_over_seeds([1.0, 2.0, 3.0])
    assert mean.with_spread(1) == "2.0 ± 1.0"
    assert mean.with_reach(2) == "2.00 ± 2.5"
    assert mean.interval(2, "+") == "-0.48 to +4.48"
    alone = mean_over_seeds([0.25])
    assert (alone.with_spread(2), alone.with_reach(2), alone.interval(2)) == ("0.25", "0.25", "")


def test_the_highest_score_has_rank_one_and_ties_share() -> None:
    scores = np.array([[0.9, 0.5, 0.5], [0.2, 0.8, 0.4]])
    assert average_ranks(scores).tolist() == [2.0, 1.75, 2.25]


def test_eight_wins_of_eight_are_as_rare_as_they_are() -> None:
    assert wilcoxon_p(np.arange(1.0, 9.0)) == pytest.approx(2.0 / 2**8)
    assert wilcoxon_p(np.zeros(5)) == 1.0


def test_only_places_that_all_methods_have_finished_are_compared() -> None:
    rows = [
        {"method": method, "seed": seed, "score": float(seed)}
        for method, seeds in {"a": (0, 1, 2), "b": (0, 2)}.items()
        for seed in seeds
    ]
    kept = finished_everywhere(Results(rows), ("a", "b"), "seed")
    assert kept.different("seed") == [0, 2]
    assert len(kept) == 4
    assert mean_by(kept, "score", "method").tolist() == [1.0, 1.0]


def test_rates_of_both_classes() -> None:
    y, predicted = np.array([1, 1, 0, 0, 0, 0]), np.array([1, 0, 0, 0, 0, 1])
    scores = score_labels(y, predicted)
    assert (scores["sensitivity"], scores["specificity"]) == (0.5, 0.75)
    assert scores["g_mean"] == pytest.approx(np.sqrt(0.375))
    assert scores["accuracy"] == pytest.approx(4 / 6)
