"""Labels spent to reach a target, and labels as a share of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarebit.metrics import data_efficiency, label_efficiency

LABELS = [10, 20, 30, 40, 50]
SCORES = [0.5, 0.9, 0.7, 0.9, 0.95]


@pytest.mark.parametrize(
    ("target", "first", "stays"),
    [(0.4, 10, 10), (0.5, 10, 10), (0.6, 20, 20), (0.9, 20, 40), (0.91, 50, 50), (1.0, None, None)],
)
def test_by_hand(target, first, stays):
    assert label_efficiency(LABELS, SCORES, target) == first
    assert label_efficiency(LABELS, SCORES, target, stay=True) == stays


def test_a_spike_counts_only_without_stay():
    assert label_efficiency([1, 2, 3], [0.1, 0.9, 0.1], 0.9) == 2
    assert label_efficiency([1, 2, 3], [0.1, 0.9, 0.1], 0.9, stay=True) is None


def test_no_labels_may_be_enough():
    assert label_efficiency([0, 5], [0.3, 0.4], 0.3) == 0


def test_result_is_a_plain_integer():
    assert type(label_efficiency(np.array(LABELS), np.array(SCORES), np.float64(0.9))) is int


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.integers(0, 6))
def test_against_a_plain_search(scores, target):
    spent = [3 * i + 1 for i in range(len(scores))]
    first = [n for n, s in zip(spent, scores, strict=True) if s >= target]
    stays = [spent[i] for i in range(len(scores)) if min(scores[i:]) >= target]
    assert label_efficiency(spent, scores, target) == (first[0] if first else None)
    assert label_efficiency(spent, scores, target, stay=True) == (stays[0] if stays else None)


@pytest.mark.parametrize(
    ("labels", "scores"),
    [
        ([2, 1], [0.1, 0.2]),
        ([1, 1], [0.1, 0.2]),
        ([-1, 1], [0.1, 0.2]),
        ([1.5, 2], [0.1, 0.2]),
        ([1, 2, 3], [0.1, 0.2]),
        ([], []),
        ([1, 2], [0.1, np.nan]),
    ],
)
def test_bad_curves(labels, scores):
    with pytest.raises(ValueError, match=r"allowed|needed"):
        label_efficiency(labels, scores, 0.5)


@pytest.mark.parametrize("target", [np.nan, np.inf])
def test_bad_target(target):
    with pytest.raises(ValueError, match="target must be finite"):
        label_efficiency(LABELS, SCORES, target)


@pytest.mark.parametrize("target", ["0.9", None, True])
def test_target_of_a_wrong_type(target):
    with pytest.raises(TypeError, match="target must be a number"):
        label_efficiency(LABELS, SCORES, target)


def test_stay_is_a_switch():
    with pytest.raises(TypeError, match="stay must be True or False"):
        label_efficiency(LABELS, SCORES, 0.9, stay="yes")


@pytest.mark.parametrize(
    ("labels", "rows", "share"), [(0, 4, 0.0), (1, 4, 0.25), (4, 4, 1.0), (np.int64(3), 12, 0.25)]
)
def test_data_efficiency(labels, rows, share):
    assert data_efficiency(labels, rows) == share


@pytest.mark.parametrize(("labels", "rows"), [(5, 4), (-1, 4), (0, 0)])
def test_data_efficiency_bad_counts(labels, rows):
    with pytest.raises(ValueError, match="n_labels must not exceed n_rows"):
        data_efficiency(labels, rows)


@pytest.mark.parametrize(("labels", "rows"), [(1.0, 4), (1, 4.0), ([0, 1], 4), (True, 4)])
def test_data_efficiency_wrong_types(labels, rows):
    with pytest.raises(TypeError, match="must be a count"):
        data_efficiency(labels, rows)
