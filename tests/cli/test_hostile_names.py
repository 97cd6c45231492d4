"""Names and cells that hold terminal escapes and formulas: nothing reaches a terminal raw."""

from __future__ import annotations

import csv
import re
import unicodedata
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from .conftest import Command, Outcome
from .terminal import Typist

TITLE, CLEAR, OVERRIDE = "\x1b]0;x\x07", "\x1b[2J", "\u202e"
RARE, COMMON = f"fraud{CLEAR}[red]", f"=ok{OVERRIDE}"
AMOUNT, KIND = f"amount{TITLE}", f"kind\x9b31m{OVERRIDE}"
TARGET, ID = f"class{CLEAR}\rfine", f"id{TITLE}"


def hostile_rows(n: int = 150, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    rare = np.arange(n) % 10 == 0
    return pl.DataFrame(
        {
            ID: [f"-row{i}\r{TITLE}{OVERRIDE}" for i in range(n)],
            AMOUNT: rng.normal(size=n) + 4.0 * rare,
            KIND: rng.choice([f"SE{CLEAR}", "NO\x85"], n),
            TARGET: np.where(rare, RARE, COMMON),
        }
    )


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    path = tmp_path / f"rows{TITLE}{OVERRIDE}.csv"
    hostile_rows().write_csv(path)
    return path


@pytest.fixture
def model(command: Command, hostile: Path, tmp_path: Path) -> Path:
    path = tmp_path / f"model{CLEAR}.rarebit"
    assert_clean(command("fit", hostile, "-t", TARGET, "--id", ID, "--out", path))
    return path


def assert_clean(done: Outcome, code: int = 0) -> None:
    """No control character but the end of line was printed, and the command ended as expected."""
    assert done.code == code, done
    for text in (done.out, done.err):
        raw = [
            letter
            for letter in text
            if unicodedata.category(letter) in ("Cc", "Cf", "Cs") and letter != "\n"
        ]
        assert not raw, (raw, text)


def test_fit_and_its_report(command: Command, hostile: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    done = command("fit", hostile, "-t", TARGET, "--report", page, "--out", tmp_path / "m.rarebit")
    assert_clean(done)
    assert r"fraud\x1b[2J[red]" in done.out
    shown = page.read_text(encoding="utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", shown)


@pytest.mark.parametrize("options", [(), ("--json",), ("--rare-only",)])
def test_predict(command: Command, model: Path, hostile: Path, options: tuple[str, ...]) -> None:
    done = command("predict", model, hostile, *options)
    assert_clean(done)
    assert r"fraud\x1b[2J" in done.out or done.json["rare_class"] == RARE


def test_evaluate(command: Command, model: Path, hostile: Path, tmp_path: Path) -> None:
    changed = tmp_path / f"new{OVERRIDE}.csv"
    rows = hostile_rows()
    rows[3, TARGET] = f"new{TITLE}"
    rows.with_columns(
        pl.lit(f"unknown{CLEAR}").alias(KIND),
    ).write_csv(changed)
    for options in ((), ("--json",)):
        assert_clean(command("evaluate", model, changed, *options))


def test_compare(command: Command, hostile: Path) -> None:
    done = command("compare", hostile, "-t", TARGET, "-m", "KernelSVC", "--folds", 2)
    assert_clean(done)


@pytest.mark.parametrize("name", ["discover", "learn"])
def test_labelling(
    command: Command, hostile: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = tmp_path / f"found{CLEAR}.html"
    given = ("--oracle", TARGET, "--id", ID, "--max-labels", 40, "--report", page)
    assert_clean(command(name, hostile, *given))
    assert_clean(command(name, hostile, *given))  # continues with what is there
    assert_clean(command(name, hostile, *given, "--json"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", f"missing{TITLE}.csv", "-t", "x"),
        ("fit", "{file}", "-t", f"no{CLEAR}"),
        ("fit", "{file}"),
        ("fit", "{file}", "-t", TARGET, "--drop", f"no{OVERRIDE}"),
        ("fit", "{file}", "-t", TARGET, "--rare", f"no{TITLE}"),
        ("fit", "{file}", "-t", TARGET, f"surplus{CLEAR}"),
        ("predict", "{file}", "{file}"),
        ("predict", "{file}", "{file}", "--traceback"),
        ("predict", "{file}", "{file}", "--json"),
        ("datasets", "show", f"no{TITLE}"),
        ("reproduce", f"no{TITLE}"),
        (f"no{TITLE}",),
        ("compare", "{file}", "-t", TARGET, "-m", f"no{TITLE}"),
        ("discover", "{file}"),
        ("learn", "{file}", "--oracle", f"no{CLEAR}"),
    ],
    ids=repr,
)
def test_errors_quote_visibly(command: Command, hostile: Path, arguments: tuple[str, ...]) -> None:
    done = command(*(hostile if part == "{file}" else part for part in arguments))
    assert_clean(done, done.code)
    assert done.code != 0


def test_a_person_sees_escapes_and_the_terminal_does_not(hostile: Path, tmp_path: Path) -> None:
    person = Typist("discover", hostile, "--id", ID, "--classes", RARE, cwd=tmp_path)
    seen = person.wait()
    person.type("q")
    code, rest = person.end()
    assert code == 0
    for raw in (TITLE, CLEAR, OVERRIDE, "\x9b", "\x85"):
        assert raw not in seen + rest
    assert re.search(r"-row\d+\\r\\x1b\]0;x\\x07\\u202e", seen)


# --- formulas ---------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
def test_predictions_are_no_formulas_and_are_read_back(
    command: Command, model: Path, hostile: Path, tmp_path: Path, ending: str
) -> None:
    safe, raw = tmp_path / f"safe{ending}", tmp_path / f"raw{ending}"
    assert_clean(command("predict", model, hostile, "--out", safe))
    assert_clean(command("predict", model, hostile, "--raw", "--out", raw))
    separator = "\t" if ending == ".tsv" else ","
    written = pl.read_csv(safe, separator=separator)
    assert written[ID].str.starts_with("'-row").all()
    assert set(written["predicted"]) == {RARE, "'" + COMMON}
    assert pl.read_csv(raw, separator=separator)[ID].to_list() == hostile_rows()[ID].to_list()

    from rarebit.tables import scan_table

    back = scan_table(safe, target="predicted", id=ID).read()
    assert back.ids.tolist() == hostile_rows()[ID].to_list()
    assert set(back.target.tolist()) == {RARE, COMMON}


@pytest.mark.parametrize("raw", [False, True])
def test_exported_labels(
    command: Command, hostile: Path, tmp_path: Path, raw: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "labels.csv"
    given = ("--oracle", TARGET, "--id", ID, "--max-labels", 12, "--export", out)
    assert_clean(command("discover", hostile, *given, *(("--raw",) if raw else ())))
    with out.open(newline="", encoding="utf-8") as file:
        _, *lines = csv.reader(file)
    first = "-" if raw else "'"
    assert len(lines) == 12
    assert all(name.startswith(first) for name, _ in lines)
