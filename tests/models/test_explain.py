"""Explanations: parts that sum to the score, exact where the machine is linear."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit import BaggedSVC, KernelSVC, PrunedSVC
from rarebit.classifiers import linear_weights, support_parts
from rarebit.models import Model, explain, load_model, save_model, train_model
from rarebit.models._support_rows import are_support_rows
from rarebit.projects import Project
from rarebit.tables import TableEncoder, as_table


def payments(n_rows: int = 200, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    fraud = rng.random(n_rows) < 0.15
    return pl.DataFrame(
        {
            "amount": rng.normal(np.where(fraud, 90.0, 30.0), 20.0),
            "items": rng.normal(size=n_rows),
            "country": rng.choice(["DE", "FR", "IT"], n_rows),
            "class": np.where(fraud, "fraud", "ok"),
        }
    )


def letters(n_rows: int = 120) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    words = np.array(
        [
            "please",
            "refund",
            "money",
            "late",
            "order",
            "thanks",
            "great",
            "quick",
            "parcel",
            "arrived",
        ]
    )
    spam = rng.random(n_rows) < 0.3
    texts = [" ".join(rng.choice(words[:5] if bad else words[4:], 5)) for bad in spam]
    return pl.DataFrame({"text": texts, "cost": rng.normal(size=n_rows) + spam,
                         "class": np.where(spam, "spam", "ham")})  # fmt: skip


def trained(frame: pl.DataFrame, method: str, text: str | None = None, **options: Any) -> Model:
    table = as_table(frame, target="class", text=text)
    return train_model(table, method=method, validate=False, **options)


def scores(model: Model, frame: pl.DataFrame) -> Any:
    return model.decide(model.table(frame)).scores


@pytest.mark.parametrize(
    ("method", "options"),
    [("kernel", {"kernel": "linear"}), ("kernel", {}), ("blend", {}),
     ("bagged", {"n_estimators": 5}), ("boosted", {"n_rounds": 3}), ("pruned", {})],
)  # fmt: skip
def test_parts_sum_to_the_score(method: str, options: dict[str, Any]) -> None:
    try:
        model = trained(payments(), method, **options)
    except TypeError:
        model = trained(payments(), method)
    new = payments(6, seed=1).drop("class")
    found = explain(model, model.table(new))
    assert [each.score for each in found] == pytest.approx(scores(model, new).tolist())
    for each in found:
        assert each.base + sum(each.columns.values()) == pytest.approx(each.score, abs=1e-7)
        assert set(each.columns) <= {"amount", "items", "country"}
        assert each.exact
        sizes = [abs(part) for part in each.columns.values()]
        assert sizes == sorted(sizes, reverse=True)


def test_linear_parts_are_weight_times_value() -> None:
    model = trained(payments(), "kernel", kernel="linear")
    new = payments(5, seed=2).drop("class")
    X = model.encoder.transform(model.table(new))
    names = model.encoder.get_feature_names_out().tolist()
    sign = 1.0 if model.classifier.classes_[1] == "fraud" else -1.0
    weights = sign * model.classifier.coef_[0]
    for row, each in zip(X, explain(model, model.table(new)), strict=True):
        amount = names.index("amount")
        assert each.columns["amount"] == pytest.approx(weights[amount] * row[amount])
        places = [j for j, name in enumerate(names) if name.startswith("country_")]
        assert each.columns["country"] == pytest.approx(weights[places] @ row[places])


def test_shapley_values_are_means_over_all_orders() -> None:
    model = trained(payments(), "kernel")
    table = model.table(payments(1, seed=5).drop("class"))
    row = model.encoder.transform(table)
    sources = [column for column, _ in model.encoder.feature_sources()]
    columns = ["amount", "items", "country"]
    total = dict.fromkeys(columns, 0.0)
    for order in permutations(columns):
        before = np.zeros_like(row)
        for name in order:
            after = before.copy()
            own = [j for j, source in enumerate(sources) if source == name]
            after[:, own] = row[:, own]
            gain = model.classifier.minority_score(after) - model.classifier.minority_score(before)
            total[name] += float(gain[0]) / 6
            before = after
    assert explain(model, table)[0].columns == pytest.approx(total)


def test_drawn_orders_sum_repeat_and_come_close() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 12))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] > 1.2, "rare", "usual")
    frame = pl.DataFrame({f"x{j}": X[:, j] for j in range(12)}).with_columns(pl.Series("class", y))
    model = trained(frame, "kernel")
    table = model.table(frame.drop("class").head(3))
    few, same = explain(model, table), explain(model, table)
    many = explain(model, table, n_orders=2000)
    assert [each.columns for each in few] == [each.columns for each in same]
    for ours, close in zip(few, many, strict=True):
        assert not ours.exact
        assert ours.base + sum(ours.columns.values()) == pytest.approx(ours.score, abs=1e-9)
        assert next(iter(close.columns)) in list(ours.columns)[:3]
        gaps = [abs(ours.columns[name] - close.columns[name]) for name in close.columns]
        assert max(gaps) < 0.25 * max(map(abs, close.columns.values()))


@pytest.mark.parametrize("method", ["kernel", "blend"])
def test_words_of_texts_are_named_and_linear_text_models_exact(method: str) -> None:
    options = {"kernel": "linear"} if method == "kernel" else {}
    model = trained(letters(), method, text="text", **options)
    table = model.table({"text": ["refund late", "thanks great unknownword"], "cost": [0.1, -0.2]})
    bad, good = explain(model, table)
    assert bad.exact
    assert set(bad.columns) == {"text: refund", "text: late", "cost"}
    assert bad.columns["text: refund"] > 0 > good.columns["text: thanks"]
    for each, score in zip((bad, good), model.decide(table).scores, strict=True):
        assert each.base + sum(each.columns.values()) == pytest.approx(score)


def test_long_texts_keep_their_sum() -> None:
    rng = np.random.default_rng(1)
    words = [f"word{i}" for i in range(80)]
    texts = [" ".join(rng.choice(words, 60)) for _ in range(60)]
    classes = ["rare" if "word7 " in text else "usual" for text in texts]
    model = trained(pl.DataFrame({"text": texts, "class": classes}), "kernel", text="text",
                    kernel="rbf")  # fmt: skip
    table = model.table({"text": [" ".join(words)]})
    found = explain(model, table)[0]
    assert len(found.columns) == 40
    assert "(other features)" in found.columns
    assert found.base + sum(found.columns.values()) == pytest.approx(found.score)
    assert len(explain(model, table, n_columns=3)[0].columns) == 3


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_support_parts_and_a_constant_are_the_score(kernel: str, n_classes: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (n_classes == 3) * (X[:, 1] > 0.8)]
    for machine in (
        KernelSVC(kernel=kernel, gamma=0.3),
        PrunedSVC(kernel=kernel, gamma=0.3, max_removals=3),
        BaggedSVC(5, combiner="average", kernel=kernel, gamma=0.3, random_state=0),
    ):
        machine.fit(X, y)
        rare = machine.minority_class_
        parts = support_parts(machine, X[:7], rare)
        assert parts is not None
        support, of_class, sums = parts
        assert np.array_equal(y[support] == rare, of_class)
        rest = machine.minority_score(X[:7]) - sums.sum(axis=1)
        assert np.ptp(rest) < 1e-5
        weights = linear_weights(machine, rare)
        assert (weights is None) == (kernel != "linear")
        if weights is not None:
            assert np.ptp(machine.minority_score(X) - X @ weights) < 1e-6


def test_similar_rows_are_training_rows_of_their_class() -> None:
    frame = payments()
    for method in ("kernel", "blend"):
        model = trained(frame, method)
        for each in explain(model, model.table(frame.drop("class").head(4)), n_rows=2):
            assert len(each.rows) in (0, 2)
            for row, label, _ in each.rows:
                assert (frame["class"][row] == "fraud") == (label == "fraud")


def test_votes_and_precomputed_kernels_have_no_parts() -> None:
    X, y = [[0.0], [0.2], [1.0], [1.1]], [0, 0, 1, 1]
    votes = BaggedSVC(3, combiner="vote", random_state=0).fit(X, y)
    assert support_parts(votes, np.array(X), 1) is None
    assert linear_weights(votes, 1) is None


def test_features_know_their_columns() -> None:
    frame = letters().with_columns(country=pl.lit("DE").repeat_by(1).list.first())
    frame = frame.with_columns(country=pl.Series(["DE", "FR"] * 60), when=pl.date_range(
        pl.date(2024, 1, 1), pl.date(2024, 4, 29), eager=True))  # fmt: skip
    table = as_table(frame, target="class", text="text")
    encoder = TableEncoder(indicate_missing=True).fit(table)
    sources = encoder.feature_sources()
    assert len(sources) == encoder.n_features_ == encoder.transform(table).shape[1]
    assert {column for column, _ in sources} == {"text", "cost", "country", "when"}
    assert ("text", "refund") in sources
    assert ("cost", None) in sources


@pytest.mark.parametrize("holdout", [None, 0.3])
def test_similar_rows_have_their_ids_and_own_classes(holdout: float | None, tmp_path: Path) -> None:
    frame = payments(240)
    kinds = np.where(frame["class"] == "fraud", np.where(frame["items"] > 0, "theft", "typo"), "ok")
    # Rows without a class move the labelled ones, rows held out change their places.
    kinds[:40] = ""
    ids = [f"P{i:03d}" for i in range(240)]
    frame = frame.with_columns(pl.Series("class", kinds), pl.Series("id", ids))
    table = as_table(frame, target="class", id="id")
    split = {"validate": False} if holdout is None else {"holdout": holdout}
    model = train_model(table, method="kernel", normal="ok", **split)
    save_model(model, tmp_path / "m.rarebit")
    known = dict(zip(ids, kinds.tolist(), strict=True))
    encoded = model.encoder.transform(table)
    support = model.manifest["support_rows"]
    for vector, position in zip(
        model.classifier.support_vectors_, model.classifier.support_, strict=True
    ):
        name = support["ids"][support["positions"].index(int(position))]
        assert np.allclose(encoded[ids.index(name)], vector)
    for each in explain(load_model(tmp_path / "m.rarebit"), table.take(np.arange(4))):
        assert len(each.rows) == 3
        for row, label, _ in each.rows:
            assert known[str(row)] == label
    plain = train_model(frame.drop("id"), target="class", method="kernel", normal="ok", **split)
    for each in explain(plain, plain.table(frame.drop("id", "class").head(4))):
        for row, label, _ in each.rows:
            assert kinds[row] == label


def test_support_rows_of_a_file_are_checked() -> None:
    good = {"positions": [3], "ids": ["a"], "classes": ["ok"]}
    assert are_support_rows(good)
    for bad in (
        [], {}, good | {"ids": []}, good | {"ids": [None]}, good | {"positions": ["3"]},
        good | {"classes": "o"},
    ):  # fmt: skip
        assert not are_support_rows(bad)


@pytest.mark.parametrize("method", ["auto", "border", "bagged"])
def test_similar_rows_of_learned_models_have_their_ids(method: str, tmp_path: Path) -> None:
    frame = payments(300, seed=4)
    ids = [f"P{i:03d}" for i in range(300)]
    table = as_table(frame.with_columns(pl.Series("id", ids)), target="class", id="id")
    settings = {"oracle": "class", "max_labels": 60, "method": method}
    with Project.open(table, store=tmp_path / "a.db", settings=settings) as project:
        project.answer_from_column()
        model = project.finish()
    known = dict(zip(ids, frame["class"].to_list(), strict=True))
    found = explain(model, model.table(frame.drop("class").head(5)))
    assert any(each.rows for each in found) or method == "auto"
    encoded = model.encoder.transform(table)
    for each in found:
        for row, label, _ in each.rows:
            assert known[str(row)] == label
    if method == "border":
        support, machine = model.manifest["support_rows"], model.classifier
        for vector, position in zip(machine.support_vectors_, machine.support_, strict=True):
            name = support["ids"][support["positions"].index(int(position))]
            assert np.allclose(encoded[ids.index(name)], vector)
