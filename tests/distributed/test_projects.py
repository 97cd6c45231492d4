"""Projects over folders of files: questions, proofs and models are those of one computer."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from pools import local_twin, make_frame

from rarebit.active import Hunt, RowPool
from rarebit.distributed import (
    PartitionedPool,
    PoolExplorer,
    PoolLearner,
    open_cluster,
    open_pooled_table,
    open_project,
    predict_files,
)
from rarebit.models import save_model
from rarebit.projects import (
    Desk,
    Project,
    ProjectError,
    SettingsError,
    describe_rows,
    search,
)
from rarebit.tables import concatenate, read_table

SETTINGS = {
    "oracle": "class", "reading": {"id": "payment"}, "known": {"0-3": "fraud"}, "goal": "find",
    "recall": 0.8, "rare": ["fraud"], "max_labels": 16,
    "method": "border",
}  # fmt: skip


def run_hunt(pool: Any, y: Any, n: int, **options: Any) -> Hunt:
    rare = np.flatnonzero(y == "fraud")
    # With few left to harvest, audits follow soon.
    known = {int(row): "fraud" for row in rare[:-6]} | {0: str(y[0])}
    learner = PoolLearner(explore=0.2, random_state=3)
    hunt = Hunt(PoolExplorer(), learner, random_state=3, **options).start(pool, known)
    for _ in range(n):
        rows = hunt.ask()
        hunt.tell(rows, y[rows])
    return hunt


@pytest.mark.parametrize(
    "options", [{"goal": "find", "target": 0.7, "rare": "fraud"}, {"goal": "both"}]
)
def test_a_hunt_asks_what_it_asks_on_one_computer(
    pool: PartitionedPool, folder: Path, options: dict[str, Any]
) -> None:
    twin, y = local_twin(pool, folder)
    assert isinstance(pool, RowPool)
    assert isinstance(twin, RowPool)
    there, here = run_hunt(pool, y, 60, **options), run_hunt(twin, y, 60, **options)
    assert there.queries_ == here.queries_
    assert there.guarantee() == here.guarantee()
    assert np.array_equal(there.rank(), here.rank())
    reasons = {str(query.reason) for query in there.queries_}
    if "target" in options:
        audits = [query for query in there.queries_ if str(query.reason) == "audit"]
        assert audits
        assert all(query.draw is not None and query.draw.n > 2000 for query in audits)
        files = {pool.partitions.locate(query.row)[0].number for query in audits}
        assert len(files) > 1  # drawn over all of them
    else:
        assert {"border", "harvest", "explore"} <= reasons


def asked_of(project: Project) -> list[tuple[int, str]]:
    return [(query.row, str(query.reason)) for query in project.asker.queries_]


def test_a_project_over_files_survives_a_killed_worker(folder: Path, tmp_path: Path) -> None:
    whole = concatenate(
        [read_table(file, id="payment", target="class") for file in sorted(folder.iterdir())]
    )
    with open_cluster("local", n_workers=2, memory_limit="1GB") as client:
        with open_project(
            client, folder, store=str(tmp_path / "a.db"), settings=SETTINGS
        ) as project:
            assert project.table.n_rows == 2501
            project.settings = project.settings.with_changes(max_labels=8)
            project.answer_from_column()
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
            project.settings = project.settings.with_changes(max_labels=16)
            project.answer_from_column()
            asked, labels = asked_of(project), project.labels
            proved = project.guarantee()
            for row in (0, 700, 701, 2500):
                assert project.table.show(row) == whole.show(row)
                assert project.show(row) == whole.show(row, as_written=True)
                assert project.table.ids[row] == whole.ids[row]
            assert isinstance(project.show(700).fields["amount"], str)  # of a CSV file
            texts, _ = describe_rows(project.table, [2500, 700, 0])
            assert texts == describe_rows(whole, [2500, 700, 0])[0]
            assert all(whole.target[row] == label for row, label in labels.items())
            model = project.finish()
        assert model.rare_class == "fraud"
        assert set(model.decide(whole).classes) == {"fraud", "ok"}
        # Nothing of the first run is left: a second one asks the same, and one that continues
        # repeats the history.
        with open_project(
            client, folder, store=str(tmp_path / "b.db"), settings=SETTINGS
        ) as project:
            project.answer_from_column()
            assert asked_of(project) == asked
            assert project.guarantee() == proved
        with open_project(
            client, folder, store=str(tmp_path / "a.db"), settings=SETTINGS
        ) as project:
            assert (project.labels, asked_of(project)) == (labels, asked)
            assert not list(_folders(client, older_than=project))


def _folders(client: Any, older_than: Project) -> Any:
    """Files of pools on the workers but those of a project."""

    def listed(dask_worker: Any) -> list[str]:
        return [path.name for path in Path(dask_worker.local_directory).glob("rarebit-*")]

    own = older_than.features._recipe.digest
    return (name for names in client.run(listed).values() for name in names if own not in name)


def test_learn_on_a_cluster(client: Any, folder: Path, tmp_path: Path) -> None:
    words = ["learn", folder, "--cluster", client.scheduler.address, "--oracle", "class", "--id",
             "payment", "--max-labels", "20", "-o", tmp_path / "m.rarebit", "--json", "--known",
             "0-3=fraud", "--labels", tmp_path / "c.db", "--method", "border",
             "--report", tmp_path / "r.html"]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "rarebit", *map(str, words)], capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["rows"], found["labels"]) == (2501, 21)
    assert (tmp_path / "m.rarebit").is_file()
    assert (tmp_path / "r.html").is_file()


def test_the_page_labels_a_pool_on_a_cluster(client: Any, folder: Path, tmp_path: Path) -> None:
    settings = {"reading": {"id": "payment", "drop": ["class"]}, "classes": ["ok", "fraud"]}
    with (
        open_pooled_table(client, folder, settings) as table,
        Desk.open(table, store=str(tmp_path / "d.db"), settings=settings) as desk,
    ):
        dealt = desk.deal("", "tab", 2, patience=300.0)
        shown = desk.display.row(dealt.rows[0])
        assert shown["id"] == table.ids[dealt.rows[0]]
        assert {cell["name"] for cell in shown["cells"]} == {"amount", "age", "country"}
        event, is_new = desk.answer(dealt.rows[0], "ok", key="k-1")
        assert is_new
        assert event.id == shown["id"]
        assert len(desk.map.points(scores=False, hidden=lambda row: False)["row"]) == 2501
        with pytest.raises(ProjectError, match="cannot be searched"):
            search(desk, words="SE")


def test_label_on_a_cluster(client: Any, folder: Path, tmp_path: Path) -> None:
    words = ["label", folder, "--cluster", client.scheduler.address, "--id", "payment", "--drop",
             "class", "--no-browser", "--labels", tmp_path / "l.db"]  # fmt: skip
    command = [sys.executable, "-m", "rarebit", *map(str, words)]
    notes = tmp_path / "notes.txt"
    with (
        notes.open("w") as said,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=said, text=True, cwd=tmp_path
        ) as started,
    ):
        assert started.stdout is not None
        assert started.stdout.readline().startswith("http://127.0.0.1:")
        started.send_signal(signal.SIGINT)
        started.wait(300)
    assert "Dashboard: http://127.0.0.1" in notes.read_text()


def test_settings_that_need_one_computer_are_named(client: Any, folder: Path) -> None:
    with (
        pytest.raises(SettingsError, match="'like' cannot be changed"),
        open_project(client, folder, settings={"like": "refund"}),
    ):
        pass


def test_rows_without_ids_are_numbered_through(client: Any, tmp_path: Path) -> None:
    for i in range(3):
        make_frame(50, i).drop("payment").write_csv(tmp_path / f"{i}.csv")
    settings = {"oracle": "class", "known": {"120": "fraud"}}
    with open_project(client, tmp_path, store=str(tmp_path / "n.db"), settings=settings) as project:
        assert project.table.ids[149] == 149
        assert project.labels == {120: "fraud"}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_columns_that_are_not_used_are_shown(client: Any, tmp_path: Path, ending: str) -> None:
    folder = tmp_path / "pool"
    folder.mkdir()
    for i in range(2):
        frame = make_frame(120, i)
        doi = pl.Series("doi", [f"10.1/{name}" for name in frame["payment"]])
        # The first number, the first other column and the last one are not learned from.
        frame = frame.insert_column(1, pl.lit(7.5).alias("fee")).insert_column(1, doi)
        frame = frame.with_columns(pl.lit("EUR").alias("currency"))
        path = folder / f"{i}.{ending}"
        frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
    files = sorted(folder.iterdir())
    whole = concatenate([read_table(file, id="payment", target="class") for file in files])
    settings = SETTINGS | {"known": {"0-0": "ok", "0-3": "fraud"}, "max_labels": 6}
    with open_project(client, folder, store=str(tmp_path / "a.db"), settings=settings) as project:
        dropped = set(project.encoder.dropped_)
        assert dropped == {"fee", "doi", "currency"}
        assert np.allclose(
            project.table.take([0, 130]).numbers, whole.numbers[[0, 130]], equal_nan=True
        )
        for row in (0, 130):
            assert project.table.show(row) == whole.show(row)
            assert dropped <= set(project.show(row).fields)
        project.answer_from_column()
        model = project.finish()
    save_model(model, tmp_path / "m.rarebit")
    made = predict_files(client, tmp_path / "m.rarebit", folder, tmp_path / "out")
    assert made.n_rows == 240
    page = {"reading": {"id": "payment", "drop": ["class"]}, "classes": ["ok", "fraud"]}
    with (
        open_pooled_table(client, folder, page) as table,
        Desk.open(table, store=str(tmp_path / "d.db"), settings=page) as desk,
    ):
        shown = desk.display.row(desk.deal("", "tab", 1, patience=300.0).rows[0])
        assert dropped <= {cell["name"] for cell in shown["cells"]}


def _peak() -> int:
    """Largest resident set of this process; getrusage would begin with that of its parent."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
    assert found is not None
    return int(found[1]) * 1024


