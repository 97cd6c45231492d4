"""Columns of a frame that give the class away are told in Python; what becomes of classes."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest

from rarebit.models import LeakWarning, train_model


def payments() -> pl.DataFrame:
    random = np.random.default_rng(5)
    kind = random.choice(["ok", "fraud", "mule"], 400, p=[0.8, 0.12, 0.08])
    amount = random.normal(size=400) + 1.5 * (kind == "fraud") - 1.5 * (kind == "mule")
    code = (kind == "fraud") + 2 * (kind == "mule")
    return pl.DataFrame({"amount": amount, "code": code, "kind": kind})


def test_a_column_that_gives_the_class_away_is_told() -> None:
    with pytest.warns(LeakWarning, match=r"^code: .*drop it from the frame") as caught:
        train_model(payments(), target="kind", method="kernel", validate=False)
    assert caught[0].filename == __file__
    assert "--drop" not in str(caught[0].message)


def test_other_columns_are_not_told() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", LeakWarning)
        train_model(payments().drop("code"), target="kind", method="kernel", validate=False)


def test_classes_are_what_the_docstring_says() -> None:
    frame = payments().drop("code")
    options = {"target": "kind", "method": "kernel", "validate": False}
    model = train_model(frame, **options)
    assert model.rare_class == "mule"
    assert set(model.predict(frame)) == {"ok", "fraud", "mule"}
    assert set(train_model(frame, rare="mule", **options).predict(frame)) == {"mule", "rest"}
    found = set(train_model(frame, normal="ok", **options).predict(frame))
    assert found == {"ok", "fraud", "mule"}
