"""Plans of the discovery paper: counts of labels, what is shown of them, and missing data."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from rarebit.datasets import DataNotFoundError, load_pool, make_malice_synthetic_2
from rarebit.papers import Experiment, Results, find_plans, reproduce
from rarebit.papers.discovery import _counts
from rarebit.papers.discovery._published import PUBLISHED
from rarebit.papers.discovery._runs import (
    EXPLORERS,
    POOLS,
    count_labels,
    explore,
    make_explorer,
    true_priors,
)

NAMES = [plan.name for plan in find_plans(["discovery"])]


def small_pool(seed: int) -> tuple[Any, Any]:
    return make_malice_synthetic_2(seed, n_majority=300, n_rare=(30, 28, 12, 15))


def small_shuttle(seed: int) -> tuple[Any, Any]:
    """Six rare classes, as Shuttle has."""
    sizes = [300, 20, 18, 15, 12, 10, 8]
    return make_blobs(sizes, n_features=3, cluster_std=0.7, random_state=seed)


@pytest.fixture
def small_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(POOLS, "synthetic-2", small_pool)
    monkeypatch.setitem(POOLS, "shuttle-4515", small_shuttle)


def run_twice(name: str, folder: Path) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    code = reproduce([name], seeds=2, folder=folder, output=out, messages=err)
    return code, out.getvalue(), err.getvalue()


@pytest.mark.usefixtures("small_data")
@pytest.mark.parametrize("name", NAMES)
def test_run(name: str, tmp_path: Path) -> None:
    code, out, err = run_twice(name, tmp_path)
    assert code == 0, err
    for explorer in EXPLORERS:
        assert explorer in out
    assert "nan" not in (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    again = io.StringIO()
    reproduce([name], seeds=2, show=True, folder=tmp_path, output=again, messages=io.StringIO())
    assert again.getvalue() == out


def test_synthetic_sets_need_no_data_and_shuttle_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(seed: int) -> Any:
        raise DataNotFoundError("Set RAREBIT_DATA.")

    monkeypatch.setitem(POOLS, "synthetic-2", small_pool)
    monkeypatch.setitem(POOLS, "shuttle-4515", missing)
    code, out, err = run_twice("discovery", tmp_path)
    assert code == 1
    assert "Left out: shuttle-4515. Set RAREBIT_DATA." in err
    assert "synthetic-1" in out
    assert "synthetic-2" in out


@pytest.mark.usefixtures("small_data")
def test_rows_are_where_classes_were_met() -> None:
    X, y = small_pool(4)
    rows = _counts.run(Experiment("synthetic-2", "Scout", 4))
    assert [row["n_found"] for row in rows] == [1, 2, 3, 4]
    assert [row["n_labels"] for row in rows] == count_labels(X, y, make_explorer("Scout", y, 4))
    assert [y[row["row"]] for row in rows] == [row["rare_class"] for row in rows]
    found = explore(X, y, make_explorer("Scout", y, 4))
    assert [found.queries[row["n_labels"] - 1] for row in rows] == [row["row"] for row in rows]


def test_a_class_not_met_costs_the_whole_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.arange(20.0)[:, None]
    y = np.array([0] * 18 + [1, 2])
    assert count_labels(X, y, make_explorer("random", y, 0), max_labels=1) == [1.0, 1.0]
    monkeypatch.setitem(POOLS, "shuttle-4515", lambda seed: (X, y))
    monkeypatch.setattr(_counts, "explore", lambda X, y, explorer: explore(X, y, explorer, 1))
    rows = _counts.run(Experiment("shuttle-4515", "random", 0))
    assert [row["n_labels"] for row in rows][-1] == 20
    assert true_priors(y) == {1: 0.05, 2: 0.05}


def test_counts_are_compared_with_the_paper() -> None:
    rows = [
        {"task": "synthetic-2", "method": "Malice", "seed": seed, "n_found": k, "n_labels": labels}
        for seed, last in enumerate((4, 6, 8))
        for k, labels in enumerate((1, 2, 3, last), 1)
    ]
    by_class, last = _counts.tables(Results(rows))
    assert by_class.rows == [
        ["Malice", "1.0 (1.0–1.0)", "2.0 (2.0–2.0)", "3.0 (3.0–3.0)", "6.0 (5.0–7.0)"],
        ["paper, MALICE", "", "", "", "4"],
    ]
    assert last.rows[0][2:] == ["6.0", "1.0 to 11.0", "6.0", "4–8", "4", "+2.0", "1 of 3"]


def test_published_counts_rise() -> None:
    for by_method in PUBLISHED.values():
        for counts in by_method.values():
            assert list(counts) == sorted(counts)


def test_real_shuttle(require_task: Any) -> None:
    require_task("letter-A")
    X, y = load_pool("shuttle-4515", 0)
    assert len(true_priors(y)) == len(PUBLISHED["shuttle-4515"]["Malice"]) == 6
    assert count_labels(X, y, make_explorer("Scout", y, 0))[-1] < 200
