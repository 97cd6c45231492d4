"""The harness of the stop rule: what it measures, and its means."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.learning import stopping
from benchmarks.learning.pools import draw_pool
from benchmarks.learning.stopping import balanced_g_mean, main, make_table, measure


def test_a_run_ends_where_the_hunt_advises_to_stop() -> None:
    pool = draw_pool("blobs", 0)
    result = measure(pool, 0)
    assert 20 <= result["labels"] < len(pool.y)
    assert result["share"] == pytest.approx(result["labels"] / len(pool.y))
    assert result["all labels"] == balanced_g_mean(pool, np.arange(len(pool.y)))


def test_means_are_over_pools_not_over_runs() -> None:
    def run(pool: str, seed: int, share: float, stop: float) -> dict[str, object]:
        return {"pool": pool, "seed": seed, "rows": 4000, "labels": 4000 * share, "share": share,
                "at the stop": stop, "all labels": 0.9}  # fmt: skip

    rows = make_table([run("a", 0, 0.1, 0.9), run("a", 1, 0.3, 0.8), run("b", 0, 0.4, 0.9)]).rows
    assert [row["pool"] for row in rows] == ["a", "b", "mean"]
    assert rows[0]["drop"] == pytest.approx(5.0)
    assert rows[-1]["share"] == pytest.approx(0.3)
    assert rows[-1]["drop"] == pytest.approx(2.5)


def test_small_pools_are_left_out(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stopping, "_FEWEST_ROWS", 4000)  # the pool below has 3,500
    with pytest.raises(SystemExit):
        main(["--sets", "blobs", "--work", str(tmp_path), "--out", str(tmp_path)])
    assert "4,000 rows or more" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.jsonl"))
