"""Names of results are checked before the first question, and not after the last answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rarebit.cli import ExitCode


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(
        {
            "x": [float(i % 19) for i in range(120)],
            "y": [float(i % 7) for i in range(120)],
            "kind": ["rare" if i % 11 == 3 else "ok" for i in range(120)],
        }
    ).write_csv("t.csv")
    return Path("t.csv")


@pytest.mark.parametrize("name", ["learn", "discover"])
@pytest.mark.parametrize("ending", [".txt", ".ris", ".bib", ""])
def test_a_wrong_ending_is_refused_first(command: Any, table: Path, name: str, ending: str) -> None:
    words = (name, table, "--oracle", "kind", "--max-labels", 20, "--export", f"l{ending}")
    refused = command(*words)
    assert refused.code == ExitCode.USAGE
    allowed = ".csv, .tsv, .jsonl, .parquet"
    assert allowed in refused.error
    assert "or .xlsx" in refused.error or "parquet, .xlsx, got" in refused.error
    assert "xlsx, .ris" not in refused.error
    assert not Path("t.labels.db").exists()


def test_papers_go_back_into_their_own_format_only(command: Any, tmp_path: Path) -> None:
    papers = tmp_path / "p.ris"
    papers.write_text("".join(f"TY  - JOUR\nTI  - T{i}\nC1  - {i % 2}\nER  - \n" for i in range(9)))
    words = ("discover", papers, "--oracle", "C1", "--max-labels", 6)
    words += ("--labels", tmp_path / "l.db", "--export")
    refused = command(*words, tmp_path / "out.bib")
    assert refused.code == ExitCode.USAGE
    assert "can be written from a .bib file only" in refused.error
    assert (
        ".tsv, .jsonl, .parquet, .xlsx, .ris, got 'out.txt'"
        in command(*words, tmp_path / "out.txt").error
    )
    assert command(*words, tmp_path / "out.ris").code == ExitCode.OK


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet", ".xlsx"])
def test_labels_are_exported_with_every_ending(command: Any, table: Path, ending: str) -> None:
    out = Path(f"l{ending}")
    done = command("discover", table, "--oracle", "kind", "--max-labels", 20, "--export", out)
    assert done.code == ExitCode.OK, done.err
    labels = command("labels", "import", table, out, "--labels", "other.db", "--id-column", "row")
    assert labels.code == ExitCode.OK, labels.err
    if ending == ".tsv":
        assert out.read_text().splitlines()[0] == "row\tlabel"


def test_a_report_is_a_page(command: Any, table: Path) -> None:
    Path("out.bib").write_text("@misc{a, title={A}}\n")
    words = ("discover", table, "--oracle", "kind", "--max-labels", 20, "--report")
    refused = command(*words, "out.bib")
    assert refused.code == ExitCode.USAGE
    assert "a report is a page in HTML, got 'out.bib'" in refused.error
    assert Path("out.bib").read_text().startswith("@misc")
    assert command(*words, "out.HTM").code == ExitCode.OK
