"""Fitted trees as plain arrays: they decide without the library that grew them.

A model file from a stranger may hold any numbers. scikit-learn's trees follow node numbers in
native code and would read wherever a crafted file points; these arrays are checked once, and then
NumPy follows them.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

# Levels of any tree: far more than trees of real rows have.
_MOST_LEVELS = 500
# Pairs of a row and a tree that are followed at a time.
_BLOCK = 1 << 17


class TreeEnsemble:
    """Trees that add their values to the outputs.

    Parameters
    ----------
    n_features : int
        Columns of the rows.
    base : ndarray of shape (n_outputs,)
        What the trees add to.
    roots : ndarray of int of shape (n_trees,)
        Node that each tree starts at.
    feature, threshold, left, right : ndarray of shape (n_nodes,)
        A row goes left where its feature is at most the threshold. A leaf has itself on both
        sides; all other nodes have children with greater numbers.
    value : ndarray of shape (n_nodes, n_outputs)
        What a leaf adds.
    single : bool
        Whether rows are rounded to single precision before they are compared.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = make_classification(random_state=0)
    >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    >>> bool(np.allclose(TreeEnsemble.of_forest(forest).values(X), forest.predict_proba(X)))
    True
    """

    def __init__(
        self,
        n_features: int,
        base: Floats,
        roots: Ints,
        feature: Ints,
        threshold: Floats,
        left: Ints,
        right: Ints,
        value: Floats,
        *,
        single: bool,
    ) -> None:
        self.n_features = n_features
        self.base = base
        self.roots = roots
        self.feature = feature
        self.threshold = threshold
        self.left = left
        self.right = right
        self.value = value
        self.single = single

    @classmethod
    def of_forest(cls, forest: Any) -> Self:
        """Return a fitted RandomForestClassifier: outputs are its probabilities."""
        return cls.of_trees(forest.estimators_, forest.n_features_in_)

    @classmethod
    def of_trees(cls, grown: list[Any], n_features: int) -> Self:
        """Return the mean of fitted trees: outputs are their probabilities."""
        trees = [tree.tree_ for tree in grown]
        parts = [(t.feature, t.threshold, t.children_left, t.children_right) for t in trees]
        values = [tree.value[:, 0, :] for tree in trees]
        shares = [v / v.sum(axis=1, keepdims=True) / len(trees) for v in values]
        columns = np.arange(values[0].shape[1])
        return cls._joined(n_features, np.zeros(len(columns)), parts, shares, single=True)

    @classmethod
    def of_boosting(cls, boosting: Any) -> Self:
        """Return a fitted HistGradientBoostingClassifier: outputs are its raw scores."""
        base = np.ravel(np.asarray(boosting._baseline_prediction, dtype=np.float64))
        parts, values = [], []
        for grown in boosting._predictors:
            for output, predictor in enumerate(grown):
                nodes = predictor.nodes
                leaf = nodes["is_leaf"].astype(bool)
                left = np.where(leaf, -1, nodes["left"].astype(np.int64))
                right = np.where(leaf, -1, nodes["right"].astype(np.int64))
                parts.append((nodes["feature_idx"], nodes["num_threshold"], left, right))
                value = np.zeros((len(nodes), len(base)))
                value[:, output] = nodes["value"]
                values.append(value)
        return cls._joined(boosting.n_features_in_, base, parts, values, single=False)

    @classmethod
    def _joined(
        cls, n_features: int, base: Floats, parts: list[Any], values: list[Floats], *, single: bool
    ) -> Self:
        """Put the trees behind each other; -1 among the children stands for a leaf."""
        sizes = [len(part[0]) for part in parts]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        own = np.arange(starts[-1])
        offset = np.repeat(starts[:-1], sizes)
        feature, threshold, left, right = (
            np.concatenate([np.asarray(part[i]) for part in parts]) for i in range(4)
        )
        leaf = left < 0
        return cls(
            n_features,
            base,
            starts[:-1].astype(np.int32),
            np.where(leaf, 0, feature).astype(np.int32),
            np.where(leaf, np.inf, threshold).astype(np.float64),
            np.where(leaf, own, left + offset).astype(np.int32),
            np.where(leaf, own, right + offset).astype(np.int32),
            np.concatenate(values) * leaf[:, None],
            single=single,
        )

    @property
    def n_outputs(self) -> int:
        """Columns of the values."""
        return len(self.base)

    def check(self) -> int:
        """Refuse arrays that are not trees; return how many levels the deepest has.

        Raises
        ------
        ValueError
            Numbers of nodes or features that are not there, nodes that lead back, values that are
            no finite numbers.
        """
        nodes = len(self.feature) if np.ndim(self.feature) == 1 else -1
        whole = (self.roots, self.feature, self.left, self.right)
        if (
            any(np.ndim(a) != 1 or np.asarray(a).dtype.kind != "i" for a in whole)
            or any(len(a) != nodes for a in (self.left, self.right, self.threshold))
            or np.ndim(self.threshold) != 1
            or np.ndim(self.base) != 1
            or np.shape(self.value) != (nodes, len(self.base))
            or any(np.asarray(a).dtype.kind != "f" for a in (self.threshold, self.base, self.value))
        ):
            raise _not_trees("arrays whose shapes do not agree")
        if not np.isfinite(self.value).all() or not np.isfinite(self.base).all():
            raise _not_trees("values that are not finite")
        own = np.arange(nodes)
        leaf = self.left == own
        ahead = (self.left > own) & (self.right > own) & (self.left < nodes) & (self.right < nodes)
        if not (ahead | (leaf & (self.right == own))).all():
            raise _not_trees("nodes that lead back or nowhere")
        if nodes and not 0 <= self.feature.min() <= self.feature.max() < self.n_features:
            raise _not_trees("features that rows do not have")
        if len(self.roots) and not 0 <= self.roots.min() <= self.roots.max() < nodes:
            raise _not_trees("roots that are no nodes")
        level, inner = 0, np.unique(self.roots[~leaf[self.roots]])
        while len(inner):
            level += 1
            if level > _MOST_LEVELS:
                raise _not_trees(f"trees of more than {_MOST_LEVELS} levels")
            below = np.unique(np.concatenate([self.left[inner], self.right[inner]]))
            inner = below[~leaf[below]]
        return level

    def values(self, X: Any) -> Floats:
        """Return the outputs for dense, finite rows, of shape (n_rows, n_outputs)."""
        levels = self.check()
        rows = np.asarray(X)
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise ValueError(
                f"Rows must have {self.n_features} columns, got an array of shape {rows.shape}: "
                "give rows with the columns that the trees were grown on."
            )
        if self.single:
            rows = rows.astype(np.float32, copy=False)
        found = np.tile(np.asarray(self.base, dtype=np.float64), (len(rows), 1))
        n_trees = len(self.roots)
        step = max(1, _BLOCK // max(n_trees, 1))
        for start in range(0, len(rows) if n_trees else 0, step):
            block = rows[start : start + step]
            number = np.arange(len(block))[:, None]
            node = np.tile(self.roots, (len(block), 1))
            for _ in range(levels):
                goes_left = block[number, self.feature[node]] <= self.threshold[node]
                node = np.where(goes_left, self.left[node], self.right[node])
            for output in range(self.n_outputs):
                found[start : start + step, output] += self.value[:, output][node].sum(axis=1)
        return found


def _not_trees(what: str) -> ValueError:
    return ValueError(
        f"Fitted trees must be arrays of nodes that lead from roots to leaves, got {what}: fit the "
        "classifier again, or load it again."
    )
