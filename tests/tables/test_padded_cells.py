"""Cells that a bank or a mainframe has filled with blanks to a fixed width."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.tables import TableEncoder, TableError, as_table, look, read_table, scan_table
from rarebit.tables._frame_scan import FrameScan
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


NUMBERS = {
    "plain": [f"{i * 7 % 23}.5" for i in range(60)],
    "whole": [str(i * 5 % 31) for i in range(60)],
    "money": [f"€{i * 3 % 17}.25" for i in range(60)],
    "day": [f"{i % 28 + 1:02d}.{i % 12 + 1:02d}.2024" for i in range(60)],
    "clock": [f"{i % 24:02d}:{i * 7 % 60:02d}" for i in range(60)],
    "share": [f"{i * 3 % 17}.5%" for i in range(60)],
}


@pytest.mark.parametrize("blanks", [" ", " " * 200, "\t", "\xa0"])
@pytest.mark.parametrize("sides", ["left", "right", "both"])
@pytest.mark.parametrize("n_padded", [1, 60])
@pytest.mark.parametrize("suffix", [".csv", ".parquet", "frame", "pandas"])
def test_a_model_reads_numbers_and_dates_with_blanks_around_them(
    tmp_path: Path, suffix: str, n_padded: int, sides: str, blanks: str
) -> None:
    path = tmp_path / "train.csv"
    pl.DataFrame(NUMBERS).write_csv(path)
    learned = TableEncoder().fit(read_table(path))
    known = {"schema": learned.schema_, "forms": learned.forms_}
    bare = read_table(path, **known)
    before, after = blanks * (sides != "right"), blanks * (sides != "left")
    rows = pl.DataFrame(
        {
            name: [f"{before}{c}{after}" if i < n_padded else c for i, c in enumerate(cells)]
            for name, cells in NUMBERS.items()
        }
    )
    path = tmp_path / f"rows{suffix}"
    if suffix == ".csv":
        rows.write_csv(path)
        found = read_table(path, **known)
    elif suffix == ".parquet":
        rows.write_parquet(path)
        found = read_table(path, **known)
    else:
        found = as_table(rows if suffix == "frame" else rows.to_pandas(), **known)
    assert np.array_equal(found.numbers, bare.numbers)
    assert found.records.equals(bare.records)


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_padding_beside_other_marks_and_words_is_read_or_refused_as_without(
    tmp_path: Path, delimiter: str
) -> None:
    train, path = tmp_path / "train.csv", tmp_path / "rows.csv"
    mark = "," if delimiter == ";" else "."
    lines = [f"{i * 7 % 23}{mark}5{delimiter}{i % 7}{mark}25" for i in range(60)]
    train.write_text("\n".join([f"a{delimiter}b", *lines]))
    learned = TableEncoder().fit(read_table(train))
    known = {"schema": learned.schema_, "forms": learned.forms_}
    words = [f"1{mark}5 {delimiter} 0{mark}25 ", f" unknown {delimiter}  ", f"{delimiter}n/a "]
    path.write_text("\n".join([f"a{delimiter}b", *words]))
    table = read_table(path, **known)
    assert np.array_equal(table.numbers[0], [1.5, 0.25])
    assert np.isnan(table.numbers[1:]).all()
    path.write_text(
        "\n".join([f"a{delimiter}b", f"1{mark}5 {delimiter}0{mark}25", f"1 kg {delimiter}1"])
    )
    with pytest.raises(TableError, match="'1 kg'"):
        read_table(path, **known)


def test_many_padded_columns_are_read_in_few_passes(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    names = [f"c{j}" for j in range(300)]
    path.write_text("\n".join([",".join(names), *[",".join([f"{i}.5 "] * 300) for i in range(60)]]))
    scan = scan_table(path, schema=dict.fromkeys(names, "number"), forms={})
    assert isinstance(scan, FrameScan)
    opened, inner = [], scan.open_frame

    def open_frame(types: dict[str, object]) -> pl.LazyFrame:
        opened.append(len(types))
        return inner(types)

    scan.open_frame = open_frame
    assert np.array_equal(scan.read().numbers, np.repeat(np.arange(60)[:, None] + 0.5, 300, axis=1))
    assert len(opened) <= 4
