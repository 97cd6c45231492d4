"""Cells that are written otherwise than those a model learned from: advice, and currencies."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.models import Model, save_model, train_model
from rarebit.tables import TableError
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
