"""A few words for missing cells do not make a text of numbers and dates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.cli import main
from rarebit.models import save_model, train_model
from rarebit.tables import TableEncoder, TableError, as_table, look, read_table

N = 300
CELLS = {
    "money": [f"€ {1 + j % 9}.{100 + j:03},{j % 100:02}" for j in range(N)],
    "percent": [f"{j % 97}%" for j in range(N)],
    "number": [f"{j / 7:.3f}" for j in range(N)],
    "date": [f"{1 + j % 28:02}.{1 + j % 12:02}.2025" for j in range(N)],
    "time": [f"{j % 24:02}:{j % 60:02}" for j in range(N)],
}


def write(path: Path, cells: list[str], name: str = "Betrag") -> Path:
    lines = [f"{cell};{(7 * j) % 31};{'ab'[j % 2]}" for j, cell in enumerate(cells)]
    path.write_text("\n".join([f"{name};n;c", *lines]) + "\n", encoding="utf-8")
    return path


def values_of(table: object) -> list[object]:
    if "Betrag" in table.number_names:  # type: ignore[attr-defined]
        column = list(table.number_names).index("Betrag")  # type: ignore[attr-defined]
        found = table.numbers[:, column]  # type: ignore[attr-defined]
        return [None if np.isnan(each) else each for each in found]
    return list(table.records["Betrag"].to_list())  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", list(CELLS))
@pytest.mark.parametrize(
    "words",
    [["unknown"], ["None", "missing"], ["k.A.", "Unbekannt "], ["tbd", "-", "keine Angabe"]],
)
def test_a_column_keeps_its_kind(tmp_path: Path, kind: str, words: list[str]) -> None:
    cells = list(CELLS[kind])
    for j, word in enumerate(words):
        cells[40 + j] = cells[250 + j] = word
    table = read_table(write(tmp_path / "a.csv", cells))
    assert kind == "number" or table.forms["Betrag"].kind == kind
    values = values_of(table)
    places = [40 + j for j in range(len(words))] + [250 + j for j in range(len(words))]
    assert [j for j, each in enumerate(values) if each is None] == places
    own = values_of(read_table(write(tmp_path / "b.csv", CELLS[kind])))
    assert [each for j, each in enumerate(own) if j not in places] == [
        each for each in values if each is not None
    ]


def test_notes_and_look_say_so(tmp_path: Path) -> None:
    cells = list(CELLS["money"])
    cells[3] = cells[9] = cells[200] = "unknown"
    table = read_table(write(tmp_path / "a.csv", cells))
    assert (
        "Words for missing cells among numbers and dates count as missing: 3 in Betrag "
        "('unknown'); --as COLUMN=category takes a column as words."
    ) in table.notes
    column = look(table).columns[0]
    assert column.kind == (
        "money, €, decimal comma, thousands as in 1.234, 'unknown' counts as missing (3 cells)"
    )
    assert column.used
    assert column.missing == 3
    words = read_table(tmp_path / "a.csv", columns={"Betrag": "category"})
    assert "Betrag" in words.records.columns


def test_many_such_words_are_words(tmp_path: Path) -> None:
    cells = list(CELLS["number"])
    cells[::10] = ["none"] * 30
    assert "Betrag" in read_table(write(tmp_path / "a.csv", cells)).records.columns


@pytest.mark.parametrize("values", [["DE", "unknown", "SE"], ["01067", "unknown", "99084"]])
def test_among_words_and_codes_they_are_words(tmp_path: Path, values: list[str]) -> None:
    cells = [values[j % 3 if j % 50 == 0 else 2 * (j % 2)] for j in range(N)]
    cells[1] = "unknown"
    records = read_table(write(tmp_path / "a.csv", cells)).records
    assert "unknown" in records["Betrag"].to_list()


@pytest.mark.parametrize("kind", ["money", "number"])
def test_a_word_far_down_is_missing_too(tmp_path: Path, kind: str) -> None:
    cells = CELLS[kind] * 50
    cells[14_000] = "unknown"
    table = read_table(write(tmp_path / "a.csv", cells))
    assert values_of(table)[14_000] is None
    assert "1 in Betrag ('unknown')" in " ".join(table.notes)


@pytest.mark.parametrize("place", [3, 14_000])
@pytest.mark.parametrize("kind", ["money", "number", "date"])
@pytest.mark.parametrize("trained", ["with", "without"])
def test_a_model_follows_the_same_rule(tmp_path: Path, kind: str, place: int, trained: str) -> None:
    cells = list(CELLS[kind])
    cells[7] = "missing" if trained == "with" else cells[7]
    encoder = TableEncoder().fit(read_table(write(tmp_path / "a.csv", cells)))
    forms = encoder.forms_
    new = CELLS[kind] * 50
    new[place] = "unknown"
    path = write(tmp_path / "new.csv", new)
    table = read_table(path, schema=encoder.schema_, forms=forms)
    assert [j for j, each in enumerate(values_of(table)) if each is None] == [place]
    assert table.n_rows == len(new)
    assert "1 in Betrag ('unknown')" in " ".join(table.notes)
    new[place + 5] = "see note"
    with pytest.raises(TableError, match="see note"):
        read_table(write(path, new), schema=encoder.schema_, forms=forms)


def test_frames_follow_the_same_rule() -> None:
    cells = list(CELLS["money"])
    cells[5] = "Unknown"
    table = as_table(pl.DataFrame({"Betrag": cells, "n": range(N)}))
    assert table.number_names[0] == "Betrag"
    assert "1 in Betrag ('Unknown')" in " ".join(table.notes)


def test_predictions_are_written_for_all_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    risk = np.random.default_rng(0).normal(size=N)
    frame = pl.DataFrame({"risk": risk, "hour": np.arange(N) % 24, "class": risk > 1.5})
    frame = frame.with_columns(pl.col("risk") + pl.Series(np.random.default_rng(1).normal(size=N)))
    model = train_model(frame, target="class", method="kernel", validate=False)
    save_model(model, tmp_path / "m.rarebit")
    rows = [f"{j / 1000:.3f},{j % 24}" for j in range(12_000)]
    rows[11_500] = "unknown,3"
    (tmp_path / "new.csv").write_text("\n".join(["risk,hour", *rows]) + "\n")
    out = tmp_path / "out.csv"
    command = ["predict", str(tmp_path / "m.rarebit"), str(tmp_path / "new.csv"), "--columns"]
    assert main([*command, "--out", str(out)]) == 0
    assert "1 in risk ('unknown')" in " ".join(capsys.readouterr().err.split())
    written = pl.read_csv(out, infer_schema=False)
    assert written["row"].to_list() == [str(j) for j in range(12_000)]
    assert written["risk"].to_list() == [row.partition(",")[0] for row in rows]


def test_a_stray_word_among_money_further_down_offers_money(tmp_path: Path) -> None:
    cells = CELLS["money"] * 50
    cells[14_000] = "see note"
    notes = " ".join(read_table(write(tmp_path / "a.csv", cells)).notes)
    assert "--as Betrag=money reads it as money, such cells missing" in notes
