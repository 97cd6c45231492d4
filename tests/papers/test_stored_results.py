"""The file of results: complete after every append, repaired when opened."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rarebit.papers import ResultFile, Results, ResultsMismatchError

KEYS, MEASURES = ["task", "seed"], ["n_labels", "score"]


def open_results(path: Path) -> ResultFile:
    return ResultFile(path, KEYS, MEASURES, {"machine": "a, b: c"})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "new" / "plan.csv"
    store = open_results(path)
    store.append(("a", "0"), [{"n_labels": 10, "score": 0.5}, {"n_labels": 20, "score": None}])
    store.append(("b, c", "0"), [{"n_labels": 10, "score": 1.0 / 3.0}])
    return path


def test_results_are_read_as_they_were_written(path: Path) -> None:
    store = open_results(path)
    results = store.results([("b, c", "0"), ("a", "0"), ("never", "1")])
    assert results.about == {"machine": "a, b: c"}
    assert results.different("task") == ["b, c", "a"]
    assert results["n_labels"].tolist() == [10, 10, 20]
    np.testing.assert_allclose(results["score"], [1.0 / 3.0, 0.5, np.nan], rtol=1e-8)
    assert results.only(task="a", n_labels=20)[0]["score"] is None


def test_opening_a_whole_file_leaves_it_alone(path: Path) -> None:
    before = path.read_bytes(), path.stat().st_mtime_ns
    open_results(path)
    assert before == (path.read_bytes(), path.stat().st_mtime_ns)


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_result_cut_short_counts_as_not_run(path: Path, cut: int) -> None:
    open_results(path).append(
        ("d", "1"), [{"n_labels": n, "score": 0.25} for n in (1, 2, 3, 4, 5, 6)]
    )
    longer = path.read_text(encoding="utf-8")
    path.write_text(longer[:-cut], encoding="utf-8")
    store = open_results(path)
    assert ("d", "1") not in store
    assert ("b, c", "0") in store
    # Reading changes nothing: a run may be writing.
    assert path.read_text(encoding="utf-8") == longer[:-cut]
    store.append(("d", "1"), [{"n_labels": n, "score": 0.25} for n in (1, 2, 3, 4, 5, 6)])
    assert path.read_text(encoding="utf-8") == longer


def test_arranging_follows_the_plan_and_keeps_the_rest(path: Path) -> None:
    store = open_results(path)
    store.append(("c", "0"), [{"score": 1.0}])
    store.arrange([("c", "0"), ("never", "0"), ("a", "0")])
    found = open_results(path).results([("a", "0"), ("b, c", "0"), ("c", "0")])
    assert len(found) == 4
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line[:2] for line in lines] == ["# ", "ta", "c,", "a,", "a,", '"b']


def test_columns_of_another_plan_are_told(path: Path) -> None:
    with pytest.raises(ResultsMismatchError, match="--fresh"):
        ResultFile(path, KEYS, ["g_mean"])
    with pytest.raises(ValueError, match=r"\['surprise'\] as well"):
        open_results(path).append(("d", "1"), [{"surprise": 1}])


def test_a_column_of_text_stays_text() -> None:
    results = Results([{"task": "a"}, {"task": "b"}])
    assert results["task"].tolist() == ["a", "b"]


def test_a_curve_holds_what_all_runs_share() -> None:
    points = [(10, 1.0), (10, 3.0), (30, 5.0), (20, None), (20, 2.0), (5, None), (5, None)]
    results = Results([{"n": n, "score": score} for n, score in points])
    curve = results.curve("n", "score")
    assert {n: sample.tolist() for n, sample in curve.items()} == {10: [1.0, 3.0], 20: [2.0]}
    assert list(curve) == [10, 20]
