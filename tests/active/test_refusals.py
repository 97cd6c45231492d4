"""Every asker refuses what it cannot use with one root of errors, and says what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from rarebit import (
    BorderLearner,
    Hunt,
    Interleave,
    Malice,
    RandomExplorer,
    RarebitError,
    Scout,
)
from rarebit.models import final_classifier

ASKERS = [Hunt, BorderLearner, Scout, RandomExplorer, lambda: Malice([0.1]), lambda: Interleave(2)]
POOL = np.random.default_rng(0).normal(size=(60, 2))


@pytest.mark.parametrize("make", ASKERS)
def test_numbers_of_rows(make: Any) -> None:
    asker = make().start(POOL)
    for n in (0, -1, 1.5, "a", True):
        with pytest.raises(RarebitError, match=r"from 1 to the 60.*ask for at least one"):
            asker.ask(n)
    with pytest.raises(ValueError, match="got 1000000000: ask for fewer"):
        asker.ask(10**9)


@pytest.mark.parametrize("make", ASKERS)
def test_rows_and_labels(make: Any) -> None:
    with pytest.raises(RarebitError, match=r"mapping of rows to classes.*got list"):
        make().start(POOL, labels=["a"] * 60)
    asker = make().start(POOL)
    for rows in ([60], [-1]):
        with pytest.raises(RarebitError, match="rows 0 to 59"):
            asker.tell(rows, ["a"])
    with pytest.raises(RarebitError, match="must name a class"):
        asker.tell([0], [None])
    with pytest.raises(RarebitError, match="nothing to take back"):
        asker.retract([0])


@pytest.mark.parametrize("make", ASKERS)
def test_frames_with_words_are_told_what_makes_numbers(make: Any) -> None:
    with pytest.raises(ValueError, match="TableEncoder"):
        make().start(pd.DataFrame({"a": ["x", "y", "z"]}))


def test_a_hunt_needs_a_pool() -> None:
    with pytest.raises(RarebitError, match="start takes the rows of the pool"):
        Hunt().start(None)


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ({60: "a", 1: "b"}, "rows 0 to 59 of the pool, got row 60"),
        ({-1: "a", 1: "b"}, "got row -1"),
        ({True: "a", 0: "b"}, "got row True"),
        ({0: None, 1: "b"}, "must name a class, got None for row 0"),
        ({0: float("nan"), 1: 1.0}, "must name a class, got nan"),
        ({0: "a", 1: 1}, "mix text with numbers"),
        (["a", "b"], "mapping of rows to classes"),
        ({}, "labels of two classes, got 0"),
    ],
)
def test_labels_of_the_final_classifier(labels: Any, said: str) -> None:
    with pytest.raises(RarebitError, match=said):
        final_classifier(POOL, labels)
