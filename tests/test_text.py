"""Text from files: made visible for terminals, and kept from running in spreadsheets."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarebit._formulas import guarded, guarded_frame, is_active, restored, restored_cells
from rarebit._text import visible, visible_json
from rarebit.tables import scan_table

BIDI = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
WORDS = ["Größe", "文字", "می\u200cخواهم", "👩\u200d🔬", "a\u00a0b", "C:\\new"]
FORMULAS = ["=1+1", "+cmd", "-cmd", "@SUM(A1)", "\t=1", "\r=1", "-1+1", "+1\n"]
TEXT = st.text(st.one_of(st.characters(), st.sampled_from("'=+-@\t\r\n\x1b\u202e1.e")), max_size=12)
# What a file can hold: no halves of characters.
UNICODE = TEXT.map(lambda text: text.encode("utf-8", "replace").decode())


@given(TEXT)
def test_visible_text_holds_nothing_that_steers(text: str) -> None:
    shown = visible(text)
    assert not any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in shown)
    assert not set(shown) & set(
        "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )
    assert visible(shown) == shown
    assert visible(text, lines=True).count("\n") == text.count("\n")


@given(TEXT)
def test_visible_json_is_the_same_value(text: str) -> None:
    shown = visible_json(json.dumps({text: text}, ensure_ascii=False))
    assert json.loads(shown) == {text: text}
    assert visible(shown) == shown


@pytest.mark.parametrize("text", WORDS)
def test_what_people_write_stays(text: str) -> None:
    assert visible(text) == text


@given(TEXT)
def test_guarded_cells_are_restored(cell: str) -> None:
    assert restored(guarded(cell)) == cell
    assert not is_active(guarded(cell)) or guarded(cell).startswith("'")


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers())
def test_numbers_stay(number: float) -> None:
    for text in (str(number), f"+{abs(number)}", f"-{abs(number)}", f"{number:.3e}"):
        assert guarded(text) == text


@pytest.mark.parametrize("cell", FORMULAS)
def test_formulas_get_an_apostrophe(cell: str) -> None:
    assert guarded(cell) == "'" + cell


@given(st.lists(UNICODE, min_size=1, max_size=8), UNICODE)
def test_frames_follow_the_same_rule(cells: list[str], name: str) -> None:
    frame = pl.DataFrame({name: cells, f"{name}.number": range(len(cells))})
    written = guarded_frame(frame)
    assert written[:, 0].to_list() == [guarded(cell) for cell in cells]
    assert restored_cells(written.lazy()).collect()[:, 0].to_list() == cells


def test_a_file_comes_back_as_it_was(tmp_path: Path) -> None:
    cells = ["=1", "'=1", "''=1", "'tis", "-1.5x", "@a", "+b", "-", "plain", "'-1.5"]
    frame = pl.DataFrame({"=id": cells, "'=id": cells, "value": range(len(cells))})
    path = tmp_path / "rows.csv"
    guarded_frame(frame).write_csv(path)
    table = scan_table(path, id="=id", target="'=id").read()
    assert table.ids.tolist() == cells
    assert table.target.tolist() == cells
