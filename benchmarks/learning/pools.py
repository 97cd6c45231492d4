"""Pools: a rare class against the rest, at most 4,000 rows to ask for, and rows held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.learning.shapes import SHAPES
from rarebit.datasets import load_raw, load_task
from rarebit.metrics import stratified_holdout

_MOST_ROWS = 4_000
_HELD_OUT = 0.3
_MOST_RARE = 0.10  # a larger class is thinned to this share


@dataclass(frozen=True, eq=False)
class Pool:
    """Rows to ask for and rows to judge by, 1 for the rare class.

    Attributes
    ----------
    name : str
        Name of the pool.
    X, y : array or CSR matrix, and ndarray of int
        The pool.
    X_test, y_test : array or CSR matrix, and ndarray of int
        Rows held out.
    """

    name: str
    X: Any
    y: NDArray[np.int64]
    X_test: Any
    y_test: NDArray[np.int64]


def _task(name: str) -> Callable[[], tuple[Any, Any]]:
    def load() -> tuple[Any, Any]:
        task = load_task(name)
        if task.X_test is None:
            return task.X_train, task.y_train
        join = sparse.vstack if sparse.issparse(task.X_train) else np.vstack
        X = join([task.X_train, task.X_test])
        return (X.tocsr() if sparse.issparse(X) else X), np.concatenate([task.y_train, task.y_test])

    return load


def _raw(name: str, *rare: str) -> Callable[[], tuple[Any, Any]]:
    def load() -> tuple[Any, Any]:
        raw = load_raw(name)
        if raw.X.ndim == 1:
            from sklearn.feature_extraction.text import TfidfVectorizer

            X: Any = TfidfVectorizer(min_df=3, sublinear_tf=True).fit_transform(raw.X)
        else:
            columns = []
            for number, column in enumerate(raw.X.T):
                codes = raw.categories.get(number)
                filled = np.nan_to_num(column, nan=float(np.nanmean(column)))
                columns.append(
                    filled[:, None] if codes is None else np.eye(len(codes))[filled.astype(int)]
                )
            X = np.hstack(columns)
        return X, np.isin(raw.y, rare).astype(np.int64)

    return load


_SHUTTLE = ("2", "3", "6", "7")
DEVELOPMENT: dict[str, Callable[[], tuple[Any, Any]] | None] = {
    "letter-A": _task("letter-A"),
    "letter-H": _raw("letter", "H"),
    "satimage-4": _task("satimage-4"),
    "satimage-2": _raw("satimage_train", "2"),
    "ecoli-imU": _task("ecoli-imU"),
    "glass-7": _task("glass-7"),
    "waveform": _task("waveform"),
    "a9a": _task("a9a"),
    **dict.fromkeys(SHAPES),
    **{f"reuters-{t}": _task(f"reuters-{t}") for t in ("corn", "crude", "grain", "interest")},
}
# Small ones first: an interrupted run has finished as many as it could.
REPORT: dict[str, Callable[[], tuple[Any, Any]] | None] = {
    **{
        name: _task(name)
        for name in (
            "haberman-2", "heart-1", "breast", "yeast-ME3", "balance-B", "cmc-2", "yeast-5",
            "car-3", "segment-1", "abalone-19", "abalone-7",
        )
    },
    "shuttle": _raw("shuttle_train", *_SHUTTLE),
    "sms_spam": _raw("sms_spam", "spam"),
    **{f"reuters-{t}": _task(f"reuters-{t}") for t in ("ship", "trade", "wheat", "money-fx")},
    "adult": _task("adult"),
    "usps-0": _task("usps-0"),
    "kddcup99": _raw(
        "kddcup99_10pct", "guess_passwd", "buffer_overflow", "rootkit", "warezclient",
        "warezmaster", "ipsweep", "nmap", "portsweep", "satan",
    ),
    "mnist-8": _task("mnist-8"),
}  # fmt: skip


@lru_cache(maxsize=1)
def _whole(name: str) -> tuple[Any, NDArray[np.int64]]:
    load = {**DEVELOPMENT, **REPORT}[name]
    assert load is not None
    X, y = load()
    return X, np.asarray(y, dtype=np.int64)


def draw_pool(name: str, seed: int) -> Pool:
    """Return one draw of a pool.

    Rows are drawn so that the pool has at most 4,000 of them and the rare class at most a tenth;
    columns of dense rows have mean 0 and spread 1 in the pool.
    """
    rng = np.random.default_rng([seed, *name.encode()])
    X, y = SHAPES[name](rng) if name in SHAPES else _whole(name)
    rare, rest = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    most = round(_MOST_ROWS / (1 - _HELD_OUT))
    n_rare = min(len(rare), int(len(rest) * _MOST_RARE / (1 - _MOST_RARE)))
    if n_rare + len(rest) > most:
        n_rare = max(round(most * n_rare / (n_rare + len(rest))), 30 if len(rare) >= 30 else 2)
    n_rest = min(len(rest), most - n_rare)
    kept = np.concatenate([rng.choice(rare, n_rare, False), rng.choice(rest, n_rest, False)])
    rng.shuffle(kept)
    y = y[kept]
    test = stratified_holdout(y, _HELD_OUT, rng)
    train = np.setdiff1d(np.arange(len(y)), test)
    X = X[kept]
    if not sparse.issparse(X):
        X = np.asarray(X, dtype=np.float64)
        spread = X[train].std(axis=0)
        X = (X - X[train].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return Pool(name, X[train], y[train], X[test], y[test])
