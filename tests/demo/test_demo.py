"""The demo does the whole job, and says of it what is true."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from rarebit.active import simulate
from rarebit.datasets import load_rare_digits
from rarebit.metrics import g_mean_score

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

from rarebit.demo import run_demo


@pytest.fixture(scope="module")
def demo() -> Any:
    return run_demo(repeats=2)


def test_every_rare_digit_is_found_sooner_than_at_random(demo: Any) -> None:
    found = demo.summary()
    json.dumps(found)
    for digit in found["rare"].values():
        assert digit["first_seen_at"] < digit["at_random"]
        assert digit["labelled"] > 0
    assert found["stop"]["advised"]
    assert found["stop"]["reasons"]
    assert found["labels"] < 0.6 * found["rows"]


def test_the_labels_are_worth_as_much_as_all_and_more_than_random_ones(demo: Any) -> None:
    scores = demo.summary()["scores"]
    assert scores["rarebit"]["g_mean"]["mean"] > scores["all"]["g_mean"]["mean"] - 0.01
    assert scores["rarebit"]["g_mean"]["mean"] > scores["random"]["g_mean"]["mean"] + 0.05


def test_what_is_stated_can_be_measured_again(demo: Any) -> None:
    classifier = demo.first.hunt.classifier_
    measured = g_mean_score(demo.y_test, classifier.predict(demo.X_test))
    assert demo.scores["rarebit"][0, 0] == pytest.approx(measured, abs=0.01)
    for row in demo.first.queried:
        assert demo.first.hunt.labels_[int(row)] == demo.y[row]


def test_the_same_seed_repeats(demo: Any) -> None:
    again = run_demo(repeats=1)
    assert again.first.queried.tolist() == demo.first.queried.tolist()
    other = run_demo(repeats=1, random_state=7)
    assert other.first.queried.tolist() != demo.first.queried.tolist()


def test_the_report_holds_every_part(demo: Any) -> None:
    page = demo.report().html()
    assert "{&#39;" not in page  # figures for people, not objects of Python
    assert "{'" not in page.split("<script")[0]
    for part in ("stopping", "discovery", "learning-curve", "ranking", "confusion", "rows"):
        assert f'id="{part}"' in page


def test_pool_and_test_rows_are_apart() -> None:
    X, y, X_test, y_test = load_rare_digits({3: 0, 4: 7}, random_state=3)
    assert (y == 3).sum() == 0
    assert (y == 4).sum() == 7
    assert (y_test == 3).sum() > 40
    assert not {row.tobytes() for row in X} & {row.tobytes() for row in X_test}
    with pytest.raises(ValueError, match="test_share"):
        load_rare_digits(test_share=1.0)


def test_a_simulation_ends_at_its_limit_and_with_one_class() -> None:
    X, y, X_test, y_test = load_rare_digits()
    tried = simulate(X, y, X_test, y_test, max_labels=12, points=3)
    assert len(tried.queried) == 12
    one = simulate(X[:30], np.zeros(30), X_test[:5], y_test[:5] * 0, max_labels=5, points=2)
    assert one.predicted["rarebit"].tolist() == [0.0] * 5
