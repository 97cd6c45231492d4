"""Bad input: one sentence that names the next step, the right exit code, nothing half-written."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pexpect
import polars as pl
import pytest

from rarebit.cli import ExitCode

from .conftest import SOURCES, Bad, make_rows

ENVIRONMENT = {**os.environ, "PYTHONPATH": SOURCES}
LINUX = sys.platform.startswith("linux")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from rarebit.cli import main

    folder = tmp_path_factory.mktemp("model")
    make_rows().write_csv(folder / "rows.csv")
    path = folder / "model.rarebit"
    assert main(["fit", str(folder / "rows.csv"), "-t", "class", "--id", "id", "-m", "kernel",
                 "-o", str(path), "--no-validation", "--json"]) == 0  # fmt: skip
    return path


def arguments_of(name: str, file: Path, model: Path, out: Path) -> list[object]:
    return {
        "fit": ["fit", file, "-t", "class", "-o", out / "m.rarebit"],
        "compare": ["compare", file, "-t", "class", "-o", out / "t.md", "-m", "KernelSVC"],
        "predict": ["predict", model, file, "-o", out / "p.csv"],
        "evaluate": ["evaluate", model, file],
        "discover": ["discover", file, "--oracle", "class", "--labels", out / "d.jsonl"],
        "learn": ["learn", file, "--oracle", "class", "--labels", out / "l.jsonl",
                  "-o", out / "l.rarebit", "--max-labels", 60],
    }[name]  # fmt: skip


COMMANDS = ["fit", "compare", "predict", "evaluate", "discover", "learn"]


@pytest.mark.parametrize("name", COMMANDS)
def test_bad_files(name: str, bad: Bad, model: Path, command: Any, tmp_path: Path) -> None:
    if bad.path.name == "no-target.csv" and name == "predict":
        pytest.skip("predict needs no target")
    out = tmp_path / "out"
    out.mkdir()
    outcome = command(*arguments_of(name, bad.path, model, out))
    assert outcome.code == ExitCode.INPUT, outcome
    for word in bad.words:
        assert word in outcome.error
    assert len(outcome.error) < 400
    assert not list(out.iterdir())


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_other_encodings_are_read(encoding: str, model: Path, command: Any, tmp_path: Path) -> None:
    rows = make_rows().with_columns(country=pl.col("country").replace("SE", "Österreich"))
    path = tmp_path / "rows.csv"
    path.write_bytes(rows.write_csv().encode(encoding))
    for name in COMMANDS:
        assert command(*arguments_of(name, path, model, tmp_path)).code == ExitCode.OK
    told = command("predict", model, path, "--json").json
    assert list(told["unknown_categories"]["country"]) == ["Österreich"]
    wrong = command("fit", path, "-t", "class", "--encoding", "utf-8", "-o", tmp_path / "m.rarebit")
    assert wrong.code == ExitCode.INPUT
    assert "not written in utf-8" in wrong.error


def test_a_wrong_delimiter(good: Path, model: Path, command: Any, tmp_path: Path) -> None:
    for name in COMMANDS:
        outcome = command(*arguments_of(name, good, model, tmp_path), "--delimiter", ";")
        assert outcome.code == ExitCode.INPUT
        assert "id,amount,age,country,class" in outcome.error


def test_one_class(command: Any, tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    make_rows().with_columns(pl.lit("ok").alias("class")).write_csv(path)
    for name in ("fit", "compare"):
        outcome = command(*arguments_of(name, path, path, tmp_path))
        assert outcome.code == ExitCode.INPUT
        assert "one class only ('ok')" in outcome.error
        assert "rarebit discover" in outcome.error


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["a"] * 299 + ["b"], "has one row"),
        ([None] * 300, "is empty in every row"),
        ([f"{i}.5" for i in range(300)], "looks like a measurement"),
    ],
)
def test_targets_that_cannot_be_learned(
    values: list[str], words: str, command: Any, tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    make_rows().with_columns(pl.Series("class", values)).write_csv(path)
    outcome = command("fit", path, "-t", "class", "-o", tmp_path / "m.rarebit")
    assert outcome.code == ExitCode.INPUT
    assert words in outcome.error


def test_no_target_asks_for_it(good: Path, command: Any, tmp_path: Path) -> None:
    outcome = command("fit", good, "-o", tmp_path / "m.rarebit")
    assert outcome.code == ExitCode.USAGE
    columns = "id, amount, age, country, class"
    assert f"Give it with --target; columns are {columns};" in outcome.error


def test_ten_thousand_columns(command: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rare = rng.random(120) < 0.2
    X = rng.normal(size=(120, 10_000)).round(2) + rare[:, None]
    frame = pl.DataFrame(X).with_columns(pl.Series("class", np.where(rare, "b", "a")))
    frame.write_csv(tmp_path / "wide.csv")
    path = tmp_path / "wide.rarebit"
    fitted = command(
        "fit", tmp_path / "wide.csv", "-t", "class", "-m", "kernel", "--folds", 2, "-o", path
    )
    assert fitted.code == ExitCode.OK, fitted.err
    assert "10,000 columns used" in fitted.out
    frame.drop("column_5000").write_csv(tmp_path / "lacks.csv")
    refused = command("predict", path, tmp_path / "lacks.csv")
    assert "lacks 1 of 10,000 columns: 'column_5000'" in refused.error
    assert command("evaluate", path, tmp_path / "wide.csv", "--json").json["g_mean"] > 0.9


def test_models_that_are_none(good: Path, model: Path, command: Any, tmp_path: Path) -> None:
    cut = tmp_path / "cut.rarebit"
    cut.write_bytes(model.read_bytes()[:500])
    for path, words in (
        (good, "is not a rarebit model"),
        (cut, "truncated"),
        (tmp_path / "no", "not exist"),
    ):
        outcome = command("predict", path, good)
        assert outcome.code == ExitCode.INPUT
        assert words in outcome.error
    swapped = command("predict", good, model)
    assert swapped.code == ExitCode.USAGE
    assert "The model comes first" in swapped.error


def test_a_place_that_cannot_be_written(good: Path, model: Path, command: Any) -> None:
    # Root may write anywhere but below a file.
    for out in ("/proc/1/nothing/m", good / "m"):
        outcome = command("fit", good, "-t", "class", "-o", f"{out}.rarebit")
        assert outcome.code == ExitCode.OUTPUT
        assert "cannot be written" in outcome.error
        outcome = command("predict", model, good, "-o", f"{out}.csv")
        assert outcome.code == ExitCode.OUTPUT


NOBODY = 65534


@pytest.mark.skipif(not LINUX, reason="permissions of Linux")
def test_no_permission(good: Path) -> None:
    """Run as somebody without rights; root reads and writes everything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "rows.csv").write_bytes(good.read_bytes())
        (folder / "locked.csv").write_bytes(good.read_bytes())
        (folder / "locked.csv").chmod(0)
        (folder / "locked").mkdir(0o555)
        # The first run imports everything: nobody may read the packages afterwards.
        code = f"""
import os, sys
from rarebit.cli import main
def fit(file, out):
    return main(["fit", os.path.join({name!r}, file), "-t", "class", "--drop", "id", "-m", "kernel",
                 "--no-validation", "-o", os.path.join({name!r}, out), "--quiet"])
assert fit("rows.csv", "good.rarebit") == 0
os.chmod({name!r}, 0o555)
if os.getuid() == 0:
    os.setresuid({NOBODY}, {NOBODY}, {NOBODY})
print([fit("locked.csv", "/dev/null"), fit("rows.csv", "locked/m.rarebit")])
os._exit(0)
"""
        done = subprocess.run(
            [sys.executable, "-u", "-c", code], capture_output=True, text=True, env=ENVIRONMENT
        )
        folder.chmod(0o755)
    assert done.stdout.splitlines()[-1] == "[3, 4]", done
    assert "may not be read" in done.stderr
    assert "you have no permission" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not LINUX, reason="needs /dev/full")
