"""Malformed states of learners: taken up and used, or refused with a `ValueError`."""

from __future__ import annotations

import random
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fuzzing._bounded import Refused
from fuzzing._values import from_text, spoil, to_text


def write_border(seed: str, folder: Path) -> Path:
    """Write one malformed state of a `BorderLearner`."""
    return _write(spoil(_border_state(), random.Random(seed)), folder)


def judge_border(path: Path) -> str:
    """Restore a learner and let it ask and be told."""
    from rarebit import BorderLearner

    X, y = _pool()
    state = from_text(path.read_text())
    learner = BorderLearner(random_state=0)
    try:
        learner.restore(X, state)
        for row in learner.ask(2):
            learner.tell([row], [y[row]])
        learner.classifier_.predict(X)
    except ValueError as error:
        raise Refused(_sentence(error)) from error
    return "continued"


def write_online(seed: str, folder: Path) -> Path:
    """Write one malformed state of an `OnlineSVC`."""
    return _write(spoil(_online_state(), random.Random(seed)), folder)


def judge_online(path: Path) -> str:
    """Take up a state, predict, and learn more rows."""
    from rarebit import OnlineSVC

    X, y = _pool()
    machine = OnlineSVC(random_state=0)
    try:
        machine.__setstate__(from_text(path.read_text()))
        machine.predict(X)
        machine.partial_fit(X[:20], y[:20])
        machine.predict(X)
    except (ValueError, TypeError) as error:
        raise Refused(_sentence(error)) from error
    return "continued"


def _write(state: Any, folder: Path) -> Path:
    path = folder / "state.json"
    path.write_text(to_text(state))
    return path


def _sentence(error: Exception) -> str:
    """Refuse to count an accident of Python or NumPy as an answer: ours are sentences."""
    text = str(error)
    if len(text) < 25 or " " not in text:
        raise AssertionError(f"not a sentence: {text!r}") from error
    return text


def _pool() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = np.where(np.arange(120) % 5 == 0, "rare", "usual")
    X[y == "rare"] += 2.0
    return X, y


@cache
def _border_state() -> Any:
    from rarebit import BorderLearner

    X, y = _pool()
    learner = BorderLearner(random_state=0).start(X, labels={0: "rare", 1: "usual"})
    for _ in range(12):
        for row in learner.ask():
            learner.tell([row], [y[row]])
    learner.ask()
    return from_text(to_text(learner.state()))


@cache
def _online_state() -> Any:
    from rarebit import OnlineSVC

    X, y = _pool()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine = OnlineSVC(random_state=0).partial_fit(X, y, classes=["rare", "usual"])
    return from_text(to_text(machine.__getstate__()))
