"""Cells that are written otherwise than those a model learned from: advice, and currencies."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.models import Model, save_model, train_model
from rarebit.tables import TableEncoder, TableError
from tests.cli.conftest import Command
from tests.server.scored import scoring


def payments(currency: str) -> pl.DataFrame:
    random = np.random.default_rng(3)
    rare = random.random(300) < 0.2
    amount = np.exp(random.normal(3.0 + 2.0 * rare))
    return pl.DataFrame(
        {
            "the amount": [f"{currency}{each:,.2f}" for each in amount],
            "hour": random.integers(0, 24, 300),
            "class": np.where(rare, "fraud", "ok"),
        }
    )


@pytest.fixture(scope="module")
def model() -> Model:
    return train_model(payments("€"), target="class", method="kernel", validate=False)


def test_advice_is_for_python(model: Model) -> None:
    dollars = payments("$")
    with pytest.raises(TableError) as caught:
        model.predict(dollars)
    said = str(caught.value)
    assert 'columns={"the amount": "number"} of read_table or Model.table' in said
    assert "--as" not in said
    assert str(pickle.loads(pickle.dumps(caught.value))) == said
    table = model.table(dollars, columns={"the amount": "number"})
    scores = model.minority_score(payments("€"))
    np.testing.assert_allclose(model.minority_score(table), scores)
    assert [note for note in table.notes if note.startswith("the amount: ")] == [
        "the amount: in $, and the model learned from €; numbers are taken as they are, not "
        "converted."
    ]
    same = model.table(payments("€"), columns={"the amount": "number"})
    assert not [note for note in same.notes if "converted" in note]


def test_advice_is_for_the_command_line(model: Model, tmp_path: Path, command: Command) -> None:
    save_model(model, tmp_path / "m.rarebit")
    payments("$").write_csv(tmp_path / "new.csv")
    predict = ["predict", tmp_path / "m.rarebit", tmp_path / "new.csv", "-o", tmp_path / "p.csv"]
    refused = command(*predict)
    assert "--as 'the amount=number'" in refused.error
    assert "columns=" not in refused.error
    taken = command(*predict, "--as", "the amount=number")
    assert taken.code == 0
    assert "the amount: in $, and the model learned from €" in " ".join(taken.err.split())


def test_advice_is_for_clients_of_a_service(model: Model) -> None:
    with scoring(model, name="payments") as client:
        reply = client.post("/predict", json={"records": payments("$").head(3).to_dicts()})
    said = reply.json()["error"]["message"]
    assert reply.status_code == 400
    assert said.endswith("send the cells as /schema says.")
    assert "--as" not in said
    assert "columns=" not in said


TWO_FORMS = ["1.234", "12.500", "0,50", "500", "2.500"] * 40


@pytest.mark.parametrize("wish", ["decimal-point", "decimal-comma"])
def test_a_word_on_a_column_holds_for_its_own_rows(wish: str) -> None:
    cells = {"v": [*TWO_FORMS, "3.20", "3.20"], "w": [1.5, 2.5] * 101}
    encoder = TableEncoder(columns={"v": wish})
    fitted = encoder.fit_transform(cells)
    np.testing.assert_array_equal(encoder.transform(cells), fitted)


def test_a_word_on_a_column_holds_at_prediction(tmp_path: Path, command: Command) -> None:
    random = np.random.default_rng(5)
    rare = random.random(300) < 0.2
    value = np.exp(random.normal(1.0 + rare))
    texts = [f"{v:.2f}" for v in value]
    mixed = [t.replace(".", ",") if j % 2 else t for j, t in enumerate(texts)]
    names = np.where(rare, "fraud", "ok")

    def write(name: str, cells: list[str]) -> Path:
        frame = pl.DataFrame({"paid": cells, "hour": random.normal(size=300), "class": names})
        frame.write_csv(tmp_path / name, separator=";")
        return tmp_path / name

    file, model = write("a.csv", mixed), tmp_path / "m.rarebit"
    made = command(
        "fit", file, "--target", "class", "--as", "paid=decimal-comma", "--method", "kernel",
        "--no-validation", "-o", model,
    )  # fmt: skip
    told = "150 cells such as"
    assert told in " ".join(made.err.split())
    again = command("predict", model, file, "-o", tmp_path / "p.csv")
    assert again.code == 0
    assert told in " ".join(again.err.split())
    other = command("predict", model, write("b.csv", texts), "-o", tmp_path / "q.csv")
    assert other.code != 0
    assert "as the model was trained, and 300 of 300 are not" in other.error
    assert not (tmp_path / "q.csv").exists()


def test_a_word_that_left_out_no_cell_allows_none_later() -> None:
    cells = {"v": ["1,50", "12,25", "3,75"] * 40, "w": [1.5, 2.5] * 60}
    encoder = TableEncoder(columns={"v": "decimal-comma"}).fit(cells)
    with pytest.raises(TableError, match=r"and one is '3\.20'"):
        encoder.transform({"v": ["1,50", "3.20"], "w": [1.5, 2.5]})


def test_all_columns_that_do_not_fit_are_named_at_once() -> None:
    def priced(currency: str) -> pl.DataFrame:
        other = payments(currency)["the amount"].alias("fee")
        return payments(currency).with_columns(other)

    model = train_model(priced("€"), target="class", method="kernel", validate=False)
    with pytest.raises(TableError) as caught:
        model.predict(priced("$"))
    said = str(caught.value)
    assert said.startswith("Column 'the amount'")
    assert "'fee' ('$" in said
    assert "does not fit either" in said


def test_decimal_marks_of_one_column_do_not_blame_another(tmp_path: Path, command: Command) -> None:
    random = np.random.default_rng(5)
    rare = random.random(300) < 0.2
    fee, load = np.exp(random.normal(1.0 + rare)), random.uniform(10, 90, 300)

    def write(name: str, mark: str) -> Path:
        lines = [
            f"{f:.2f}".replace(".", ",") + ";" + f"{p:.1f} %".replace(".", mark) + f";{'xo'[r]}"
            for f, p, r in zip(fee, load, rare.astype(int), strict=True)
        ]
        path = tmp_path / name
        path.write_text("fee;load;kind\n" + "\n".join(lines) + "\n", encoding="utf-8")
        return path

    old, new, model = write("old.csv", ","), write("new.csv", "."), tmp_path / "m.rarebit"
    fit = command("fit", old, "--target", "kind", "--method", "kernel", "--out", model)
    assert fit.code == 0
    refused = command("predict", model, new, "--out", tmp_path / "n.csv")
    assert "Column 'load' of new.csv must hold cells of the form" in " ".join(refused.err.split())
    taken = command("predict", model, new, "--out", tmp_path / "n.csv", "--as",
                    "load=decimal-point")  # fmt: skip
    assert taken.code == 0
    assert command("predict", model, old, "--out", tmp_path / "o.csv").code == 0
    assert (tmp_path / "n.csv").read_text() == (tmp_path / "o.csv").read_text()
