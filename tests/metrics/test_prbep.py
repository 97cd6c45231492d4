"""The precision-recall break-even point, by hand and by brute force over tie orders."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve

from rarebit.metrics import prbep_score


@pytest.mark.parametrize(
    ("truth", "scores", "expected"),
    [
        ([1, 1, 0, 0], [4, 3, 2, 1], 1.0),
        ([1, 1, 0, 0], [1, 2, 3, 4], 0.0),
        ([1, 1, 0, 0], [0.9, 0.3, 0.5, 0.1], 0.5),
        # Top three are 1, 0, 1.
        ([1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1], 2 / 3),
        # The two tied rows share the one place left: half a hit.
        ([1, 0, 1, 0], [3, 2, 2, 1], 0.75),
        # One place among three tied rows, one of them positive.
        ([1, 0, 0, 1], [2, 2, 2, 9], (1 + 1 / 3) / 2),
        # A constant score gets the share of positive rows.
        ([1, 0, 0, 0, 0], [7, 7, 7, 7, 7], 0.2),
        # Ties away from the cut do not matter.
        ([1, 1, 0, 0], [5, 5, 1, 1], 1.0),
        ([1], [0.0], 1.0),
        ([1, 1, 1], [3, 1, 2], 1.0),
        ([0, 0], [3, 1], 0.0),
        ([0], [3], 0.0),
    ],
)
def test_by_hand(truth, scores, expected):
    assert prbep_score(truth, scores) == pytest.approx(expected)
    signed = np.where(np.array(truth) == 1, 1, -1)
    assert prbep_score(signed, scores) == pytest.approx(expected)
    assert prbep_score(np.array(truth, dtype=bool), scores) == pytest.approx(expected)
    # The positive class sorts before the other one: the scores are not turned round.
    named = np.where(np.array(truth) == 1, "attack", "normal")
    assert prbep_score(named, scores, pos_label="attack") == pytest.approx(expected)


def test_scores_favour_pos_label_whichever_it_is():
    truth, scores = ["attack", "normal", "normal"], [0.1, 0.9, 0.8]
    assert prbep_score(truth, scores, pos_label="normal") == 1.0
    assert prbep_score(truth, scores, pos_label="attack") == 0.0


def test_pos_label_of_zero_one_labels():
    assert prbep_score([0, 1, 1], [9, 1, 1], pos_label=0) == 1.0
    assert prbep_score([0, 1, 1], [9, 1, 1], pos_label=1) == 0.5


def test_more_than_two_classes_are_one_against_the_rest():
    truth, scores = ["a", "b", "c", "b"], [1, 4, 3, 2]
    assert prbep_score(truth, scores, pos_label="b") == 0.5
    assert prbep_score(truth, scores, pos_label="c") == 0.0


def test_a_lone_class_that_is_not_the_positive_one_scores_zero():
    assert prbep_score(["normal"] * 3, [1, 2, 3], pos_label="attack") == 0.0


@pytest.mark.parametrize("container", [np.array, pd.Series, pl.Series, tuple])
def test_containers(container):
    assert prbep_score(container([1, 0, 1, 0]), container([3.0, 2.0, 2.0, 1.0])) == 0.75


def test_result_is_a_plain_float():
    assert type(prbep_score([1, 0], [2, 1])) is float


def test_equals_precision_where_precision_meets_recall():
    random = np.random.default_rng(5)
    truth = (random.random(200) < 0.1).astype(int)
    scores = truth + random.normal(size=200)
    precision, recall, _ = precision_recall_curve(truth, scores)
    meeting = precision[np.isclose(precision, recall) & (recall > 0)]
    assert prbep_score(truth, scores) == pytest.approx(meeting[0])


# No deadline: a busy machine is not a bug.
patient = settings(deadline=None)
ROWS = st.lists(st.tuples(st.booleans(), st.integers(0, 3)), min_size=1, max_size=7)


def _brute_force(truth, scores):
    """Mean over every order of the rows that sorts the scores."""
    n_positive = sum(truth)
    orders = [
        order
        for order in itertools.permutations(range(len(truth)))
        if all(scores[i] >= scores[j] for i, j in itertools.pairwise(order))
    ]
    return np.mean([sum(truth[i] for i in order[:n_positive]) for order in orders]) / n_positive


@patient
@given(ROWS)
def test_ties_are_an_expectation_over_all_orders(rows):
    truth, scores = zip(*rows, strict=True)
    expected = _brute_force(truth, scores) if any(truth) else 0.0
    assert prbep_score(truth, scores) == pytest.approx(expected)


@patient
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert prbep_score(*zip(*rows, strict=True)) == pytest.approx(
        prbep_score(*zip(*shuffled, strict=True))
    )


@patient
@given(ROWS, st.lists(st.floats(-1e300, 1e300), min_size=4, max_size=4, unique=True))
def test_only_the_order_of_scores_matters(rows, values):
    truth, scores = zip(*rows, strict=True)
    # The four scores become any other four values in the same order.
    moved = np.sort(values)[list(scores)]
    assert prbep_score(truth, moved) == prbep_score(truth, scores)


@patient
@given(ROWS)
def test_between_zero_and_one_and_reached_by_the_truth_itself(rows):
    truth, scores = zip(*rows, strict=True)
    assert 0.0 <= prbep_score(truth, scores) <= 1.0
    assert prbep_score(truth, np.array(truth, dtype=float)) == float(any(truth))
