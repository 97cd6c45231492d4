"""A real cluster of worker processes gives what one computer gives, to the bit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from pools import local_twin, make_frame

from rarebit import BaggedSVC
from rarebit.models import (
    MissingModelError,
    load_model,
    measure_decisions,
    save_model,
    train_model,
)
from rarebit.tables import TableEncoder, TableError, read_table

pytest.importorskip("distributed", reason="distributed (dask) is not installed")

from rarebit.distributed import (
    ClusterError,
    PartitionedPool,
    PoolLearner,
    evaluate_files,
    fit_bags,
    list_files,
    open_cluster,
    predict_files,
)


@pytest.fixture(scope="module")
def model(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("model") / "fraud.rarebit"
    table = read_table(folder / "part-0.parquet", target="class", id="payment")
    save_model(train_model(table, method="kernel", random_state=0), file)
    return file


def run_command(*words: Any) -> dict[str, Any]:
    command = [sys.executable, "-m", "rarebit", *map(str, words), "--json"]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stderr
    return dict(json.loads(outcome.stdout))


def judged_alone(model: Path, file: Path) -> tuple[list[str], list[float]]:
    """Return classes and scores as ``rarebit predict`` gives them without a cluster."""
    rows = run_command("predict", model, file)["predictions"]
    return [row["predicted"] for row in rows], [row["score"] for row in rows]


def test_predictions_equal_those_of_one_computer(
    client: Any, model: Path, folder: Path, tmp_path: Path
) -> None:
    done: list[int] = []
    found = predict_files(client, model, folder, tmp_path / "out", advance=done.append)
    assert found.n_rows == 2501
    assert sum(done) == 5
    assert sum(found.predicted.values()) == 2501
    for file, out in zip(list_files(folder), found.files, strict=True):
        classes, scores = judged_alone(model, file)
        frame = pl.read_parquet(out)
        assert frame.columns[0] == "payment"
        assert frame["predicted"].to_list() == classes
        assert frame["score"].to_list() == scores


def test_columns_outside_the_training_file_are_told(
    client: Any, model: Path, tmp_path: Path
) -> None:
    for i in range(2):
        far = make_frame(200, 20 + i).with_columns(pl.col("amount") + 1000)
        far.write_parquet(tmp_path / f"far-{i}.parquet")
    found = predict_files(client, model, list_files(tmp_path), tmp_path / "out")
    assert found.outside_range["amount"]["rows"] == found.outside_range["amount"]["of"] == 400
    assert "400 of 400 rows have a value of 'amount' outside" in found.notes[0]


def test_evaluation_equals_that_of_one_table(client: Any, model: Path, folder: Path) -> None:
    found = evaluate_files(client, model, folder)
    loaded = load_model(model)
    tables = [read_table(file, target="class", id="payment") for file in list_files(folder)]
    truth = np.concatenate([table.target for table in tables])
    made = [loaded.decide(table) for table in tables]
    expected = measure_decisions(loaded, truth, made).report
    assert {name: found[name] for name in expected} == expected
    assert found["rows_without_class"] == 0


def test_bags_equal_those_of_one_computer(client: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5))
    y = (X[:, 0] + 0.3 * rng.normal(size=600) > 1.6).astype(int)
    bags = BaggedSVC(n_estimators=12, random_state=0)
    alone = BaggedSVC(n_estimators=12, random_state=0).fit(X, y)
    there = fit_bags(client, bags, X, y)
    assert not hasattr(bags, "dual_coef_")
    assert there.n_jobs is None
    assert np.array_equal(there.decision_function(X), alone.decision_function(X))


def test_rows_are_fetched_by_global_number(pool: PartitionedPool, folder: Path) -> None:
    twin, _ = local_twin(pool, folder)
    assert pool.n_rows == 2501
    rows = np.random.default_rng(1).permutation(2501)[:200]
    assert np.array_equal(pool.take(rows), twin.take(rows))


@pytest.mark.parametrize("goal", ["learn", "find"])
def test_questions_equal_those_of_one_computer(
    pool: PartitionedPool, folder: Path, goal: str
) -> None:
    twin, y = local_twin(pool, folder)
    known = {int(np.flatnonzero(y == "fraud")[0]): "fraud"}
    there, here = PoolLearner(goal).start(pool, known), PoolLearner(goal).start(twin, known)
    for _ in range(40):
        rows = there.ask()
        assert rows.tolist() == here.ask().tolist()
        there.tell(rows, y[rows])
        here.tell(rows, y[rows])
    assert [q.reason for q in there.queries_] == [q.reason for q in here.queries_]
    assert set(there.discovered_) == {"fraud", "ok"}
    assert there.rare_class_ == "fraud"
    if goal == "find":
        found = sum(label == "fraud" for label in there.labels_.values())
        assert found > 0.4 * len(there.labels_)


def test_the_best_rows_of_all_partitions(pool: PartitionedPool, folder: Path) -> None:
    twin, y = local_twin(pool, folder)
    learner = PoolLearner().start(pool, {0: y[0], int(np.flatnonzero(y != y[0])[0]): "fraud"})
    out = np.array([5, 900, 2400])
    for k in (1, 30, 5000):
        there = pool.best(learner.classifier_, "fraud", k, out)
        assert there.tolist() == twin.best(learner.classifier_, "fraud", k, out).tolist()
        assert not set(out.tolist()) & set(there.tolist())


def test_a_killed_worker_costs_time_only(model: Path, folder: Path, tmp_path: Path) -> None:
    with open_cluster("local", n_workers=2, memory_limit="1GB") as client:
        pool = PartitionedPool.open(client, folder, id="payment", drop=["class"])
        before = pool.take(np.arange(0, 2501, 10))
        pids = list(client.run(os.getpid).values())
        killer = threading.Timer(0.05, os.kill, (pids[0], signal.SIGKILL))
        killer.start()
        found = predict_files(client, model, folder, tmp_path / "out")
        killer.join()
        time.sleep(0.1)
        assert found.n_rows == 2501
        for file, out in zip(list_files(folder), found.files, strict=True):
            assert pl.read_parquet(out)["score"].to_list() == judged_alone(model, file)[1]
        assert np.array_equal(pool.take(np.arange(0, 2501, 10)), before)


def test_candidates_are_rows_of_their_partition(pool: PartitionedPool) -> None:
    rows = pool.candidates(25)
    assert 20 <= len(rows) == len(set(rows.tolist())) <= 25
    assert {pool.partitions.locate(int(row))[0].number for row in rows} == {0, 1, 2, 3, 4}


def test_commands_run_on_a_cluster(client: Any, model: Path, folder: Path, tmp_path: Path) -> None:
    address, out = client.scheduler.address, tmp_path / "judged"

    cluster = ["--cluster", address]
    assert run_command("predict", model, folder, "-o", out, *cluster)["rows"] == 2501
    assert len(list(out.iterdir())) == 5
    alone = run_command("evaluate", model, folder / "part-2.parquet")
    there = run_command("evaluate", model, folder / "part-2.parquet", *cluster)
    assert there["g_mean"] == alone["g_mean"]


def test_cells_are_read_as_the_training_file_writes_them(client: Any, tmp_path: Path) -> None:
    """Amounts with a decimal comma mean the same on a worker as on one computer."""

    def written(frame: pl.DataFrame, name: str) -> Path:
        amounts = [f"{1000 + 100 * v:,.2f}".translate(str.maketrans(",.", ".,"))
                   for v in frame["amount"]]  # fmt: skip
        frame.with_columns(pl.Series("amount", [f"€{each}" for each in amounts])).write_csv(
            tmp_path / name, separator=";"
        )
        return tmp_path / name

    trained = written(make_frame(500, 7), "train.csv")
    file = tmp_path / "euro.rarebit"
    table = read_table(trained, target="class", id="payment")
    save_model(train_model(table, method="kernel", random_state=0), file)
    new = written(make_frame(300, 8), "new.csv")
    found = predict_files(client, file, new, tmp_path / "out")
    assert pl.read_parquet(found.files[0])["score"].to_list() == judged_alone(file, new)[1]
    pool = PartitionedPool.open(client, new, id="payment", drop=["class"])
    alone = read_table(new, id="payment", drop=["class"])
    features = TableEncoder(random_state=0).fit(alone).transform(alone)
    assert np.array_equal(pool.take(np.arange(300)), features.astype(np.float32))
    american = tmp_path / "american.csv"
    frame = make_frame(50, 9)
    dollars = [f"${1000 + 100 * value:,.2f}" for value in frame["amount"]]
    frame.with_columns(pl.Series("amount", dollars)).write_csv(american)
    with pytest.raises(TableError, match="amount"):
        predict_files(client, file, american, tmp_path / "out")


def test_errors_have_one_sentence(client: Any, model: Path, tmp_path: Path) -> None:
    with pytest.raises(TableError, match="holds no partitions"):
        predict_files(client, model, tmp_path, tmp_path / "out")
    with (
        pytest.raises(ClusterError, match="No scheduler answers"),
        open_cluster("tcp://127.0.0.1:9", timeout=1),
    ):
        pass
    with (
        pytest.raises(ClusterError, match="n_workers must be 1 or more"),
        open_cluster(n_workers=0),
    ):
        pass
    make_frame(20, 0).drop("amount").write_csv(tmp_path / "other.csv")
    with pytest.raises(TableError, match="amount"):
        predict_files(client, model, tmp_path / "other.csv", tmp_path / "out")


@pytest.mark.parametrize("address", ["foo", "foo:bar", "http://127.0.0.1:1"])
def test_what_is_no_address_is_refused_and_the_next_cluster_starts(address: str) -> None:
    for _ in range(2):
        with (
            pytest.raises(ClusterError, match=r"is no address of a scheduler: .*'local'"),
            open_cluster(address),
        ):
            pass


def test_a_missing_model_is_named(client: Any, folder: Path, tmp_path: Path) -> None:
    for run in (lambda: predict_files(client, tmp_path / "no.rarebit", folder, tmp_path / "out"),
                lambda: evaluate_files(client, tmp_path / "no.rarebit", folder)):  # fmt: skip
        with pytest.raises(MissingModelError, match=r"no\.rarebit' does not exist: check the path"):
            run()
    assert not (tmp_path / "out").exists()