def test_memory_of_workers_does_not_grow_with_their_data(tmp_path: Path) -> None:
    n_rows, n_columns = 80_000, 100
    values = np.tile(np.arange(250.0), n_rows // 250)
    frame = pl.DataFrame({f"c{j}": np.roll(values, j) for j in range(n_columns)})
    files = [tmp_path / f"{i}.parquet" for i in range(20)]
    for file in files:
        frame.write_parquet(file, row_group_size=10_000)
    with open_cluster("local", n_workers=1, memory_limit="4GB") as client:

        def work(own: list[Path]) -> int:
            pool = PartitionedPool.open(client, own, n_sample=500)
            rows = np.arange(0, pool.n_rows, pool.n_rows // 100)
            known = {int(row): i % 2 for i, row in enumerate(rows[:40])}
            learner = PoolLearner(stop=None).start(pool, known)
            assert len(pool.best(learner.classifier_, 1, 10, rows[:40])) == 10
            return pool.n_bytes

        work(files[:4])  # what every worker loads, and needs for files of this size
        before = max(client.run(_peak).values())
        n_bytes = work(files[4:])  # 1 GB of numbers
        grown = max(client.run(_peak).values()) - before
        assert n_bytes > 16 * 8 * n_rows * n_columns
        assert grown < n_bytes / 4
