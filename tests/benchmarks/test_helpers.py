"""The arithmetic, the turns and the tables of the benchmarks; no time is asserted."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification
from sklearn.svm import SVC

from rarebit import KernelSVC

pytest.importorskip("benchmarks", reason="the benchmarks are not beside the tests")

from benchmarks import exact, jobs
from benchmarks.__main__ import fit_jobs, parse
from benchmarks.limit import Rates
from benchmarks.problems import Problem
from benchmarks.settings import Options
from benchmarks.tables import Column, Table, seconds, times


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    return make_classification(n_samples=1500, weights=[0.9], random_state=0)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("machine", [KernelSVC, SVC])
def test_exact_figures_are_those_of_the_machine(machine: Any, layout: Any, rows: Any) -> None:
    X, y = layout(rows[0]), rows[1]
    model = machine(C=2.0, gamma=0.05).fit(X, y)
    np.testing.assert_allclose(
        exact.decision_values(model, X, 0.05), model.decision_function(X), atol=1e-4
    )
    reference = KernelSVC(C=2.0, gamma=0.05).fit(X, y).dual_objective_
    assert exact.dual_objective(model, X, 0.05) == pytest.approx(reference, rel=1e-4)


def test_limit_counts_products_and_exponentials() -> None:
    assert Rates(flops=2e9, exponentials=1e9).limit_seconds(1000, 10000, 100) == pytest.approx(1.01)


def test_subsets_nest(rows: Any) -> None:
    X, y = rows
    problem = Problem("p", X, y, X[:5], y[:5], 1.0, 0.1)
    few, more = problem.head(50), problem.head(200)
    np.testing.assert_array_equal(few.X_train, more.X_train[:50])
    assert problem.head(None) is problem.head(len(y)) is problem


def test_contenders_take_turns_and_slow_ones_fewer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    order: list[tuple[str, int, bool]] = []

    def run(job: jobs.Job, folder: Path) -> dict[str, Any]:
        order.append((job.contender, job.round, job.check))
        return {"seconds": 60.0 if job.contender == "slow" else 0.1, "busy": 1.0}

    monkeypatch.setattr(jobs, "run_process", run)
    session = jobs.Session(Options(("fit",), rounds=3), tmp_path, lambda line: None)
    wanted = {name: jobs.Job("fit", "set", name, check=True) for name in ("fast", "slow", "seeds")}
    results = session.alternate(wanted, {"seeds": 4})
    assert [name for name, _, _ in order] == (
        ["fast", "slow", "seeds"] * 2 + ["fast", "seeds"] + ["seeds"]
    )
    assert {name: len(result.rounds) for name, result in results.items()} == {
        "fast": 3,
        "slow": 2,
        "seeds": 4,
    }
    assert [n for name, n, check in order if check and name != "seeds"] == [0, 0]
    assert [n for name, n, check in order if check and name == "seeds"] == [0, 1, 2, 3]


def test_suites_share_their_fits() -> None:
    wanted = fit_jobs(parse(["--sets", "letter-A"]), "letter-A")
    svc = wanted["SVC"]
    assert svc.check
    assert svc.score
    assert svc.keep
    assert not wanted["KernelSVC"].score
    assert fit_jobs(parse(["growth"]), "a9a") == {}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["speed"], "no suite 'speed'"),
        (["--sets", "letter-B"], "no set 'letter-B'"),
        (["--rounds", "0"], "at least 1"),
    ],
)
def test_wrong_arguments_are_told(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parse(arguments)
    assert message in capsys.readouterr().err


def test_table_is_written_as_markdown_and_csv(tmp_path: Path) -> None:
    columns = (
        Column("set", "set"),
        Column("seconds", "seconds", seconds),
        Column("ratio", "ratio", times),
        Column("busy"),
    )
    table = Table("demo", "Demo", columns)
    table.rows = [
        {"set": "a", "seconds": 123.4, "ratio": 12.34, "busy": 0.5},
        {"set": "mean", "ratio": 1.234},
    ]
    table.write(tmp_path, {"threads": "1"})
    assert (tmp_path / "demo.md").read_text(encoding="utf-8").splitlines() == [
        "| set | seconds | ratio |",
        "| :-- | --: | --: |",
        "| a | 123 | 12.3× |",
        "| mean |  | 1.23× |",
        "",
        "- threads: 1",
    ]
    lines = (tmp_path / "demo.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# threads: 1"
    assert list(csv.DictReader(lines[1:])) == [
        {"set": "a", "seconds": "123.4", "ratio": "12.34", "busy": "0.5"},
        {"set": "mean", "seconds": "", "ratio": "1.234", "busy": ""},
    ]
    assert "mean" in table.plain()


def test_geometric_mean() -> None:
    assert exact.geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
