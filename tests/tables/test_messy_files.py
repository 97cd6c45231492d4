"""What is understood of ten messy files, column by column, and kept in encoders and models."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rarebit.models import load_model, save_model, train_model
from rarebit.tables import (
    ColumnsMismatchError,
    Form,
    Table,
    TableEncoder,
    TableError,
    as_table,
    find_leaks,
    look,
    read_table,
    scan_table,
)

from .messy import MAKERS, N_ROWS, Messy, make, us_payments

Maker = Callable[[random.Random], Messy]


def treatment(table: Table, encoder: TableEncoder, name: str) -> str:
    form = table.forms.get(name)
    if form is not None and form.kind not in ("category", "text"):
        return form.sentence().partition(";")[0]
    return encoder.records_.kinds_.get(name, "number")


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_every_column_is_understood(maker: Maker, tmp_path: Path) -> None:
    messy, path = make(maker, tmp_path)
    table = read_table(path, **messy.options)
    encoder = TableEncoder().fit(table)
    assert {name: treatment(table, encoder, name) for name in encoder.schema_} == messy.expected
    assert set(encoder.dropped_) == set(messy.dropped)
    shown = table.show(0).fields
    for name, value in messy.values.items():
        assert shown[name] == value, name
    for name, values in messy.whole.items():
        read = [table.show(row).fields[name] for row in range(N_ROWS)]
        assert read == pytest.approx(values) if isinstance(values[0], float) else read == values
    doubts = {name for name, form in table.forms.items() if form.doubt}
    assert doubts == set(messy.doubtful)
    told = " ".join(table.notes)
    assert all(f"{name}: " in told for name in messy.doubtful)
    found = look(table)
    assert found.n_rows == N_ROWS
    assert found.duplicates == messy.duplicates
    assert {c.name for c in found.columns if not c.used} == set(messy.dropped)
    X = encoder.transform(table)
    assert np.isfinite(X.data if encoder.sparse_ else X).all()


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_a_part_of_a_file_is_read_as_the_whole_was(maker: Maker, tmp_path: Path) -> None:
    messy, path = make(maker, tmp_path)
    table = read_table(path, **messy.options)
    encoder = TableEncoder().fit(table)
    again = read_table(path, schema=encoder.schema_, forms=encoder.forms_, drop=messy.dropped)
    expected, found = encoder.transform(table), encoder.transform(again)
    if encoder.sparse_:
        expected, found = expected.toarray(), found.toarray()
    np.testing.assert_array_equal(found, expected)


def test_forms_survive_in_a_model_file(tmp_path: Path) -> None:
    _, path = make(us_payments, tmp_path)
    table = read_table(path)
    paid = table.numbers[:, table.number_names.index("paid")]
    target = np.where(paid > 5000, "rare", "usual")
    model = train_model(replace(table, target=target, target_name="class"), method="kernel")
    save_model(model, tmp_path / "m.rarebit")
    loaded = load_model(tmp_path / "m.rarebit")
    assert loaded.encoder.forms_ == model.encoder.forms_
    assert "payment_id" in loaded.manifest["dropped"]
    part = next(
        scan_table(path, schema=loaded.encoder.schema_, forms=loaded.encoder.forms_).batches()
    )
    np.testing.assert_array_equal(loaded.judge(part)[0], model.judge(table)[0])


CONTRADICTIONS = [
    ("$ 1,234.50", "12/31/2024", "$ 1.234,50", "12/30/2024", "paid", "'$ 1.234,50'"),
    ("$ 1,234.50", "12/31/2024", "€ 12.50", "12/30/2024", "paid", "'€ 12.50'"),
    ("$ 1,234.50", "12/31/2024", "$ 12.50", "30/12/2024", "day", "'30/12/2024'"),
    ("$ 1,234.50", "12/31/2024", "$ 12.50", "2024-12-30", "day", "'2024-12-30'"),
    ("$ 1.234,50", "31/12/2024", "12.50", "30/12/2024", "paid", "'12.50'"),
]


@pytest.mark.parametrize(("paid", "day", "new_paid", "new_day", "column", "cell"), CONTRADICTIONS)
def test_a_file_in_another_format_is_refused(
    paid: str, day: str, new_paid: str, new_day: str, column: str, cell: str, tmp_path: Path
) -> None:
    (tmp_path / "old.csv").write_text(f"paid;day\n{paid};{day}\n{paid[:2]}7;{day}\n{paid};\n")
    encoder = TableEncoder().fit(read_table(tmp_path / "old.csv", columns={}))
    schema = {"paid": "number", "day": "date"}
    forms = {n: f.to_json() for n, f in read_table(tmp_path / "old.csv").forms.items()}
    assert "paid" in (encoder.forms_ or {})
    (tmp_path / "new.csv").write_text(f"paid;day\n{new_paid};{new_day}\n")
    with pytest.raises(TableError) as raised:
        read_table(tmp_path / "new.csv", schema=schema, forms=forms)  # type: ignore[arg-type]
    assert f"Column {column!r} of new.csv" in str(raised.value)
    assert cell in str(raised.value)
    assert str(raised.value).count("\n") == 0
    own = read_table(
        tmp_path / "new.csv",
        schema=schema,  # type: ignore[arg-type]
        forms=forms,
        columns={column: "date" if column == "day" else "number"},
    )
    assert own.n_rows == 1


def test_evidence_far_down_decides(tmp_path: Path) -> None:
    rows = ["01/02/2024,5"] * 12_000 + ["01/13/2024,5"]
    (tmp_path / "a.csv").write_text("day,x\n" + "\n".join(rows) + "\n")
    table = read_table(tmp_path / "a.csv")
    assert table.forms["day"].sentence() == "date, month first (12/31/2024)"
    assert not any("no cell tells" in note for note in table.notes)
    mixed = ["31/01/2024,5"] * 12_000 + ["01/13/2024,5"]
    (tmp_path / "b.csv").write_text("day,x\n" + "\n".join(mixed) + "\n")
    table = read_table(tmp_path / "b.csv")
    assert table.records["day"][0] == "31/01/2024"
    assert "is read as text because of '01/13/2024'" in " ".join(table.notes)


@pytest.mark.parametrize(
    ("cells", "value"),
    [
        ("€1.234,56", 1234.56),
        ("-€3.00", -3.0),
        ("(1,200)", -1200.0),
        ("1 234,5", 1234.5),
        ("12,5 %", 12.5),
        ("1,00,000.5", 100000.5),
        ("5.5-", -5.5),
        (" 7 ", 7.0),
        ("1,5E+03", 1500.0),
        ("R$ 2,50", 2.5),
        ("US$3.50", 3.5),
    ],
)
def test_single_cells(cells: str, value: float, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(f"x\ty\n{cells}\t1\n{cells}\t2\n")
    table = read_table(tmp_path / "a.tsv")
    assert table.number_names == ("x", "y")
    np.testing.assert_allclose(table.numbers[:, 0], value)


@pytest.mark.parametrize("cells", ["0042 A", "1.2.3", "10-20", "12A,13B", "A12", "(12", "3 m,4 km"])
def test_names_are_not_numbers(cells: str, tmp_path: Path) -> None:
    first, _, second = cells.partition(",")
    (tmp_path / "a.tsv").write_text(f"x\ty\n{first}\t1\n{second or first}\t2\n")
    assert read_table(tmp_path / "a.tsv").number_names == ("y",)


@pytest.mark.parametrize("cell", ["{}-{:02}", "{1:02}/{0}"])
def test_months_without_days_are_dates(cell: str, tmp_path: Path) -> None:
    cells = [cell.format(2023 + i // 12, 1 + i % 12) for i in range(24)]
    (tmp_path / "a.csv").write_text(
        "month,x\n" + "".join(f"{c},{i}\n" for i, c in enumerate(cells))
    )
    table = read_table(tmp_path / "a.csv")
    assert table.forms["month"].kind == "date"
    assert [f"{day:%Y-%m-%d}" for day in table.records["month"][:2]] == ["2023-01-01", "2023-02-01"]
    (tmp_path / "b.csv").write_text(f"month,x\n{cells[3]},1\n{cells[4]},2\n")
    like = read_table(tmp_path / "b.csv", forms=table.forms)
    assert not any("day or month" in note for note in like.notes)


def test_wishes_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\nred,1\nblue,2\n")
    with pytest.raises(TableError, match="said to be number, and no cell of it can be read so"):
        read_table(tmp_path / "a.csv", columns={"x": "number"})
    with pytest.raises(TableError, match="cannot be read as 'nonsense': say number, money"):
        read_table(tmp_path / "a.csv", columns={"x": "nonsense"})
    with pytest.raises(ColumnsMismatchError, match="has no column 'z'"):
        read_table(tmp_path / "a.csv", columns={"z": "number"})


@pytest.mark.parametrize(
    ("column", "wish", "told"),
    [
        ("day", "decimal-point", "date, day-first, month-first, category, text or drop, and is "
         "taken for date, day first (31/12/2024)"),
        ("amount", "decimal-point", "number, money, decimal-comma, category, text or drop, and is "
         "taken for money, €, decimal comma, thousands as in 1.234"),
        ("amount", "time", "number, money, decimal-comma, category, text or drop"),
        ("colour", "percent", "category, text or drop, and is taken for category"),
        ("n", "day-first", "number, category, text or drop, and is taken for number"),
    ],
)  # fmt: skip
def test_a_wish_that_does_not_fit_names_those_that_do(
    column: str, wish: str, told: str, tmp_path: Path
) -> None:
    lines = ["amount;day;colour;n", "€1.750,21;03/04/2026;red;3", "€12,50;14/04/2026;blue;4"]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(TableError) as refused:
        read_table(tmp_path / "a.csv", columns={column: wish})
    assert f"said to be {wish}, and no cell of it can be read so" in str(refused.value)
    assert f"It can be {told}" in str(refused.value)
    fitting = told.partition(", and is")[0].replace(" or ", ", ").split(", ")
    for each in fitting:
        read_table(tmp_path / "a.csv", columns={column: each})


def test_copies_have_the_same_id_in_every_figure(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    lines = [f"p{j},{j % 3},{'uv'[j % 2]}" for j in range(60)]
    path.write_text("\n".join(["id,x,y", *lines, lines[7]]) + "\n")
    assert look(read_table(path)).duplicates == 1
    for what, n_rows, gone in (("first", 60, "1 duplicate row"), ("drop", 59, "2 duplicate rows")):
        table = read_table(path, id="id", duplicates=what)
        assert table.n_rows == n_rows
        assert any(note.startswith(f"{gone} of a.csv ") for note in table.notes)
        assert look(table).duplicates == 0


def test_duplicates_go_where_they_are_not_wanted(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,x,y\na,1,u\nb,2,v\nc,1,u\na,5,w\n")
    assert read_table(path, drop=["id"], duplicates="keep").n_rows == 4
    assert read_table(path, drop=["id"], duplicates="first").n_rows == 3
    assert read_table(path, drop=["id"], duplicates="drop").n_rows == 2
    # A row with an id of its own is no copy, whatever its cells are.
    assert read_table(path, id="id", duplicates="first").ids.tolist() == ["a", "b", "c"]
    assert read_table(path, id="id", duplicates="drop").ids.tolist() == ["b", "c"]
    with pytest.raises(TableError, match="--duplicates first"):
        read_table(path, id="id")


def test_leaks_are_told(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rare = rng.random(400) < 0.1
    lines = [
        f"{rng.normal():.3f},{'closed' if r else 'open'},{'' if r else '5'},{'bad' if r else 'ok'}"
        for r in rare
    ]
    path = tmp_path / "a.csv"
    path.write_text("x,state,gap,class\n" + "\n".join(lines) + "\n")
    remarks = {c.name: c.remark for c in look(read_table(path, target="class")).columns}
    assert remarks["x"] == ""
    assert "tells the rarest class by itself" in remarks["state"]


def test_leaks_of_several_rare_classes_are_told(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    kind = rng.choice(["ok", "testing", "takeover"], 3000, p=[0.97, 0.018, 0.012])
    filled = (kind != "ok") & (rng.random(3000) < 0.9)
    lines = [
        f"{rng.normal():.3f},{'yes' if f else ''},{int(f)},{float(k == 'testing'):.1f},{k}"
        for k, f in zip(kind, filled, strict=True)
    ]
    path = tmp_path / "a.csv"
    path.write_text("x,chargeback,flag,asked,class\n" + "\n".join(lines) + "\n")
    table = read_table(path, target="class")
    remarks = {c.name: c.remark for c in look(table).columns}
    n = int(filled.sum())
    assert remarks["x"] == ""
    told = f"gives the class away ({n} of {n} such rows are not 'ok'): was it filled in afterwards?"
    assert told in remarks["chargeback"]
    assert remarks["flag"].startswith("'1' gives the class away")
    assert "tells 'testing' by itself (AUC 1.000)" in remarks["asked"]
    assert find_leaks(table) == {name: why for name, why in remarks.items() if why}


def test_a_leak_that_covers_most_of_the_class_is_told_before_a_strong_signal() -> None:
    rng = np.random.default_rng(0)
    rare = np.arange(4000) < 40
    filled = np.arange(4000) < 24
    table = as_table(
        {
            "amount": rng.normal(np.where(rare, 3.8, 0.0)),
            "age": rng.normal(size=4000),
            "case": np.where(filled, rng.integers(1, 1000, 4000).astype(float), np.nan),
            "closed": [f"2024-01-{1 + i % 28:02d}" if f else None for i, f in enumerate(filled)],
            "gap": [None if f else "x" for f in filled],
            "delay": np.where(rare & (np.arange(4000) < 37), 9.0, 0.0) + rng.random(4000),
            "kind": np.where(rare, "bad", "ok"),
        },
        target="kind",
    )
    leaks = find_leaks(table)
    assert list(leaks) == ["case", "delay", "closed", "gap", "amount"]
    n = int(filled.sum())
    told = f"has a value in {n} of 40 rows that are 'bad' and in no others: was it filled in"
    assert leaks["case"].startswith(told)
    assert leaks["closed"].startswith(told)
    assert leaks["gap"].startswith(f"is missing in {n} of 40 rows that are 'bad' and in no others")
    assert leaks["delay"].startswith("tells the rarest class by a threshold alone")
    assert leaks["amount"].startswith("ranks the rarest class apart from nearly all others (AUC 0.")
    assert "a strong signal, unless it was filled in afterwards" in leaks["amount"]


@pytest.mark.parametrize("n_labelled", [4000, 3000, 400])
def test_rows_without_a_class_do_not_hide_a_leak(n_labelled: int) -> None:
    rng = np.random.default_rng(3)
    rare = rng.random(4000) < 0.1
    filed = rare & (rng.random(4000) < 0.8)
    kind = np.where(rare, "fraud", "ok")
    kind[rng.permutation(4000)[n_labelled:]] = ""
    columns = {
        "amount": rng.normal(size=4000),
        "filed": [f"2024-01-{1 + i % 28:02d}" if f else None for i, f in enumerate(filed)],
        "fee": np.where(filed, rng.random(4000), np.nan),
        "state": np.where(rare, "closed", "open"),
    }
    table = as_table({**columns, "kind": kind}, target="kind")
    leaks = find_leaks(table)
    assert set(leaks) == {"filed", "fee", "state"}
    n, n_rare = int((filed & (kind != "")).sum()), int((kind == "fraud").sum())
    assert f"has a value in {n} of {n_rare} rows that are 'fraud'" in leaks["fee"]
    told = {column.name for column in look(table, rare=["fraud"]).columns if column.remark}
    assert told == set(leaks)


def test_a_random_column_of_two_values_is_no_leak() -> None:
    rng = np.random.default_rng(0)
    kind = np.where(np.arange(600) % 40 == 0, "fraud", "ok")
    columns = {f"c{j}": rng.choice(["DE", "AT"], 600) for j in range(40)}
    columns["same"] = np.where(kind == "fraud", "x", np.where(rng.random(600) < 0.5, "y", "z"))
    found = look(as_table({**columns, "kind": kind}, target="kind"))
    told = {column.name for column in found.columns if column.remark}
    assert told == {"same"}


def test_values_of_few_rows_are_no_leak() -> None:
    rng = np.random.default_rng(1)
    customers = rng.integers(0, 800, 8000)
    target = np.where(np.arange(8000) < 5, "bad", "ok")
    table = as_table({"customer": [f"K{c}" for c in customers], "kind": target}, target="kind")
    assert find_leaks(table) == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"kind": "magic"}',
        '{"kind": "date", "unknown": 1}',
        '{"kind": "money", "units": [1]}',
        '{"kind": "money", "decimal": "x"}',
    ],
)
def test_a_form_from_outside_is_checked(text: str) -> None:
    with pytest.raises(TableError, match="no version of rarebit writes"):
        Form.from_json(text)