def test_a_full_disk(good: Path, model: Path, command: Any, process: Any) -> None:
    for arguments in (
        ["fit", good, "-t", "class", "-m", "kernel", "--no-validation", "-o", "/dev/full"],
        ["predict", model, good, "-o", "/dev/full"],
    ):
        outcome = command(*arguments)
        assert outcome.code == ExitCode.OUTPUT, outcome
        assert "disk is full" in outcome.error
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "rarebit", "predict", str(model), str(good)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        )
    assert done.returncode == ExitCode.OUTPUT
    assert "disk is full" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.skipif(not LINUX, reason="terminals of POSIX")
def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    """In a real terminal: the bar shows, Ctrl-C ends the command, the old model survives."""
    rows = make_rows(30_000)
    noise = np.random.default_rng(0).normal(size=30_000)
    rows.with_columns(amount=noise).write_csv(tmp_path / "rows.csv")
    out = tmp_path / "out"
    out.mkdir()
    (out / "m.rarebit").write_text("the old one")
    child = pexpect.spawn(
        sys.executable,
        ["-m", "rarebit", "fit", str(tmp_path / "rows.csv"), "-t", "class", "--drop", "id",
         "-m", "kernel", "--folds", "5", "-o", str(out / "m.rarebit")],
        encoding="utf-8", timeout=600, dimensions=(24, 100), env={**ENVIRONMENT, "TERM": "xterm"},
    )  # fmt: skip
    child.expect("training")
    child.sendintr()
    child.expect("Interrupted: nothing was left half-written")
    assert "error" not in child.before
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == ExitCode.INTERRUPTED
    assert "Traceback" not in child.before
    assert [path.name for path in out.iterdir()] == ["m.rarebit"]
    assert (out / "m.rarebit").read_text() == "the old one"


def test_two_classes_of_a_known_row_are_refused(command: Any, good: Path) -> None:
    run = ["learn", good, "--id", "id", "--oracle", "class", "--known", "row-1=fraud"]
    refused = command(*run, "--known", "row-1=ok")
    assert refused.code == ExitCode.USAGE
    assert "--known gives 'row-1' two classes, 'fraud' and 'ok': keep one of them" in refused.error
