"""True, true and TRUE, or 1 and 1.0, are one class where a model is evaluated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit.cli import ExitCode
from rarebit.models import ClassNamesWarning, Model, measure_decisions, save_model, train_model

FAST: dict[str, Any] = {"method": "kernel", "validate": False}


def rows(classes: dict[bool, Any]) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    rare = rng.random(300) < 0.15
    a = rng.normal(size=300) + 4.0 * rare
    return pl.DataFrame({"a": a, "b": rng.normal(size=300), "k": [classes[bool(r)] for r in rare]})


def trained(frame: pl.DataFrame) -> Model:
    return train_model(frame, target="k", **FAST)


@pytest.mark.parametrize(
    ("own", "others"),
    [
        ({True: True, False: False}, {True: "True", False: "False"}),
        ({True: "True", False: "False"}, {True: True, False: False}),
        ({True: "TRUE", False: "FALSE"}, {True: "true", False: "false"}),
        ({True: 1.0, False: 0.0}, {True: "1.0", False: "0.0"}),
        ({True: 1, False: 0}, {True: 1.0, False: 0.0}),
        ({True: "1.0", False: "0.0"}, {True: 1, False: 0}),
    ],
)
def test_classes_are_matched(command: Any, tmp_path: Path, own: Any, others: Any) -> None:
    save_model(trained(rows(own)), tmp_path / "m.rarebit")
    rows(others).write_csv(tmp_path / "new.csv")
    done = command("evaluate", tmp_path / "m.rarebit", tmp_path / "new.csv", "--json")
    assert done.code == ExitCode.OK, done.err
    assert done.json["g_mean"] > 0.9
    assert done.json["unknown_classes"] == []
    told = command(
        "evaluate", tmp_path / "m.rarebit", tmp_path / "new.csv", "--report", tmp_path / "p.html"
    )
    assert "different classes" not in told.err
    assert "does not know" not in told.err


def test_a_model_with_both_names_keeps_them_apart() -> None:
    frame = rows({True: "true", False: "ok"})
    both = frame.with_columns(
        pl.when(pl.int_range(300) < 30).then(pl.lit("True")).otherwise("k").alias("k")
    )
    with pytest.warns(ClassNamesWarning, match="'True' \\(30\\) and 'true'"):
        model = trained(both)
    assert {"true", "True", "ok"} <= set(model.classes)
    truth = np.array(["TRUE", *frame["k"].to_list()[1:]])
    measured = measure_decisions(model, truth, [model.decide(model.table(both))])
    assert measured.unknown == ["TRUE"]


def test_codes_and_words_are_matched_by_nothing_else() -> None:
    model = trained(rows({True: "1", False: "ok"}))
    made = model.decide(model.table(rows({True: "1", False: "ok"})))
    for name in ("01", "OK", "1.5", "1e0"):
        truth = np.array([name, *["1", "ok"] * 149, "ok"])
        assert measure_decisions(model, truth, [made]).unknown == [name]


def test_whole_numbers_with_and_without_a_point_are_told(tmp_path: Path, command: Any) -> None:
    kinds = ["1", "0", "0.0", "1.0", "0", "0", "10", "1.5"]
    lines = [f"{i * 7 % 23}.5,{kinds[i % 8]}" for i in range(160)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["x,kind", *lines]))
    said = " ".join(command("look", path, "-t", "kind").err.split())
    assert "'1' (20) and '1.0' (20) count as different classes" in said
    assert "'0' (60) and '0.0' (20) count as different classes" in said
    assert said.count("count as different classes") == 2
