"""Data sets on disk in the form that a measuring process reads without a detour.

`load_task` parses text and scales, which costs memory that is no contender's. One process does that
once per set and saves arrays; every measuring process reads them back as they are.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rarebit.datasets import load_task


@dataclass(frozen=True)
class Problem:
    """One task with the parameters that all contenders use."""

    name: str
    X_train: Any
    y_train: NDArray[np.int64]
    X_test: Any
    y_test: NDArray[np.int64]
    C: float
    gamma: float

    def head(self, rows: int | None, seed: int = 0) -> Problem:
        """Keep that many training rows: the first of a fixed permutation, so that sets nest."""
        if rows is None or rows >= len(self.y_train):
            return self
        chosen = np.random.default_rng(seed).permutation(len(self.y_train))[:rows]
        X = self.X_train[chosen]
        X = X if sp.issparse(X) else np.ascontiguousarray(X)
        y = self.y_train[chosen]
        return Problem(self.name, X, y, self.X_test, self.y_test, self.C, self.gamma)


def prepare(name: str, folder: Path) -> dict[str, Any]:
    """Save a task's arrays under ``folder`` and describe them."""
    task = load_task(name)
    if task.kernel != "rbf" or task.C is None or task.gamma is None or task.y_test is None:
        raise ValueError(
            f"Task {name!r} cannot be measured: an rbf kernel, C, gamma and test rows are needed, "
            f"it has {task!r}; choose another with --sets."
        )
    folder.mkdir(parents=True, exist_ok=True)
    for part, X, y in (
        ("train", task.X_train, task.y_train),
        ("test", task.X_test, task.y_test),
    ):
        if sp.issparse(X):
            sp.save_npz(folder / f"X_{part}.npz", sp.csr_matrix(X), compressed=False)
        else:
            np.save(folder / f"X_{part}.npy", X)
        np.save(folder / f"y_{part}.npy", y)
    rows, features = task.X_train.shape
    facts = {
        "rows": int(rows),
        "features": int(features),
        "rare": int(np.sum(task.y_train)),
        "test_rows": int(task.X_test.shape[0]),
        "layout": "CSR" if sp.issparse(task.X_train) else "dense",
        "dtype": str(task.X_train.dtype),
        "C": float(task.C),
        "gamma": float(task.gamma),
    }
    (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
    return facts


def load(name: str, folder: Path) -> Problem:
    """Read back what `prepare` saved."""
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    return Problem(
        name,
        _matrix(folder, "X_train"),
        np.load(folder / "y_train.npy"),
        _matrix(folder, "X_test"),
        np.load(folder / "y_test.npy"),
        facts["C"],
        facts["gamma"],
    )


def _matrix(folder: Path, part: str) -> Any:
    sparse = folder / f"{part}.npz"
    return sp.load_npz(sparse) if sparse.exists() else np.load(folder / f"{part}.npy")


def describe(name: str, facts: dict[str, Any]) -> str:
    """One phrase for the header of a table."""
    return (
        f"{name} {facts['rows']:,} × {facts['features']:,} {facts['layout']} {facts['dtype']}, "
        f"{facts['rare']:,} rare, {facts['test_rows']:,} test rows, "
        f"C={facts['C']:g}, gamma={facts['gamma']:g}"
    )
