"""Malformed CSR matrices: every estimator learns from them or refuses them with a `ValueError`."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from fuzzing._bounded import Refused
from fuzzing._values import NASTY, from_text, to_text

USERS = ("KernelSVC", "OnlineSVC", "BaggedSVC", "PrunedSVC", "Scout", "BorderLearner", "predict")
_SHAPE = (40, 9)


def write(seed: str, folder: Path) -> Path:
    """Write the arrays of one malformed matrix, and who gets it."""
    dice = random.Random(seed)
    rng = np.random.default_rng(dice.randrange(1 << 30))
    whole = sparse.csr_array(rng.normal(size=_SHAPE) * (rng.random(_SHAPE) < 0.4))
    parts: dict[str, Any] = {
        "data": whole.data,
        "indices": whole.indices,
        "indptr": whole.indptr,
        "shape": list(_SHAPE),
        "user": dice.choice(USERS),
        "stride": dice.choice([1, 1, 1, 2]),
    }
    for _ in range(dice.choice([0, 1, 1, 2])):
        _break(parts, dice)
    path = folder / "matrix.json"
    path.write_text(to_text(parts))
    return path


def _break(parts: dict[str, Any], dice: random.Random) -> None:
    name = dice.choice(["data", "indices", "indices", "indptr", "indptr"])
    action = dice.random()
    values = parts[name]
    if action < 0.15:
        parts[name] = values[: dice.randrange(len(values) + 1)]
    elif action < 0.3:
        parts[name] = values.astype(dice.choice(["i8", "i4", "f4", "f8", "u1", "i2"]))
    elif action < 0.4:
        parts[name] = values[::-1].copy()
    elif len(values):
        numbers = [x for x in NASTY if isinstance(x, (int, float)) and abs(x) < 2**31]
        with np.errstate(all="ignore"):
            wrong = np.array(float(dice.choice([*numbers, 9, 8])))
            values = values.copy()
            values[dice.randrange(len(values))] = wrong.astype(values.dtype)
        parts[name] = values


def judge(path: Path) -> str:
    """Build the matrix behind SciPy's back, and let one of us work with it."""
    parts = from_text(path.read_text())
    X = sparse.csr_matrix(tuple(parts["shape"]))
    X.indptr, X.indices, X.data = (
        _strided(parts[name], parts["stride"]) for name in ("indptr", "indices", "data")
    )
    y = np.arange(_SHAPE[0]) % 4 == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _use(parts["user"], X, y)
        except (ValueError, TypeError) as error:
            raise Refused(str(error)) from error


def _strided(values: Any, step: int) -> Any:
    """Return the same values, not beside each other in memory for steps above 1."""
    apart = np.zeros(len(values) * step, dtype=values.dtype)
    apart[::step] = values
    return apart[::step]


def _use(user: str, X: Any, y: Any) -> str:
    import rarebit

    if user == "Scout":
        return f"asked for {rarebit.Scout().start(X).ask()}"
    if user == "BorderLearner":
        learner = rarebit.BorderLearner(random_state=0).start(X, labels={0: True, 1: False})
        return f"asked for {learner.ask()}"
    if user == "predict":
        good = np.random.default_rng(0).normal(size=_SHAPE)
        return str(rarebit.KernelSVC().fit(good, y).predict(X)[:3])
    options = {"n_estimators": 3} if user == "BaggedSVC" else {}
    made = getattr(rarebit, user)(**options)
    return str(made.fit(X, y).predict(X)[:3])
