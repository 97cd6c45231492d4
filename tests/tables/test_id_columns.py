"""Whole numbers that name the rows are ids, also when one of them is there twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.cli import main
from rarebit.tables import (
    Table,
    TableEncoder,
    as_table,
    find_possible_ids,
    look,
    read_table,
)

NEARLY = "nearly every row has its own number"


def ids_with_a_gap(n: int = 300) -> np.ndarray:
    """Return different whole numbers that do not follow each other, one of them twice."""
    numbers = 500_000 + 7 * np.arange(n)
    numbers[n // 2] = numbers[3]
    return numbers


@pytest.mark.parametrize(
    "name",
    ["Transaction ID", "order_id", "customerId", "id_order", "Invoice Number", "Belegnummer", "Nr"],
)
def test_an_id_with_a_doubled_number_is_no_feature(name: str, rng: np.random.Generator) -> None:
    encoder = TableEncoder().fit(as_table({name: ids_with_a_gap(), "x": rng.normal(size=300)}))
    assert encoder.dropped_ == {name: NEARLY}
    assert encoder.schema_ == {"x": "number"}


def test_an_id_may_be_missing_here_and_there(rng: np.random.Generator) -> None:
    ids = [None, *ids_with_a_gap(299).tolist()]
    encoder = TableEncoder().fit(as_table({"order_id": ids, "x": rng.normal(size=300)}))
    assert encoder.dropped_ == {"order_id": NEARLY}


def test_a_count_with_gaps_is_an_id_whatever_its_name(rng: np.random.Generator) -> None:
    payment = np.delete(np.arange(1003), [5, 60, 900])
    payment[17] = payment[16]
    columns = {"payment": rng.permutation(payment), "x": rng.normal(size=1000)}
    assert TableEncoder().fit(as_table(columns)).dropped_ == {"payment": NEARLY}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("price", 500_000 + 7 * np.arange(300)),  # different numbers, but no name of an id
        ("customer_id", np.arange(300) // 4),  # rows of one customer
        ("paid", np.arange(300)),  # a word that only ends like one
        ("reading_no", np.arange(300) + 0.5),
    ],
)
def test_other_numbers_stay(name: str, values: np.ndarray, rng: np.random.Generator) -> None:
    if name == "paid":
        values = values * 3
    encoder = TableEncoder().fit(as_table({name: values, "x": rng.normal(size=300)}))
    assert name in encoder.schema_


def test_look_and_fit_say_so_and_as_keeps_it(
    tmp_path: Path, rng: np.random.Generator, capsys: pytest.CaptureFixture[str]
) -> None:
    kind = np.where(np.arange(300) % 10 == 0, "fraud", "ok")
    file = tmp_path / "a.csv"
    pl.DataFrame(
        {"Transaction ID": ids_with_a_gap(), "x": rng.normal(size=300), "kind": kind}
    ).write_csv(file)
    column = look(read_table(file, target="kind")).columns[0]
    assert not column.used
    assert (
        column.remark == f"{NEARLY} and is left out as an id; --as 'Transaction ID=number' keeps it"
    )
    command = ["fit", str(file), "--target", "kind", "--method", "kernel"]
    assert main([*command, "--out", str(tmp_path / "a.rarebit")]) == 0
    told = capsys.readouterr().err
    assert f"Transaction ID ({NEARLY})" in told
    assert "--as 'Transaction ID=number' keeps" in told
    given = read_table(file, target="kind", columns={"Transaction ID": "number"})
    assert look(given).columns[0].used


def own_numbers(n: int, how: str, rng: np.random.Generator) -> np.ndarray:
    if how == "random":
        return rng.choice(899_999_999, n, replace=False) + 100_000_000
    if how == "sorted":
        return np.sort(own_numbers(n, "random", rng))
    return np.cumsum(rng.integers(1, 5, n))


@pytest.mark.parametrize(("how", "n"), [("random", 300), ("sorted", 300), ("gaps", 5200)])
def test_numbers_that_may_be_ids_are_told_and_learned(
    how: str, n: int, rng: np.random.Generator
) -> None:
    table = as_table({"ticket": own_numbers(n, how, rng), "x": rng.normal(size=n)})
    column = look(table).columns[0]
    assert column.used
    assert column.remark == (
        "every row has its own whole number: if it is an id, give --id ticket or --drop ticket"
    )
    assert (
        look(as_table(table_columns(table), columns={"ticket": "number"})).columns[0].remark == ""
    )


@pytest.mark.parametrize("how", ["random", "sorted", "gaps"])
@pytest.mark.parametrize("place", [150, 299])
def test_a_doubled_number_may_be_an_id_all_the_same(
    how: str, place: int, rng: np.random.Generator
) -> None:
    numbers = own_numbers(300, how, rng)
    numbers[place] = numbers[3]
    table = as_table({"ticket": numbers, "x": rng.normal(size=300)})
    assert look(table).columns[0].remark == (
        "nearly every row has its own whole number: if it is an id, give --drop ticket or "
        "--id ticket --duplicates first"
    )


def table_columns(table: Table) -> dict[str, np.ndarray]:
    return {name: table.numbers[:, j] for j, name in enumerate(table.number_names)}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("weight", np.random.default_rng(1).permutation(3 * np.arange(300))),  # short, no order
        ("code", np.arange(300) // 2 * 7),  # some rows share theirs
        ("minute", np.sort(np.random.default_rng(3).integers(0, 2000, 300))),  # a day of events
        ("salary", np.random.default_rng(4).integers(100_000, 104_000, 300)),  # too often the same
        ("ticket", 7.5 * np.arange(300)),
        ("ticket", 7 * np.arange(300) - 10),
    ],
)
def test_other_whole_numbers_have_no_remark(name: str, values: np.ndarray) -> None:
    x = np.random.default_rng(2).normal(size=300)
    assert find_possible_ids(as_table({name: values, "x": x})) == {}
    assert find_possible_ids(as_table({"serial": np.array([7.0, 3.0, 5.0]), "x": x[:3]})) == {}


def test_fit_says_which_number_may_be_an_id(
    tmp_path: Path, rng: np.random.Generator, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.csv"
    kind = np.where(rng.permutation(300) % 10 == 0, "fraud", "ok")
    columns = {"ticket": own_numbers(300, "random", rng), "x": rng.normal(size=300)}
    pl.DataFrame({**columns, "kind": kind}).write_csv(file)
    command = ["fit", str(file), "--target", "kind", "--method", "kernel"]
    assert main([*command, "--out", str(tmp_path / "a.rarebit")]) == 0
    told = "ticket: every row has its own whole number: if it is an id, give --id ticket"
    assert told in capsys.readouterr().err
    assert main([*command, "--id", "ticket", "--out", str(tmp_path / "b.rarebit")]) == 0
    assert "its own whole number" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "name",
    ["PMID", "pubmed", "Covidence", "Covidence #", "UT (WoS)", "EID", "Accession", "refid"],
)
def test_keys_of_exported_papers_are_ids(name: str, rng: np.random.Generator) -> None:
    numbers = 30_000_000 + 7 * rng.permutation(300)
    encoder = TableEncoder().fit(as_table({name: numbers, "x": rng.normal(size=300)}))
    assert encoder.dropped_ == {name: "every row has its own number"}


@pytest.mark.parametrize("name", ["utility", "output", "eiderdown", "accessions", "column_1"])
def test_other_names_are_left_as_they_are(name: str, rng: np.random.Generator) -> None:
    numbers = 30_000_000 + 7 * rng.permutation(300)
    assert not TableEncoder().fit(as_table({name: numbers, "x": rng.normal(size=300)})).dropped_


@pytest.mark.parametrize(
    ("name", "mark", "step"), [("payment_id", ",", 1), ("Zahlungsnr", ".", 1), ("order_no", "'", 7)]
)
def test_marks_between_thousands_make_no_feature_of_an_id(
    tmp_path: Path, name: str, mark: str, step: int, rng: np.random.Generator
) -> None:
    numbers = [f"{1_000_000 + step * j:,}".replace(",", mark) for j in range(300)]
    file = tmp_path / "a.csv"
    pl.DataFrame({name: numbers, "x": rng.normal(size=300)}).write_csv(file, separator=";")
    encoder = TableEncoder().fit(read_table(file))
    assert encoder.dropped_ == {name: "every row has its own number"}
    remark = f"and is left out as an id; --as {name}=number keeps it"
    assert look(read_table(file)).columns[0].remark.endswith(remark)
    assert name in TableEncoder().fit(read_table(file, columns={name: "number"})).schema_


def test_marked_thousands_that_may_be_ids_are_told(rng: np.random.Generator) -> None:
    tickets = [f"{each:,}" for each in own_numbers(300, "random", rng)]
    table = as_table({"ticket": tickets, "x": rng.normal(size=300)})
    assert "ticket" in find_possible_ids(table)
    money = as_table({"ticket": [f"${each}" for each in tickets], "x": rng.normal(size=300)})
    assert find_possible_ids(money) == {}
    assert "ticket" in TableEncoder().fit(money).schema_


def shuffled_index(rng: np.random.Generator) -> np.ndarray:
    """Return the index of the rows that `train_test_split` keeps of more."""
    return rng.permutation(400)[:300]


@pytest.mark.parametrize("name", ["", " ", "Unnamed: 0", "Unnamed: 3", "Unnamed: 0.1"])
def test_numbers_without_a_name_that_differ_in_every_row_are_no_feature(
    name: str, rng: np.random.Generator
) -> None:
    table = as_table({name: shuffled_index(rng), "x": rng.normal(size=300)})
    assert TableEncoder().fit(table).dropped_ == {name: "every row has its own number"}
    (index, _) = look(table).columns
    assert not index.used
    assert "is left out as an id" in index.remark


def test_frames_of_all_kinds_keep_a_column_without_a_name(rng: np.random.Generator) -> None:
    frame = pl.DataFrame({"": shuffled_index(rng), "x": rng.normal(size=300)})
    for each in (frame, frame.to_pandas(), frame.to_arrow(), frame.to_dict(as_series=False)):
        assert TableEncoder().fit(as_table(each)).dropped_ == {"": "every row has its own number"}


def test_numbers_without_a_name_that_repeat_stay_features(rng: np.random.Generator) -> None:
    table = as_table({"": rng.integers(0, 90, 300), "x": rng.normal(size=300)})
    assert TableEncoder().fit(table).dropped_ == {}
