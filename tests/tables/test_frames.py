"""Frames of pandas, polars and Arrow: encoded, trained on, opened as a project, in pipelines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rarebit import BaggedSVC, Project, compare
from rarebit.metrics import g_mean_scorer, minority_auc_scorer, prbep_scorer, sensitivity_scorer
from rarebit.models import load_model, save_model, train_model
from rarebit.tables import ColumnsMismatchError, TableEncoder, TableError, as_table


def payments(n: int = 240) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    rare = rng.random(n) < 0.15
    amount = rng.normal(50, 5, n) + 40 * rare
    return pl.DataFrame(
        {
            "amount": [f"€{value:.2f}" for value in amount],
            "country": rng.choice(["SE", "NO"], n),
            "day": pl.date_range(
                pl.date(2024, 1, 1), pl.date(2024, 1, 1) + pl.duration(days=n - 1), eager=True
            ),
            "class": np.where(rare, "fraud", "ok"),
        }
    )


FORMS: dict[str, Any] = {
    "polars": lambda frame: frame,
    "lazy": lambda frame: frame.lazy(),
    "pandas": lambda frame: frame.to_pandas(),
    "arrow": lambda frame: frame.to_arrow(),
    "columns": lambda frame: {name: frame[name].to_list() for name in frame.columns},
}


@pytest.mark.parametrize("form", FORMS)
def test_every_kind_of_frame_gives_the_same_features(form: str) -> None:
    frame = payments().drop("class")
    expected = TableEncoder().fit(as_table(frame)).transform(as_table(frame))
    encoder = TableEncoder()
    np.testing.assert_allclose(encoder.fit_transform(FORMS[form](frame)), expected)
    np.testing.assert_allclose(encoder.transform(FORMS[form](frame.head(3))), expected[:3])
    assert encoder.schema_ == {"amount": "number", "country": "text", "day": "date"}


@pytest.mark.parametrize("form", ["polars", "pandas", "arrow"])
def test_a_model_of_a_frame(form: str, tmp_path: Path) -> None:
    frame = payments()
    model = train_model(FORMS[form](frame), target="class", method="kernel")
    assert model.rare_class == "fraud"
    assert model.manifest["metrics"]["g_mean"] > 0.9
    save_model(model, tmp_path / "m.rarebit")
    loaded = load_model(tmp_path / "m.rarebit")
    classes, _ = loaded.judge(FORMS[form](frame))
    assert np.mean(classes == frame["class"].to_numpy()) > 0.9
    apart = train_model(frame.drop("class"), target=frame["class"].to_list(), method="kernel")
    np.testing.assert_array_equal(apart.judge(frame)[0], classes)


def test_a_project_of_a_frame(tmp_path: Path) -> None:
    frame = payments().to_pandas()
    settings = {"oracle": "class", "max_labels": 40, "reading": {"drop": ("day",)}}
    with Project.open(frame, store=tmp_path / "l.db", settings=settings) as project:
        project.answer_from_column()
        assert project.status().n_labels == 40
        assert project.finish().rare_class == "fraud"


def test_pipelines_are_scored_for_the_rare_class() -> None:
    frame = payments()
    y = frame["class"].to_numpy()
    rows = frame.drop("class", "day").to_pandas()
    whole = make_pipeline(TableEncoder(), BaggedSVC(random_state=0, n_estimators=3))
    for scorer in (g_mean_scorer, minority_auc_scorer, prbep_scorer, sensitivity_scorer):
        scores = cross_val_score(whole, rows, y, scoring=scorer, cv=3, error_score="raise")
        assert scores.mean() > 0.8, scorer
    numbers = as_table(rows).numbers[:, :1]
    plain = make_pipeline(StandardScaler(), BaggedSVC(random_state=0, n_estimators=3))
    assert cross_val_score(plain, numbers, y, scoring=minority_auc_scorer, cv=3).mean() > 0.9


def test_frames_that_cannot_be_read() -> None:
    with pytest.raises(TableError, match="no rows or no columns"):
        as_table(pl.DataFrame({"a": []}))
    with pytest.raises(TableError, match="got list"):
        as_table([1, 2])
    with pytest.raises(TableError, match="one length, and have several"):
        as_table({"a": [1, 2], "b": [1]})
    with pytest.raises(ColumnsMismatchError, match="two columns named 'a'"):
        as_table(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(TableError, match="2 rows and 1 class:"):
        as_table({"a": [1, 2]}, target=["x"])
    encoder = TableEncoder().fit({"a": [1.0, 2.0]})
    with pytest.raises(ColumnsMismatchError, match="column: 'a'"):
        encoder.transform({"b": [1.0]})


def test_the_id_column_of_a_frame_is_no_feature() -> None:
    frame = payments().with_columns(number=pl.int_range(240) * 7 + 3)
    model = train_model(frame, target="class", id="number", method="kernel")
    assert model.manifest["id"] == "number"
    assert "number" not in model.manifest["columns"]


@pytest.mark.parametrize("kind", ["pandas", "polars", "numpy"])
def test_words_in_rows_lead_to_the_encoder(kind: str) -> None:
    frame = pd.DataFrame({"a": np.arange(60.0), "b": ["u", "v"] * 30})
    rows = {"pandas": frame, "polars": pl.from_pandas(frame), "numpy": frame.to_numpy()}[kind]
    y = ["x", "y", "y"] * 20
    for call in (BaggedSVC().fit, lambda X, y: compare(X, y, ["KernelSVC"], cv=2)):
        with pytest.raises(ValueError, match=r"rarebit\.tables\.TableEncoder"):
            call(rows, y)


def test_a_named_index_can_be_the_id() -> None:
    columns = {"x": [1.5, 2.5, 3.5], "class": ["a", "b", "a"]}
    one = pd.DataFrame(columns, index=pd.Index(["k1", "k2", "k3"], name="key"))
    assert as_table(one, id="key", target=one["class"]).ids.tolist() == ["k1", "k2", "k3"]
    assert list(one.columns) == ["x", "class"]
    levels = pd.MultiIndex.from_tuples([(1, "k1"), (1, "k2"), (2, "k3")], names=["day", "key"])
    table = as_table(pd.DataFrame(columns, index=levels), id="key", target="class")
    assert table.ids.tolist() == ["k1", "k2", "k3"]
    assert table.columns == ("x",)
    with pytest.raises(ColumnsMismatchError, match="has no id column 'kex'"):
        as_table(one, id="kex")
