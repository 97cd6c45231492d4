"""Work saved, time to discovery, labels to a recall: counted by hand."""

from __future__ import annotations

import pytest

from rarebit.metrics import labels_to_recall, time_to_discovery, work_saved

FOUND = [0, 1, 1, 0, 1, 0, 0, 1]


@pytest.mark.parametrize(
    ("recall", "n_rare", "labels"),
    [(0.25, None, 2), (0.5, None, 3), (1.0, None, 8), (0.5, 8, 8), (0.51, 8, None), (0.95, 4, 8)],
)
def test_labels_to_recall(recall: float, n_rare: int | None, labels: int | None) -> None:
    assert labels_to_recall(FOUND, recall, n_rare=n_rare) == labels
    saved = work_saved(FOUND, 100, recall, n_rare=n_rare)
    assert saved == (None if labels is None else pytest.approx(recall - labels / 100))


def test_shares_that_binary_numbers_miss() -> None:
    # 0.95 * 20 is a little more than 19 in binary.
    assert labels_to_recall([1] * 20, 0.95) == 19
    assert labels_to_recall([1] * 100, 0.07) == 7


def test_time_to_discovery() -> None:
    assert time_to_discovery(FOUND) == pytest.approx((2 + 3 + 5 + 8) / 4)
    assert time_to_discovery([0, 0]) is None
    assert time_to_discovery([]) is None
    assert labels_to_recall([]) is None


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: labels_to_recall([0, 2]), "found must hold 1"),
        (lambda: labels_to_recall(FOUND, 0.0), "recall must be a share"),
        (lambda: labels_to_recall(FOUND, n_rare=3), "n_rare must be at least"),
        (lambda: work_saved(FOUND, 7), "n_rows must be at least"),
    ],
)
def test_refused(call, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()
