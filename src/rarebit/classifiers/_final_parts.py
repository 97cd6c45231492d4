"""The classifiers that the final one blends, each as what it adds: one score per class and row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import config_context
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from sklearn.utils.extmath import safe_sparse_dot
from threadpoolctl import threadpool_limits

from rarebit.classifiers._bagged import BaggedSVC
from rarebit.classifiers._bins import bin_numbers, column_edges, edges_of_bins
from rarebit.classifiers._forests import grow_forest
from rarebit.classifiers._trees import TreeEnsemble
from rarebit.svm import TUNED, KernelSVC, tune_kernel

Floats = NDArray[np.float64]

TABLE_PARTS = ("machine", "bags", "forest", "extra", "boosting", "logistic")
FORESTS = ("forest", "extra")
# Trees rank texts worse than linear machines do, and take long on their many columns.
TEXT_PARTS = ("machine", "bags", "logistic")
WORDS = {
    "machine": "a kernel SVM",
    "bags": "an ensemble of kernel SVMs trained on balanced samples",
    "forest": "a balanced random forest",
    "extra": "balanced extremely randomised trees",
    "boosting": "gradient boosting",
    "logistic": "logistic regression",
}
_N_BAGS = 50
# Rounds of boosting; twice as many smaller ones from 1,000 labels on, where they rank better.
_N_ROUNDS = 40
_FEW_ROWS = 1_000
# With 255 bins boosting ranks the development pools no better.
_N_BINS = 64


@dataclass(frozen=True)
class PartOptions:
    """What parts are fitted with.

    Attributes
    ----------
    machine, bags : dict
        ``kernel``, ``C``, ``gamma``, ``degree`` and ``coef0`` of either.
    n_trees : int
        Trees of each forest.
    seed : int
        Seed of bags and trees.
    n_jobs : int or None
        Bags and trees made at a time; the result is the same for any number.
    """

    machine: dict[str, Any]
    bags: dict[str, Any]
    n_trees: int
    seed: int
    n_jobs: int | None


def part_options(blend: Any, rows: Any, encoded: NDArray[np.intp], seed: int) -> PartOptions:
    """Return what the parts of a blend are fitted with; tune what is not given.

    Parameters
    ----------
    blend : BlendedClassifier
        With its parameters.
    rows : array or CSR matrix of shape (n_rows, n_features)
        Labelled rows.
    encoded : ndarray of int of shape (n_rows,)
        Class numbers.
    seed : int
        Seed of bags and trees.

    Returns
    -------
    PartOptions
        With numbers for the SVM.
    """
    kernel: dict[str, Any] = {
        "kernel": blend.kernel or ("linear" if sparse.issparse(rows) else "rbf"),
        "degree": blend.degree,
        "coef0": blend.coef0,
    }
    # Tuned once, on all rows: folds judge the machine with what it will have.
    found = tune_kernel(
        rows, encoded, np.ones(len(encoded)), C=blend.C, gamma=blend.gamma, **kernel
    )
    bags = {
        **kernel,
        "C": 1.0 if isinstance(blend.C, str) else float(blend.C) / 10.0,
        "gamma": "scale" if blend.gamma == TUNED else blend.gamma,
    }
    machine = {**kernel, "C": found.C, "gamma": found.gamma}
    return PartOptions(machine, bags, int(blend.n_trees), seed, blend.n_jobs)


class LinearScores:
    """Logistic regression as weights of columns.

    Parameters
    ----------
    weights : ndarray of shape (n_columns, n_features)
        One row for two classes, else one per class.
    intercept : ndarray of shape (n_columns,)
        Constants.
    """

    def __init__(self, weights: Floats, intercept: Floats) -> None:
        self.weights = weights
        self.intercept = intercept

    def values(self, X: Any) -> Floats:
        """Return scores of shape (n_rows, n_columns)."""
        return np.asarray(safe_sparse_dot(X, self.weights.T, dense_output=True)) + self.intercept


def fit_part(name: str, X: Any, y: NDArray[np.intp], options: PartOptions) -> Any:
    """Fit one part.

    Parameters
    ----------
    name : str
        One of `TABLE_PARTS`.
    X : array or CSR matrix of shape (n_rows, n_features)
        Labelled rows.
    y : ndarray of int of shape (n_rows,)
        Class numbers 0, 1, …, each at least once.
    options : PartOptions
        Parameters.

    Returns
    -------
    KernelSVC, BaggedSVC, TreeEnsemble or LinearScores
        Fitted; `part_scores` reads it.
    """
    if name == "machine":
        return KernelSVC(**options.machine).fit(X, y)
    if name == "bags":
        bags = BaggedSVC(
            _N_BAGS,
            combiner="average",
            random_state=options.seed,
            n_jobs=options.n_jobs,
            **options.bags,
        ).fit(X, y)
        bags._kernel_seconds = 0.0  # the same blend gives the same model file
        bags.n_jobs = None
        return bags
    if name in FORESTS:
        return fit_forest(name, X, y, options)[0]
    if name == "boosting":
        rounds = _N_ROUNDS if len(y) <= _FEW_ROWS else 2 * _N_ROUNDS
        boosting = HistGradientBoostingClassifier(
            max_iter=rounds,
            learning_rate=8.0 / rounds,
            max_leaf_nodes=8,
            # Few labels make small leaves.
            min_samples_leaf=min(20, max(2, len(y) // 40)),
            class_weight="balanced",
            early_stopping=False,
            random_state=options.seed,
        )
        edges = column_edges(X, _N_BINS)
        # Its own threads share a node of a few hundred rows, and wait for each other on a busy
        # machine (eight times as long); sums would depend on their number as well.
        with (
            threadpool_limits(1, user_api="openmp"),
            config_context(assume_finite=True, skip_parameter_validation=True),
        ):
            trees = TreeEnsemble.of_boosting(boosting.fit(bin_numbers(X, edges), y))
        trees.threshold = edges_of_bins(trees.feature, trees.threshold, edges)
        return trees
    strength = 10.0 if sparse.issparse(X) else 1.0
    logistic = LogisticRegression(C=strength, class_weight="balanced", max_iter=300)
    with config_context(assume_finite=True, skip_parameter_validation=True):
        logistic.fit(X, y)
    weights = np.asarray(logistic.coef_, dtype=np.float64)
    return LinearScores(weights, np.asarray(logistic.intercept_, dtype=np.float64))


def fit_forest(
    name: str, X: Any, y: NDArray[np.intp], options: PartOptions
) -> tuple[TreeEnsemble, Floats]:
    """Fit a forest; every row is judged by the trees that were grown without it.

    Parameters
    ----------
    name, X, y, options
        As in `fit_part`.

    Returns
    -------
    tuple of TreeEnsemble and ndarray of shape (n_rows, n_columns)
        The forest, and scores as in `part_scores`. They cost no further fits, unlike those of
        folds.
    """
    kind = DecisionTreeClassifier if name == "forest" else ExtraTreeClassifier
    trees, shares = grow_forest(kind, X, y, options.n_trees, options.seed, options.n_jobs)
    return TreeEnsemble.of_trees(trees, X.shape[1]), _share_logits(shares, options.n_trees)


def _share_logits(shares: Floats, n_trees: int) -> Floats:
    # As if half a tree more had voted either way: shares of 0 and 1 have no logarithm.
    own = np.clip(shares[:, 1:] if shares.shape[1] == 2 else shares, 0.0, 1.0)
    half = 0.5 / max(n_trees, 1)
    return np.asarray(np.log(own + half) - np.log(1.0 - own + half))


def part_scores(name: str, part: Any, X: Any) -> Floats:
    """Return what a part says of rows, on a scale without ends.

    Parameters
    ----------
    name : str
        Its name.
    part : object
        As `fit_part` returned it.
    X : array or CSR matrix of shape (n_rows, n_features)
        Rows.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        One column for two classes, high for the second; else one column per class.
    """
    if name in ("machine", "bags"):
        values = np.asarray(part.decision_function(X), dtype=np.float64)
        return values[:, None] if values.ndim == 1 else values
    values = part.values(X)
    if name not in FORESTS:
        return np.asarray(values, dtype=np.float64)
    return _share_logits(values, len(part.roots))
