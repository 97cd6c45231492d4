"""Explorer and border learner in one loop."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from rarebit import BorderLearner, Hunt, Malice, Scout
from rarebit.datasets import make_malice_synthetic_1
from rarebit.metrics import g_mean_score


@pytest.fixture
def pool() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = np.concatenate(
        [rng.normal(size=(300, 2)), rng.normal([5.0, 0.0], 0.4, size=(10, 2))],
    )
    y = np.repeat(["common", "rare"], [300, 10])
    order = rng.permutation(len(y))
    return X[order], y[order]


def answer(hunt: Hunt, y: Any, most: int) -> list[int]:
    asked: list[int] = []
    while not hunt.done and len(asked) < most:
        rows = hunt.ask()
        if not rows.size:
            break
        hunt.tell(rows, y[rows])
        asked += rows.tolist()
    return asked


def test_from_no_label_to_a_classifier(pool: Any) -> None:
    X, y = pool
    hunt = Hunt().start(X)
    asked = answer(hunt, y, 60)
    assert len(set(asked)) == len(asked)
    assert set(hunt.discovered_) == {"common", "rare"}
    assert g_mean_score(y, hunt.classifier_.predict(X), pos_label="rare") > 0.9
    assert "2 classes found: " in str(hunt.status())


def test_no_classifier_before_two_classes(pool: Any) -> None:
    X, y = pool
    hunt = Hunt().start(X)
    answer(hunt, np.full(len(y), "common"), 5)
    with pytest.raises(NotFittedError, match="two classes"):
        _ = hunt.classifier_
    assert "a border needs two of them" in str(hunt.status())


def test_goes_on_after_it_was_saved(pool: Any) -> None:
    X, y = pool
    hunt = Hunt().start(X)
    answer(hunt, y, 15)
    hunt.skip(hunt.ask())
    copy = pickle.loads(pickle.dumps(hunt))
    assert answer(copy, y, 10) == answer(hunt, y, 10)


def test_the_same_run_twice(pool: Any) -> None:
    X, y = pool
    hunt = Hunt(Malice({"rare": 0.03}), BorderLearner(C=10.0, random_state=1))
    assert answer(hunt.start(X), y, 30) == answer(clone(hunt).start(X), y, 30)


def test_labels_known_from_the_start(pool: Any) -> None:
    X, y = pool
    known = {int(np.flatnonzero(y == c)[0]): c for c in ("common", "rare")}
    hunt = Hunt().start(X, known)
    assert hunt.discovered_ == {"common": 0, "rare": 0}
    assert not set(answer(hunt, y, 20)) & set(known)
    assert hunt.classifier_.classes_.tolist() == ["common", "rare"]


def test_contradictions_and_corrections(pool: Any) -> None:
    X, y = pool
    hunt = Hunt().start(X)
    row = int(hunt.ask()[0])
    hunt.tell(row, "rare")
    with pytest.raises(ValueError, match="replace=True"):
        hunt.tell(row, "common")
    hunt.tell(row, "common", replace=True)
    assert hunt.discovered_ == {"common": 1}
    assert row not in answer(hunt, y, 20)


def test_batches_hold_no_row_twice(pool: Any) -> None:
    X, y = pool
    hunt = Hunt().start(X)
    answer(hunt, y, 12)
    rows = hunt.ask(8)
    assert len(set(rows.tolist())) == 8
    assert set(hunt.pending_.tolist()) >= set(rows.tolist())
    assert not set(hunt.ask(4).tolist()) & set(rows.tolist())


def test_what_is_neither_explorer_nor_learner(pool: Any) -> None:
    with pytest.raises(TypeError, match=r"got the text 'scout': pass Scout\(\)"):
        Hunt("scout").start(pool[0])  # type: ignore[arg-type]
    with pytest.raises(NotFittedError, match=r"call start\(X\)"):
        Hunt(Scout()).ask()


def test_a_pool_without_a_row_left_gives_one_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = make_malice_synthetic_1(random_state=0)
    rows = np.r_[:30, np.flatnonzero(y)[:5]]
    X, y = X[rows], y[rows]
    hunt = Hunt(goal="find", random_state=0).start(X)
    while (asked := hunt.ask()).size:
        hunt.tell(asked, y[asked])
    advice = property(lambda self: {"half": "More labels still change what is predicted."})
    monkeypatch.setattr(BorderLearner, "stop_reasons_", advice)
    assert hunt.stop_reasons_ == {"exhausted": "Every row is labelled or skipped."}
