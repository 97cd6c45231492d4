"""Earlier answers in the terminal: each in one line, and the latest in sight."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from rich.cells import cell_len

from rarebit.cli import _annotator
from rarebit.cli._earlier import change_earlier
from rarebit.projects import Project, Settings

WORDS = "a payment whose description goes on and on, far beyond any terminal 不正な取引 "


class Lines:
    """Lines that somebody types."""

    def line(self, prompt: str) -> str:
        return ""


@pytest.mark.parametrize(("width", "height"), [(80, 24), (60, 12), (100, 40)])
@pytest.mark.parametrize("long", ["", "-with-a-very-long-name" * 6])
def test_entries_are_one_line_each_and_fit_the_terminal(
    width: int,
    height: int,
    long: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("LINES", str(height))
    n = 50
    columns = {
        "id": [f"p{i:05}{long}" for i in range(n)],
        "words": [f"{WORDS * 2} {i}" for i in range(n)],
        "amount": [float(i) for i in range(n)],
    }
    pl.DataFrame(columns).write_csv("pay.csv")
    person = _annotator.TerminalAnnotator(Lines())  # type: ignore[arg-type]
    known = {f"p{i:05}{long}": "fraud" if i % 2 else "ok" for i in range(n - 3)}
    settings = Settings(reading={"id": "id"}, known=known)
    with Project.open(Path("pay.csv"), settings=settings) as project:
        capsys.readouterr()
        change_earlier(project, person, ["ok", "fraud"])
    lines = capsys.readouterr().err.splitlines()
    assert max(map(cell_len, lines)) <= width
    assert len(lines) < height  # and the line to type in
    entries = [line for line in lines if line.strip()[:1].isdigit()][:-1]
    assert len(entries) == height - (4 if width > 60 else 6)  # the prompt takes three lines
    assert [line.split()[0] for line in entries[:2]] == ["1", "2"]
    assert all(" fraud " in f"{line} " or " ok " in f"{line} " for line in entries)
    assert f"the last {len(entries)} are shown" in lines[-1]
