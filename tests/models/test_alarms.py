"""More rows called rare than a model's own figures make plausible are doubted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rarebit.models import Model, doubt_alarms, doubt_few
from rarebit.models._estimate import estimate_quality


def model(n_rare: int = 9, points: Any = None, metrics: Any = None, draws: Any = None) -> Model:
    classifier = SimpleNamespace()
    if draws is not None:
        classifier.drawn_ = np.array([[0.5, 0.0, hit] for hit in draws])
        classifier.base_rate_known_ = True
    manifest = {
        "rare_class": "fraud", "rare_classes": {"fraud": n_rare}, "operating_points": points,
        "metrics": metrics,
    }  # fmt: skip
    return Model(None, classifier, manifest)  # type: ignore[arg-type]


def test_few_labels_and_many_alarms() -> None:
    said = doubt_alarms(model(), 200_000, 54_531)
    assert said == (
        "54,531 of 200,000 rows (27 %) are called 'fraud', but the model has learned from only 9 "
        "rare rows: most are probably false alarms. Label more rows, or let rarebit predict give "
        "fewer alarms with --top 100."
    )
    points = [[2.0, 0.1, 0.85], [1.0, 0.9, 0.4]]
    said = doubt_alarms(model(points=points), 200_000, 54_531, about=True)
    assert said.startswith("About 54,531 of ")
    assert said.endswith("with --threshold precision=0.8 or --top 100.")


@pytest.mark.parametrize(
    ("n_rows", "n_called", "n_rare"),
    [(200_000, 9_900, 9), (200_000, 54_531, 3_000), (300, 90, 1), (10, 0, 1)],
    ids=["below 5 %", "20 per label", "fewer than 100", "none"],
)
def test_plausible_alarms(n_rows: int, n_called: int, n_rare: int) -> None:
    assert doubt_alarms(model(n_rare), n_rows, n_called) == ""


def test_shares_that_are_known_count_instead() -> None:
    own = {"support": 20, "predicted": 30}
    held = model(3_000, metrics={"n_rows": 1_000, "classes": {"fraud": own}})
    assert doubt_alarms(held, 10_000, 1_500) == ""
    said = doubt_alarms(held, 10_000, 1_501)
    assert "but only 3 % of the rows held out were" in said
    drawn = model(9, draws=[1] * 10 + [0] * 90)
    assert doubt_alarms(drawn, 10_000, 4_000) == ""
    assert "10 % of the rows drawn at random were" in doubt_alarms(drawn, 10_000, 6_000)


def test_its_own_estimate_counts() -> None:
    unsure = model(45)
    unsure.manifest["estimate"] = {"precision": 0.22, "points": [[1.0, 0.5, 0.3]]}
    assert "by the model's own estimate only 22 % of such rows are rare" in (
        doubt_alarms(unsure, 1_440, 416)
    )
    unsure.manifest["estimate"]["precision"] = 0.7
    assert doubt_alarms(unsure, 1_440, 416) == ""


def test_a_precision_that_is_an_estimate_is_not_advised() -> None:
    points = [[2.0, 0.1, 0.95], [1.0, 0.9, 0.4]]
    unsure = model()
    unsure.manifest["estimate"] = {"precision": 0.4, "points": points}
    assert doubt_alarms(unsure, 200_000, 54_531).endswith("fewer alarms with --top 100.")
    unsure.manifest["operating_points"] = points
    assert "--threshold precision=0.9 or --top 100" in doubt_alarms(unsure, 200_000, 54_531)


def test_all_rows_are_100_percent() -> None:
    assert "1,506 of 1,506 rows (100 %) are called" in doubt_alarms(model(), 1_506, 1_506)


def test_an_estimate_counts_the_rows_that_are_called_and_no_others() -> None:
    """Of two classes the second needs a score above 0."""
    points = np.array([[1.0, 0.2, 1.0], [0.0, 1.0, 0.9]])
    for rare, recall in (("b", 0.2), ("a", 1.0)):
        classifier = SimpleNamespace(
            pool_points_=points, classes_=np.array(["a", "b"]), minority_class_=rare
        )
        known = estimate_quality(classifier, rare, 20)
        assert known is not None
        assert known["recall"] == recall


@pytest.mark.parametrize(("n_rare", "said"), [(1, "1 row of"), (9, "9 rows of"), (10, ""), (0, "")])
def test_few_rare_rows_are_told(n_rare: int, said: str) -> None:
    few = model(n_rare)
    few.manifest["classes"] = {"fraud": n_rare, "ok": 90}
    told = f"The model has learned from only {said} 'fraud': its figures and thresholds are "
    assert doubt_few(few).startswith(told) if said else doubt_few(few) == ""
    # Files of early versions do not know the rows of the rare classes.
    few.manifest["rare_classes"] = {"fraud": 0}
    assert doubt_few(few).startswith(told) if said else doubt_few(few) == ""
