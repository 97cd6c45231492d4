"""How many rows without a label are predicted rare, in a sentence."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit.projects._judgement import add_predicted_rows
from rarebit.tables import as_table


@pytest.mark.parametrize(
    ("n_rare", "told"), [(0, "none is predicted"), (1, "1 is predicted"), (2, "2 are predicted")]
)
def test_one_predicted_row_is_told_in_the_singular(n_rare: int, told: str) -> None:
    X = np.zeros((5, 1))
    X[:n_rare] = 1.0
    classifier = SimpleNamespace(
        classes_=np.array(["bad", "ok"]),
        predict=lambda rows: np.where(rows[:, 0] > 0, "bad", "ok"),
    )
    found: list[str] = []
    report: Any = SimpleNamespace(add_table=lambda *given, text, caption: found.extend(text))
    model: Any = SimpleNamespace(classifier=classifier, rare_class="bad")
    hunt: Any = SimpleNamespace(rank=lambda: np.arange(5))
    table = as_table(pl.DataFrame({"a": X[:, 0]}))
    add_predicted_rows(report, table, hunt, model, X, np.array([], dtype=np.intp))
    assert found[0].startswith(f"Of 5 rows without a label {told} 'bad'.")
