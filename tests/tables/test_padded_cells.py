"""Cells that a bank or a mainframe has filled with blanks to a fixed width."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.tables import TableEncoder, as_table, look, read_table
from rarebit.tables._header import has_header

MEMOS = ["rent", "", "salary", "rent", "N/A", "tax"]
PADDED = [memo.ljust(60) for memo in MEMOS]


def frame_of(memos: list[str]) -> pl.DataFrame:
    rows = range(60)
    return pl.DataFrame(
        {
            "amount": [f"{i * 7 % 23}.5".rjust(12) for i in rows],
            "memo": [memos[i % len(memos)] for i in rows],
            "kind": [("usual" if i % 9 else "rare").ljust(20) for i in rows],
        }
    )


@pytest.mark.parametrize("blanks", [" " * 60, "\t" * 60, "\xa0" * 60, " " * 20_000])
def test_first_lines_beside_cells_of_blanks_are_told_in_no_time(blanks: str) -> None:
    lines = [["payment", "memo"], *([str(i), blanks] for i in range(99))]
    assert has_header(lines)
    lines = [["$5.00", f"EUR{blanks}"], *([f"${i}.00", f"{blanks}x"] for i in range(99))]
    assert not has_header(lines)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".jsonl", "frame"])
def test_padding_is_no_part_of_a_category_and_blanks_are_missing(
    tmp_path: Path, suffix: str
) -> None:
    frame, path = frame_of(PADDED), tmp_path / f"rows{suffix}"
    if suffix == "frame":
        table = as_table(frame, target="kind")
    else:
        write = {".csv": frame.write_csv, ".parquet": frame.write_parquet}
        write.get(suffix, frame.write_ndjson)(path)
        table = read_table(path, target="kind")
    cells = table.records["memo"]
    assert set(cells.drop_nulls()) == {"rent", "salary", "tax"}
    assert cells.null_count() == 20
    bare = as_table(frame_of(MEMOS), target="kind")
    assert np.array_equal(TableEncoder().fit_transform(table), TableEncoder().fit_transform(bare))
    seen = {column.name: column for column in look(table).columns}
    assert (seen["memo"].missing, seen["memo"].distinct) == (20, 3)
    if suffix != "frame":  # people see the row as the file has it
        assert table.written_cells([0])["memo"].item() == PADDED[0]


def test_a_model_that_learned_padded_categories_knows_them_still() -> None:
    padded, bare = frame_of(PADDED), frame_of(MEMOS)
    encoder = TableEncoder().fit(as_table(bare, target="kind"))
    part = encoder.records_.parts_["memo"]
    expected = encoder.transform(as_table(bare, target="kind"))
    # As versions that kept blanks learned them.
    order = part.categories_[0].tolist()
    part.categories_ = [
        np.array([c.ljust(60) if c != "(missing)" else " " * 60 for c in order], dtype=object)
    ]
    for frame in (padded, bare):
        table = as_table(frame, target="kind")
        assert np.array_equal(encoder.transform(table), expected)
        assert not encoder.unknown_categories(table)


def test_very_many_columns_are_told_in_no_time() -> None:
    names = [f"c{j}" for j in range(100_000)]
    assert has_header([names, ["1"] * len(names), ["2"] * len(names)])
    assert has_header([names, ["x"] * len(names), ["$2.50"] * len(names)])
