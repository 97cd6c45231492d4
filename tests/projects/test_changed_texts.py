"""Labels of papers whose texts have all changed."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from rarebit import Project
from rarebit.projects.stores import OtherDataError


@pytest.mark.parametrize("ending", [".csv", ".ris"])
def test_nobody_is_told_to_leave_out_the_texts_that_are_judged(tmp_path: Path, ending: str) -> None:
    file, store = tmp_path / f"papers{ending}", tmp_path / "papers.db"

    def write(about: str) -> None:
        rows = [(f"k{i}", f"Study {i} of mice", f"{about} cells {i % 7}") for i in range(20)]
        pl.DataFrame(rows, ["key", "title", "abstract"], orient="row").write_csv(file)
        if ending == ".ris":
            lines = "TY  - JOUR\nAN  - {}\nTI  - {}\nAB  - {}\nER  - \n"
            file.write_text("".join(lines.format(*row) for row in rows))

    reading = {"id": "key", "text": ["title", "abstract"]}
    write("about")
    with Project.open(file, store=store, settings={"reading": reading}) as project:
        for row in range(4):
            project.correct(row, "ok" if row else "rare")
    write("concerning")
    with pytest.raises(OtherDataError, match="other cells in column 'abstract' now") as refused:
        Project.open(file, store=store, settings={"reading": reading})
    assert "no label can be kept: export the labels with the data as they" in str(refused.value)
    assert "--drop" not in str(refused.value)
