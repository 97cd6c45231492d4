"""Killed processes lose no acknowledged answer; the thousand kills of `make kills` in short."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("benchmarks", reason="the benchmarks are not beside the tests")

from benchmarks.kills import answer, count_lost
from rarebit.projects.stores import LabelFile

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="signals of POSIX"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


def test_no_answer_is_lost(tmp_path: Path) -> None:
    count = count_lost(tmp_path, kills=15, seed=1)
    assert count.kills == 15
    assert count.acknowledged > 20
    assert count.lost == count.wrong == 0


def test_a_store_that_forgets_is_found_out(tmp_path: Path) -> None:
    def forget_the_fifth(store: LabelFile, number: int) -> None:
        if number < 5:
            answer(store, number)

    assert count_lost(tmp_path, kills=6, seed=1, answer=forget_the_fifth).lost > 0
