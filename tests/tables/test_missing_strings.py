"""Strings that stand for missing cells mean the same in files and in frames."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.models import train_model
from rarebit.tables import TableEncoder, as_table, read_table

COUNTRIES = ["DE", "FR", "N/A", "", "NA", "DE"] * 20


def rows() -> pl.DataFrame:
    return pl.DataFrame({"country": COUNTRIES, "hour": np.arange(120) * 7.5 % 24})


@pytest.mark.parametrize("kind", ["polars", "categorical", "pandas", "pandas category", "arrow"])
def test_a_frame_has_the_features_of_its_file(tmp_path: Path, kind: str) -> None:
    frame = rows()
    frame.write_csv(tmp_path / "rows.csv")
    given = {
        "polars": lambda: frame,
        "categorical": lambda: frame.with_columns(pl.col("country").cast(pl.Categorical)),
        "pandas": frame.to_pandas,
        "pandas category": lambda: frame.to_pandas().astype({"country": "category"}),
        "arrow": frame.to_arrow,
    }[kind]()
    table = as_table(given)
    assert table.records["country"].null_count() == 60
    told = [note for note in table.notes if "stand for missing cells" in note]
    assert told == [
        "Strings that stand for missing cells count as missing, as in files: 60 in country ('N/A')."
    ]
    file = read_table(tmp_path / "rows.csv")
    encoder = TableEncoder().fit(file)
    np.testing.assert_array_equal(encoder.transform(table), encoder.transform(file))


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_files_with_types_follow_the_same_rule(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"rows.{ending}"
    if ending == "parquet":
        rows().write_parquet(path)
    else:
        rows().write_ndjson(path)
    assert read_table(path).records["country"].null_count() == 60


def test_a_frame_keeps_its_fingerprint_cell_by_cell() -> None:
    frame = rows()
    other = frame.with_columns(pl.col("country").replace("N/A", "NA"))
    assert as_table(frame).fingerprint != as_table(other).fingerprint


def test_an_empty_string_of_json_lines_is_a_missing_number(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    risk = random.normal(size=200)
    frame = pl.DataFrame({"risk": risk, "hour": random.normal(size=200), "class": risk > 1.2})
    model = train_model(frame, target="class", method="kernel", validate=False)
    new = [{"risk": "", "hour": 1.0}, {"risk": 2.5, "hour": 0.5}, {"risk": None, "hour": 1.0}]
    path = tmp_path / "new.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in new))
    table = read_table(path, schema=model.encoder.schema_, forms=model.encoder.forms_)
    assert np.isnan(table.numbers[:, 0]).tolist() == [True, False, True]
    scores = model.minority_score(table)
    assert scores[0] == scores[2] != scores[1]
