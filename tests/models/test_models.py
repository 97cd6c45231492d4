"""Models: training, thresholds, figures of rows held out, files without pickle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from rarebit.metrics import g_mean_score
from rarebit.models import (
    Threshold,
    labelled_rows,
    load_model,
    read_manifest,
    save_model,
    train_model,
)
from rarebit.models._threshold import threshold_from_points
from rarebit.models._validation import HeldOut, judge_held_out, measure, move_to_end
from rarebit.svm import KernelSVC
from rarebit.tables import ColumnsMismatchError, Table, TableError, as_table, read_table


def make_frame(n: int = 300, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    rare = rng.random(n) < 0.12
    start = pl.datetime(2024, 1, 1)
    return pl.DataFrame(
        {
            "x": rng.normal(size=n) + 2.5 * rare,
            "city": [f"town {i % 150}" for i in range(n)],
            "say": [f"a long tale of {i % 140} words told here {'alarm' if r else ''}" for i, r in
                    enumerate(rare)],
            "when": pl.datetime_range(start, start + pl.duration(hours=n - 1), "1h", eager=True),
            "kind": rng.choice(["u", "v"], n),
            "class": np.where(rare, "odd", "usual"),
        }
    )  # fmt: skip


@pytest.fixture
def table(tmp_path: Path) -> Table:
    make_frame().write_csv(tmp_path / "rows.csv")
    return read_table(tmp_path / "rows.csv", target="class")


@pytest.mark.parametrize("columns", [["x"], ["x", "city"], ["when", "x"], ["say"], ["kind", "say"]])
@pytest.mark.parametrize("method", ["kernel", "border", "bagged"])
def test_a_saved_model_judges_the_same(columns: list[str], method: str, tmp_path: Path) -> None:
    make_frame().select(*columns, "class").write_csv(tmp_path / "rows.csv")
    table = read_table(tmp_path / "rows.csv", target="class")
    model = train_model(table, method=method, validate=False)
    save_model(model, tmp_path / "m.rarebit")
    loaded = load_model(tmp_path / "m.rarebit")
    assert not loaded.warnings
    for first, second in zip(model.judge(table), loaded.judge(table), strict=True):
        assert_array_equal(first, second)
    assert loaded.manifest == model.manifest == read_manifest(tmp_path / "m.rarebit")


def test_the_same_seed_gives_the_same_model(table: Table) -> None:
    first, second = (train_model(table, method="border", random_state=3) for _ in range(2))
    assert first.manifest == second.manifest
    assert_array_equal(first.judge(table)[1], second.judge(table)[1])


def test_the_table_stays_as_it_is_unless_it_may_change(tmp_path: Path) -> None:
    make_frame().select("x", "class").write_csv(tmp_path / "rows.csv")
    table = read_table(tmp_path / "rows.csv", target="class")
    before = table.numbers.copy()
    model = train_model(table, method="kernel", holdout=0.3)
    assert_array_equal(table.numbers, before)
    saved = train_model(table, method="kernel", holdout=0.3, copy=False)
    assert saved.manifest == model.manifest
    again = read_table(tmp_path / "rows.csv", target="class")
    np.testing.assert_allclose(saved.judge(again)[1], model.judge(again)[1])


def test_rows_without_a_class_are_left_out(tmp_path: Path) -> None:
    frame = make_frame().select("x", "class")
    empty = pl.int_range(pl.len()) % 3 == 0
    frame.with_columns(
        pl.when(empty).then(None).otherwise(pl.col("class")).alias("class")
    ).write_csv(tmp_path / "rows.csv")
    model = train_model(read_table(tmp_path / "rows.csv", target="class"), method="kernel")
    assert model.manifest["source"]["rows"] == 200
    assert model.manifest["source"]["rows_without_class"] == 100


def test_the_class_of_interest(table: Table) -> None:
    kept, y, rare = labelled_rows(table)
    assert kept is table
    assert rare == "odd"
    assert set(y) == {"odd", "usual"}
    assert labelled_rows(table, "usual")[2] == "usual"
    with pytest.raises(TableError, match="has no class 'none': it has odd, usual"):
        labelled_rows(table, "none")


# --- thresholds ---------------------------------------------------------------------------------


RARE = np.array([False, False, False, True, False, True, True])
SCORES = np.array([0.1, 0.2, 0.3, 0.35, 0.4, 0.8, 0.9])


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("own", None),
        ("0.25", 0.25),
        ("g-mean", 0.35),
        ("break-even", 0.4),
        ("sensitivity=0.6", 0.8),
        ("sensitivity=1", 0.35),
        ("specificity=1", 0.8),
        ("specificity=0.7", 0.35),
    ],
)
def test_thresholds(text: str, cut: float | None) -> None:
    assert Threshold.parse(text).choose(RARE, SCORES) == cut


@pytest.mark.parametrize("text", ["best", "sensitivity", "sensitivity=2", "specificity=x", "0=0"])
def test_wrong_thresholds(text: str) -> None:
    with pytest.raises(ValueError, match="A threshold must be own"):
        Threshold.parse(text)


def test_figures_are_of_thresholds_chosen_on_other_rows() -> None:
    """Scores of two groups that contradict each other: a threshold of one fails on the other."""
    y = np.array(["r", "c", "c", "r", "c", "c"])
    scores = np.array([0.9, 0.8, 0.1, 0.3, 0.2, 0.1])
    held_out = HeldOut(np.arange(6), np.array([0, 0, 0, 1, 1, 1]), y.copy(), scores, "by hand")
    cut, figures, judged = measure(held_out, y, "r", "c", Threshold("g-mean"))
    assert cut in (0.9, 0.3)
    # 0.3 of the second group lets "c" at 0.8 pass; 0.9 of the first misses "r" at 0.3.
    assert figures["classes"]["r"]["fp"] == 1
    assert figures["classes"]["r"]["fn"] == 1
    assert judged.truth.tolist() == y.tolist()
    assert judged.decided.tolist() == ["r", "r", "c", "c", "c", "c"]


def test_rows_are_moved_and_not_lost(rng: np.random.Generator) -> None:
    for n in (5, 50):
        X = rng.normal(size=(n, 2))
        y = np.arange(n)
        last = rng.choice(n, size=n // 3, replace=False)
        moved, labels = X.copy(), y.copy()
        move_to_end(moved, [labels], last, step=2)
        assert sorted(labels[n - len(last) :]) == sorted(last)
        assert_array_equal(moved, X[labels])


def test_held_out_rows_are_not_trained_on(rng: np.random.Generator) -> None:
    y = np.where(rng.random(400) < 0.2, "r", "c")
    X = rng.normal(size=(400, 3)) + 2.0 * (y == "r")[:, None]
    for rows in (X.copy(), sparse.csr_array(X)):
        labels = y.copy()
        held_out = judge_held_out(KernelSVC(), rows, labels, "r", share=0.25, random_state=0)
        assert len(held_out.rows) == 100
        train = np.setdiff1d(np.arange(400), held_out.rows)
        machine = KernelSVC().fit(rows[train], labels[train])
        assert_array_equal(held_out.predicted, machine.predict(rows[held_out.rows]))
        assert g_mean_score(labels[held_out.rows], held_out.predicted) > 0.7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 1}, "from 2 to"),
        ({"folds": 500}, "from 2 to"),
        ({"holdout": 1.5}, "between 0 and 1"),
        ({"holdout": 0.001}, "too few to hold out"),
        ({"folds": 3, "holdout": 0.2}, "cannot be combined"),
        ({"validate": False, "threshold": "g-mean"}, "chosen on rows held out"),
        ({"method": "magic"}, "method must be one of auto, blend, border"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str, table: Table) -> None:
    with pytest.raises(ValueError, match=message):
        train_model(table, **{"method": "kernel", **options})


def test_a_model_predicts_frames_as_estimators_do(rng: np.random.Generator) -> None:
    rare = np.arange(200) % 8 == 0
    kinds = np.where(rare, "fraud", "ok")
    frame = pl.DataFrame({"x": rng.normal(size=200) + 4 * rare, "kind": kinds})
    model = train_model(frame, target="kind", method="kernel", folds=2)
    for rows in (frame, frame.drop("kind"), frame.to_pandas(), as_table(frame, target="kind")):
        classes, scores = model.judge(as_table(frame, target="kind"))
        np.testing.assert_array_equal(model.predict(rows), classes)
        np.testing.assert_array_equal(model.minority_score(rows), scores)
    with pytest.raises(ColumnsMismatchError, match="x"):
        model.predict(frame.select("kind"))


def test_break_even_of_a_model_in_use_is_where_precision_and_recall_differ_least() -> None:
    points = [[3.0, 0.2, 1.0], [2.0, 0.7, 0.75], [1.0, 1.0, 0.4]]
    assert threshold_from_points(points, "break-even") == 2.0
    with pytest.raises(ValueError, match="neither rows held out nor an estimate to look up prec"):
        threshold_from_points(None, "precision=0.9")


@pytest.mark.parametrize("text", ["best", "recall=2", "own", "specificity=0.9"])
def test_a_wrong_threshold_of_a_model_in_use_lists_what_it_takes(text: str) -> None:
    told = r"precision=RATE or recall=RATE .* break-even, alarms=NUMBER or a number, got "
    with pytest.raises(ValueError, match=told):
        threshold_from_points([[0.5, 1.0, 1.0]], text)


def test_fit_says_that_alarms_are_for_models_in_use() -> None:
    with pytest.raises(ValueError, match="'alarms=5': alarms=NUMBER is for predict and evaluate"):
        Threshold.parse("alarms=5")


def test_thresholds_of_a_model_in_use_are_texts_too() -> None:
    rng = np.random.default_rng(0)
    kinds = np.where(rng.random(300) < 0.1, "fraud", "ok")
    frame = pl.DataFrame({"x": rng.normal(size=300) + 1.5 * (kinds == "fraud"), "kind": kinds})
    model = train_model(frame, target="kind", method="kernel")
    table = as_table(frame, target="kind")
    made = model.decide(table, threshold="alarms=20")
    assert made.rare.sum() == 20
    assert made.scores[made.rare].min() > made.scores[~made.rare].max()
    np.testing.assert_array_equal(model.predict(frame, threshold="alarms=20"), made.classes)
    cut = model.threshold_for("recall=0.7")
    np.testing.assert_array_equal(
        model.decide(table, threshold="recall=0.7").rare, model.decide(table, threshold=cut).rare
    )
    with pytest.raises(ValueError, match="depends on the rows: give it to decide or predict"):
        model.threshold_for("alarms=20")
    assert model.threshold_for(0.3) == 0.3
    with pytest.raises(ValueError, match="whole number from 1, got '0'"):
        model.decide(table, threshold="alarms=0")
    with pytest.raises(ValueError, match="got nan"):
        model.decide(table, threshold=float("nan"))
    with pytest.raises(ValueError, match="break-even"):
        model.predict(frame, threshold="best")


def test_columns_of_a_frame_that_cannot_be_learned_from_are_in_the_manifest() -> None:
    rng = np.random.default_rng(0)
    kinds = np.where(rng.random(200) < 0.2, "fraud", "ok")
    frame = pl.DataFrame({"x": rng.normal(size=200), "tags": [["a"], ["b"]] * 100, "kind": kinds})
    model = train_model(frame, target="kind", method="kernel", validate=False)
    assert "cells of the type" in model.encoder.dropped_["tags"]
