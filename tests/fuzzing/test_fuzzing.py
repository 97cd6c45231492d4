"""The fuzzer notices everything that is bad, and a seeded part of it finds nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fuzzing", reason="the fuzzer is not beside the tests")
if not sys.platform.startswith("linux"):
    pytest.skip("children are watched through /proc", allow_module_level=True)

from fuzzing import _misbehaviour as judges
from fuzzing import matrices, readers
from fuzzing.__main__ import main
from fuzzing._bounded import Worker

# Every process that the fuzzer starts is heavy: its tests share one worker of pytest.


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker(seconds=2.0)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("judge", "kind", "words"),
    [
        (judges.passes, "ok", "input"),
        (judges.refuses, "refused", "give another"),
        (judges.stumbles, "unexpected", "KeyError"),
        (judges.exits, "unexpected", "SystemExit"),
        (judges.aborts, "crash", "SIGABRT"),
        (judges.leaves, "crash", "exit code 3"),
        (judges.hangs, "hang", "no end"),
    ],
)
def test_every_end_is_told_and_the_next_case_runs(
    worker: Worker, tmp_path: Path, judge: object, kind: str, words: str
) -> None:
    outcome = worker.run(judge, tmp_path / "input")  # type: ignore[arg-type]
    assert outcome.kind == kind
    assert words in outcome.message
    assert worker.run(judges.passes, tmp_path / "next").good


def test_memory_is_bounded(tmp_path: Path) -> None:
    worker = Worker(seconds=60.0)
    try:
        assert worker.run(judges.hoards, tmp_path / "input").kind == "memory"
    finally:
        worker.close()


@pytest.mark.parametrize("write", [readers.write, matrices.write])
def test_the_same_seed_makes_the_same_input(write: object, tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        path = write("any:1:400", folder)  # type: ignore[operator]
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        made.append([(file.name, file.read_bytes()) for file in files if file.is_file()])
    assert made[0] == made[1]


def test_a_seeded_part_finds_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["tables", "journals", "sparse-rows", "--n", "60", "--keep", str(tmp_path)])
    assert code == 0, capsys.readouterr().out
    assert not list(tmp_path.iterdir())
