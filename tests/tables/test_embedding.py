"""Texts by their meaning: an embedding package between a file and the features."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.cli import ExitCode, main
from rarebit.models import explain, load_model, train_model
from rarebit.tables import TableError, as_table, look, read_table
from rarebit.tables import _embedding as embedding

pytest.importorskip("wordllama", reason="pip install wordllama")
RARE = ["my card was stolen", "money vanished from the bank", "an unknown charge, call the police",
        "thieves emptied the account", "somebody robbed me of my savings"]  # fmt: skip
USUAL = ["the parcel came quickly", "thanks for the fine shoes", "delivery on time, well packed",
         "lovely colour and good size", "the shirt fits, happy customer"]  # fmt: skip


def letters(n_rows: int = 80) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    rare = rng.random(n_rows) < 0.2
    texts = [f"{rng.choice(RARE[:4] if bad else USUAL[:4])} {i}" for i, bad in enumerate(rare)]
    return pl.DataFrame({"id": [f"L{i}" for i in range(n_rows)], "letter": texts,
                         "cost": rng.normal(size=n_rows).round(3),
                         "class": np.where(rare, "fraud", "ok")})  # fmt: skip


def test_texts_become_vectors_and_are_still_shown(tmp_path: Path) -> None:
    letters().write_csv(tmp_path / "letters.csv")
    table = read_table(tmp_path / "letters.csv", id="id", text="letter", embed="wordllama")
    assert table.text is None
    assert table.embedded == ("letter", "wordllama")
    vectors = [name for name in table.number_names if name.startswith("letter_")]
    assert len(vectors) == 256
    assert table.show(0).fields["letter"] == letters()["letter"][0]
    whole = as_table(letters(), id="id", text="letter", embed="wordllama", target="class")
    same = table.number_names.index("letter_7"), whole.number_names.index("letter_7")
    assert np.allclose(table.numbers[:, same[0]], whole.numbers[:, same[1]])


@pytest.mark.parametrize("columns", [{}, {"letter_7": "decimal-comma"}])
def test_vectors_are_no_text_of_the_file(tmp_path: Path, columns: dict[str, str]) -> None:
    # Without a number in the file, no decimal mark of it says that vectors are no thousands.
    letters().drop("cost").write_csv(tmp_path / "letters.csv")
    table = read_table(
        tmp_path / "letters.csv", id="id", text="letter", embed="wordllama", columns=columns
    )
    assert sum(name.startswith("letter_") for name in table.number_names) == 256


def test_models_remember_what_made_their_vectors(tmp_path: Path) -> None:
    file, model, out = (tmp_path / name for name in ("letters.csv", "m.rarebit", "out.csv"))
    letters().write_csv(file)
    fit = ["fit", str(file), "--target", "class", "--id", "id", "--text", "letter", "--method",
           "kernel", "--embed", "wordllama", "--out", str(model), "-q"]  # fmt: skip
    assert main(fit) == 0
    # Words that training never saw, of the same meaning.
    new = pl.DataFrame({"id": ["a", "b"], "letter": [RARE[4], USUAL[4]], "cost": [0.0, 0.0]})
    new.write_csv(tmp_path / "new.csv")
    assert main(["predict", str(model), str(tmp_path / "new.csv"), "--out", str(out), "-q"]) == 0
    rare, usual = pl.read_csv(out)["score"]
    assert rare > usual
    loaded = load_model(model)
    assert loaded.manifest["embed"] == {"text": "letter", "package": "wordllama"}
    made = loaded.decide(loaded.table(new))
    assert made.scores == pytest.approx(pl.read_csv(out)["score"].to_numpy())
    why = explain(loaded, loaded.table(new))[0]
    assert set(why.columns) == {"letter", "cost"}


def test_what_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "letters.csv"
    letters().write_csv(file)
    with pytest.raises(TableError, match="choose among wordllama"):
        read_table(file, text="letter", embed="os:system")
    with pytest.raises(TableError, match="Which column"):
        read_table(file, embed="wordllama")
    assert main(["look", str(file), "--text", "letter", "--embed", "what"]) == ExitCode.INPUT

    def absent() -> embedding.Embedder:
        raise ModuleNotFoundError("no", name="absent")

    monkeypatch.setitem(embedding._KNOWN["texts"], "absent", absent)
    with pytest.raises(TableError, match="pip install absent"):
        read_table(file, text="letter", embed="absent")
    monkeypatch.setitem(
        embedding._KNOWN["texts"], "broken", lambda: lambda texts: [[np.nan]] * len(texts)
    )
    with pytest.raises(TableError, match="finite"):
        read_table(file, text="letter", embed="broken")


def test_a_hostile_manifest_names_nothing_that_is_imported() -> None:
    model = train_model(
        as_table(letters(), target="class", id="id", text="letter", embed="wordllama"),
        method="kernel", validate=False,
    )  # fmt: skip
    model.manifest["embed"]["package"] = "os:system"
    with pytest.raises(TableError, match="There is no embedding"):
        model.table(letters())


def test_a_look_has_one_row_for_a_text_that_became_vectors(tmp_path: Path) -> None:
    texts = pl.when(pl.int_range(80) % 10 != 0).then("letter").alias("letter")
    letters().with_columns(texts).write_csv(tmp_path / "letters.csv")
    found = look(read_table(tmp_path / "letters.csv", id="id", text="letter", embed="wordllama"))
    assert [column.name for column in found.columns] == ["letter", "cost", "class"]
    letter = found.columns[0]
    assert (letter.kind, letter.missing, letter.used) == ("text", 8, True)
    assert letter.remark == "256 features: a vector by wordllama"
