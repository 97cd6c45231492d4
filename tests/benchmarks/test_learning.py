"""The learning harness: contenders that are named are there, and a run continues."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.learning.askers import ASKERS
from benchmarks.learning.judges import JUDGES, PAIRS, TEXT_PAIRS
from benchmarks.learning.pools import draw_pool
from benchmarks.learning.runs import measure_pools
from benchmarks.learning.tables import summary


def test_askers_and_judges_of_all_pairs_are_there() -> None:
    for pairs in (PAIRS, TEXT_PAIRS):
        assert set(pairs) <= set(ASKERS)
        assert {judge for judges in pairs.values() for judge in judges} <= set(JUDGES)
    assert set(PAIRS) | set(TEXT_PAIRS) == set(ASKERS)


@pytest.mark.parametrize("who", ["random", "isolation"])
def test_rivals_ask_for_each_row_once(who: str) -> None:
    pool = draw_pool("blobs", 0)
    rows, reasons = ASKERS[who](pool.X, pool.y, 12, 0)
    assert len(np.unique(rows)) == len(rows) == len(reasons) == 12


def test_a_run_continues_where_it_was_interrupted(tmp_path: Path) -> None:
    said: list[str] = []

    def run() -> list[dict[str, object]]:
        return measure_pools(
            tmp_path, ["blobs"], 1, [4, 5], with_all=False, only=["isolation"], say=said.append
        )

    first = run()
    assert [result["labels"] for result in first] == [4, 5]
    path = tmp_path / "results.jsonl"
    lines = path.read_text().splitlines()
    path.write_text(lines[0] + "\n" + lines[1][:20])  # the last line was cut off
    again = run()
    timeless = [{k: v for k, v in r.items() if k != "seconds"} for r in (*first, *again)]
    assert timeless[:2] == timeless[2:]
    assert len(said) == 2
    assert run() == again
    assert len(said) == 2  # nothing was left to do


def test_one_draw_has_no_spread() -> None:
    mean, error = summary({"a": [0.2, 0.4], "b": [0.5]})
    assert mean == pytest.approx(0.4)
    assert np.isnan(error)
    assert summary({"a": [0.2, 0.4]})[1] == pytest.approx(0.1)
