"""Rows that lists of answers and questions show: as much as fits, empty cells, numbered rows."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from rarebit.cli import ExitCode, _annotator
from rarebit.tables import Shown

from .conftest import Command

NAMES = ["amount", "fee", "discount", "balance", "channel", "logins", "comment"]


@pytest.fixture
def labelled(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [f"{j}.5,0.25,{j}%,{900 + j},web,{j % 3},{'missing' if j else ''}" for j in range(40)]
    Path("us.csv").write_text("\n".join([",".join(NAMES), *rows]) + "\n")
    for row in ("3", "7"):
        assert command("labels", "set", "us.csv", row, "chargeback").code == ExitCode.OK
    return Path("us.csv")


@pytest.mark.parametrize("columns", [None, 80, 120, 180])
def test_a_list_of_answers_shows_as_much_as_fits(
    columns: int | None, labelled: Path, capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    from rarebit.cli import main

    if columns is not None:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    capfd.readouterr()
    assert main(["labels", "list", str(labelled)]) == ExitCode.OK
    (line,) = [each for each in capfd.readouterr().out.splitlines() if "amount 7.5" in each]
    whole = "amount 7.5, fee 0.25, discount 7%, balance 907, channel web, logins 1, comment missing"
    if columns is None or columns == 180:
        assert whole in line
    else:
        assert len(line.rstrip()) <= columns
        assert ("discount 7%" in line) == (columns > 80)
        assert "…" in line


def test_rows_without_ids_are_numbered(labelled: Path, command: Command) -> None:
    for words in (["set", labelled, "99999999", "ok"], ["show", labelled, "99999999"]):
        refused = command("labels", *words)
        assert refused.code == ExitCode.INPUT
        assert refused.error == (
            "us.csv has no row '99999999': rows are numbered from 0 to 39, because no id column "
            "was given; give one of these numbers."
        )


def test_an_empty_cell_is_not_the_word_missing(
    labelled: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "comment: (empty)" in command("labels", "show", labelled, "0").out
    assert "comment: missing" in command("labels", "show", labelled, "1").out
    monkeypatch.setattr(sys, "stdout", written := io.StringIO())
    monkeypatch.setattr(sys, "stderr", written)
    person = _annotator.TerminalAnnotator(None)  # type: ignore[arg-type]
    person.show(Shown("p1", {"refund": None, "reason": "missing", "note": ""}), "1 label")
    lines = [line.split() for line in written.getvalue().splitlines()]
    assert ["refund", "(empty)"] in lines
    assert ["reason", "missing"] in lines
    assert ["note", "(empty)"] in lines
