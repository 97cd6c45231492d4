"""Lists of alarms: every column of the file, in its order, with the cells of the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit.cli import ExitCode


def write_payments(path: Path, seed: int, first: int) -> None:
    """A German export: customers with zeros before them, times, days, money."""
    rng = np.random.default_rng(seed)
    lines = ["row;customer;day;time;amount;note;kind"]
    for i in range(400):
        fraud = rng.random() < 0.06
        amount = f"{rng.normal(900 if fraud else 100, 20):.2f}".replace(".", ",")
        hour = 3 if fraud else int(rng.integers(8, 20))
        day, note = f"{1 + i % 28:02d}.10.2026", '"a; b"' if i % 3 else ""
        cells = [first + i, f"{rng.integers(0, 90):05d}", day, f"{hour:02d}:30", f"{amount} €"]
        lines.append(";".join(map(str, [*cells, note, "fraud" if fraud else "ok"])))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from rarebit.cli import main

    place = tmp_path_factory.mktemp("payments")
    write_payments(place / "september.csv", 0, 1000)
    write_payments(place / "october.csv", 1, 7000)
    words = ["fit", place / "september.csv", "-t", "kind", "--id", "row", "-m", "kernel", "-q"]
    words += ["--group", "customer", "-o", place / "m.rarebit"]
    assert main([str(word) for word in words]) == ExitCode.OK
    return place


def test_alarms_have_all_columns_with_the_cells_of_the_file(command: Any, folder: Path) -> None:
    done = command("predict", folder / "m.rarebit", folder / "october.csv", "--top", "3", "--json")
    rows = done.json["predictions"]
    # The id is that of the file, though its column is called as rows without one are.
    assert all(7000 <= row["row"] < 7400 for row in rows)
    assert list(rows[0])[:3] == ["row", "predicted", "score"]
    assert list(rows[0])[3:] == ["customer", "day", "time", "amount", "note", "kind"]
    for row in rows:
        assert row["kind"] == "fraud"
        assert len(row["customer"]) == 5  # text, although the model does not use it
        assert row["day"].endswith(".10.2026")
        assert row["time"] == "03:30"
        assert row["amount"].endswith(" €")
        assert float(row["amount"].removesuffix(" €").replace(",", ".")) > 700
    told = command("predict", folder / "m.rarebit", folder / "october.csv", "--top", "1")
    n_rows = len((folder / "october.csv").read_text(encoding="utf-8").splitlines()) - 1
    assert f"1 of {n_rows:,} written, the highest scores." in told.err
    text = told.out
    assert text.splitlines()[0] == "row,predicted,score,customer,day,time,amount,note,kind"
    assert ",03:30," in text
    lines = (folder / "october.csv").read_text(encoding="utf-8").splitlines()
    sold = {line.split(";")[0]: line.split(";")[4] for line in lines}
    row = text.splitlines()[1]
    assert f',"{sold[row.split(",")[0]]}",' in row


def test_a_file_whose_lines_end_early_is_told(command: Any, folder: Path) -> None:
    lines = (folder / "october.csv").read_text(encoding="utf-8").splitlines()
    lines[5] = ";".join(lines[5].split(";")[:5])
    cut = folder / "cut.csv"
    cut.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = command("predict", folder / "m.rarebit", cut, "--top", "1")
    assert "A line of cut.csv ends before the last column" in done.err
    assert "line 6." in done.err


def test_numbers_that_are_whole_in_the_first_rows_only(command: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    n = 21_000  # more than one batch
    x = np.arange(n) % 7 + np.where(np.arange(n) > 20_500, 0.5, 0.0)
    rare = rng.random(n) < 0.02
    frame = pl.DataFrame({"x": x, "z": rng.normal(size=n) + 4 * rare, "y": rare.astype(int)})
    frame.head(600).write_csv(tmp_path / "train.csv")
    frame.write_csv(tmp_path / "all.csv")
    model = tmp_path / "m.rarebit"
    words = ["-t", "y", "-m", "kernel", "--no-validation", "-o", model]
    assert command("fit", tmp_path / "train.csv", *words).code == ExitCode.OK
    out = tmp_path / "judged.parquet"
    done = command("predict", model, tmp_path / "all.csv", "--columns", "-o", out)
    assert done.code == ExitCode.OK, done.err
    np.testing.assert_array_equal(pl.read_parquet(out)["x"].to_numpy(), x)


@pytest.mark.parametrize("has_id", [True, False])
def test_files_of_text_alone_have_lists_too(command: Any, tmp_path: Path, has_id: bool) -> None:
    said = ["stolen card, call the police now please"] * 6 + ["thanks, it all came on time"] * 30
    rows = pl.DataFrame({"letter": [f"{text} {i}" for i, text in enumerate(said)],
                         "class": ["theft"] * 6 + ["fine"] * 30})  # fmt: skip
    names = ["--id", "number"] if has_id else []
    if has_id:
        rows = rows.with_columns(pl.Series("number", [f"L{i}" for i in range(36)]))
    rows.write_csv(tmp_path / "letters.csv")
    rows.drop("class").write_csv(tmp_path / "new.csv")
    model = tmp_path / "m.rarebit"
    command("fit", tmp_path / "letters.csv", "-t", "class", "--text", "letter", *names, "-m",
            "kernel", "-o", model)  # fmt: skip
    done = command("predict", model, tmp_path / "new.csv", "--top", "3", "--json")
    assert [row["predicted"] for row in done.json["predictions"]] == ["theft"] * 3
    assert all("stolen card" in row["letter"] for row in done.json["predictions"])
