"""Why a model gives a row its score: what each column adds, and which training rows it is like.

Of a linear SVM the parts are exact: the score is a constant plus a weight times each feature,
and the part of a column is the sum over its features. Of any other classifier the part of a column
is its Shapley value: the mean, over the orders in which columns can be filled in, of what the score
changes when this one is. A column that is not filled in has the features of a row of which nothing
is known: the mean of numbers, none of the categories, no word. Up to seven columns all orders
count; of more, orders are drawn, each with its reverse. Parts sum to the score less that of the
empty row, whatever is drawn; of a linear SVM Shapley values are the exact parts.

Of a kernel SVM the part of a training row is its coefficient times its kernel value with the
row, also exact: the parts of all support vectors and a constant are the score. Of a blend the parts
in its kernel SVMs count, scaled as the blend scales them; its trees have none.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rarebit.classifiers import linear_weights, support_parts
from rarebit.metrics import minority_scores
from rarebit.models._model import Model
from rarebit.models._support_rows import KEY as SUPPORT_ROWS
from rarebit.tables import Table

SupportRow = tuple[int | str, str, float]
Floats = NDArray[np.float64]
_ALL_ORDERS = 7  # columns up to which every subset is evaluated
_MOST_PLAYERS = 40
_KEPT = ("positions", "ids", "classes")
REST = "(other features)"
OTHER = "(other)"


@dataclass(frozen=True)
class Explanation:
    """What makes up the score of one row.

    Attributes
    ----------
    score : float
        Of the rare class of training.
    base : float
        Score of a row of which nothing is known.
    columns : dict of str to float
        What each column adds, the largest first; words of a text as ``"column: word"``. Columns
        that are not there add nothing. They sum to ``score - base``.
    rows : tuple of (str or int, str, float)
        Training rows that the score depends on most: id in the training file (the number of the
        row from 0 where it had no ids), class and part; empty for classifiers without a kernel
        SVM. Models of earlier versions know positions among the labelled rows only, and the rare
        class, the only other one, or ``"(other)"``.
    exact : bool
        Whether the parts of columns are exact rather than drawn.
    """

    score: float
    base: float
    columns: dict[str, float]
    rows: tuple[SupportRow, ...]
    exact: bool

    def __str__(self) -> str:
        return "; ".join(f"{name} {part:+.3g}" for name, part in self.columns.items())


def explain(
    model: Model,
    table: Table,
    *,
    n_columns: int | None = None,
    n_rows: int = 3,
    n_orders: int = 16,
    random_state: int = 0,
) -> list[Explanation]:
    """Explain the scores that a model gives to rows.

    Parameters
    ----------
    model : Model
        The model.
    table : Table
        Rows, as in `Model.table` or `rarebit.tables.read_table`.
    n_columns : int or None, default=None
        Columns of each explanation, those with the largest parts; None for all.
    n_rows : int, default=3
        Training rows of each explanation.
    n_orders : int, default=16
        Orders of columns that are drawn where there are too many for all; an even number.
    random_state : int, default=0
        Seed of these.

    Returns
    -------
    list of Explanation
        One per row.

    Examples
    --------
    >>> from rarebit.models import explain, train_model
    >>> rows = {"amount": [1.0, 2.0, 3.0, 4.0, 80.0, 90.0], "class": ["ok"] * 4 + ["fraud"] * 2}
    >>> model = train_model(rows, target="class", method="kernel", kernel="linear", validate=False)
    >>> found = explain(model, model.table({"amount": [85.0]}))[0]
    >>> list(found.columns), found.exact
    (['amount'], True)
    >>> abs(found.base + found.columns["amount"] - found.score) < 1e-9
    True
    """
    X = model.encoder.transform(table)
    groups, names = _players(model)
    shown = _Scorer(model, X)
    scores = shown.of_rows(X)
    weights = linear_weights(model.classifier, model.rare_class)
    similar = _similar(model, X, n_rows)
    found = []
    for i in range(X.shape[0]):
        places, values = _features(X, i)
        if weights is not None:
            parts = _sums(groups[places], values * weights[places])
            exact = True
        else:
            order = np.random.default_rng([random_state, i])
            parts, exact = _shapley(shown, places, values, groups[places], n_orders, order)
        sized = sorted(parts.items(), key=lambda item: (-abs(item[1]), item[0]))
        columns = {
            REST if player < 0 else names[player]: part for player, part in sized[:n_columns]
        }
        found.append(Explanation(float(scores[i]), shown.base, columns, similar[i], exact))
    return found


class _Scorer:
    """Scores of rows of which some features are zero."""

    def __init__(self, model: Model, X: Any) -> None:
        self._model, self._like = model, X
        empty = np.zeros((1, X.shape[1]), dtype=X.dtype)
        zero: Any = sparse.csr_array(empty) if sparse.issparse(X) else empty
        self.base = float(self.of_rows(zero)[0])

    def of_rows(self, rows: Any) -> Floats:
        """Scores of the rare class."""
        return minority_scores(self._model.classifier, rows, self._model.rare_class)

    def of_parts(self, places: NDArray[np.intp], values: Floats, masks: Any) -> Floats:
        """Scores of rows that have the values at these places where a mask is true."""
        n, width = len(masks), self._like.shape[1]
        cells = (masks * values).astype(self._like.dtype)
        if sparse.issparse(self._like):
            ends = np.arange(n + 1) * len(places)
            rows: Any = sparse.csr_array((cells.ravel(), np.tile(places, n), ends), (n, width))
            rows.eliminate_zeros()
            rows.sort_indices()
        else:
            rows = np.zeros((n, width), dtype=self._like.dtype)
            rows[:, places] = cells
        return self.of_rows(rows)


def _players(model: Model) -> tuple[NDArray[np.intp], list[str]]:
    """Return the player of each feature, and their names: columns, and words of texts."""
    embed = model.manifest.get("embed")
    # Numbers of a vector are one column of the file: the text, or the image.
    vector = None if embed is None else embed["text"] or "image"
    groups, known = model.encoder.feature_groups(vector)
    return groups, [column if word is None else f"{column}: {word}" for column, word in known]


def _features(X: Any, row: int) -> tuple[NDArray[np.intp], Floats]:
    if sparse.issparse(X):
        start, end = X.indptr[row], X.indptr[row + 1]
        return X.indices[start:end].astype(np.intp), X.data[start:end].astype(np.float64)
    places = np.flatnonzero(X[row])
    return places, np.asarray(X[row][places], dtype=np.float64)


def _sums(players: NDArray[np.intp], parts: Floats) -> dict[int, float]:
    known, places = np.unique(players, return_inverse=True)
    sums = np.bincount(places, weights=parts, minlength=len(known))
    return {int(player): float(part) for player, part in zip(known, sums, strict=True)}


def _shapley(
    scorer: _Scorer,
    places: NDArray[np.intp],
    values: Floats,
    players: NDArray[np.intp],
    n_orders: int,
    rng: np.random.Generator,
) -> tuple[dict[int, float], bool]:
    known, owner = np.unique(players, return_inverse=True)
    if len(known) > _MOST_PLAYERS:
        # Words that change little alone are one player: what they add together is still counted.
        alone = scorer.of_parts(places, values, owner != np.arange(len(known))[:, None])
        whole = scorer.of_parts(places, values, np.ones((1, len(places)), dtype=bool))[0]
        kept = np.argsort(-np.abs(whole - alone), kind="stable")[: _MOST_PLAYERS - 1]
        players = np.where(np.isin(owner, kept), players, -1)
        known, owner = np.unique(players, return_inverse=True)
    n = len(known)
    if not n:
        return {}, True
    if n <= _ALL_ORDERS:
        subsets = np.array([[s >> j & 1 for j in range(n)] for s in range(2**n)], dtype=bool)
        scores = scorer.of_parts(places, values, subsets[:, owner])
        parts = np.zeros(n)
        for j in range(n):
            others = [k for k in range(n) if k != j]
            for size in range(n):
                for chosen in combinations(others, size):
                    without = sum(1 << k for k in chosen)
                    gain = scores[without | 1 << j] - scores[without]
                    parts[j] += gain / (n * comb(n - 1, size))
        return dict(zip(known.tolist(), parts.tolist(), strict=True)), True
    drawn = [rng.permutation(n) for _ in range(max(1, n_orders // 2))]
    orders = np.array([order for one in drawn for order in (one, one[::-1])])
    ranks = np.argsort(orders, axis=1)  # of each player in each order
    masks = ranks[:, None, :] < np.arange(n + 1)[None, :, None]
    scores = scorer.of_parts(places, values, masks.reshape(-1, n)[:, owner])
    gains = np.diff(scores.reshape(len(orders), n + 1), axis=1)
    parts = np.take_along_axis(gains, ranks, axis=1).mean(axis=0)
    return dict(zip(known.tolist(), parts.tolist(), strict=True)), False


def _similar(model: Model, X: Any, n_rows: int) -> list[tuple[SupportRow, ...]]:
    """Return the support vectors with the largest parts in the score of each row."""
    found = support_parts(model.classifier, X, model.rare_class) if n_rows > 0 else None
    if found is None:
        return [()] * X.shape[0]
    known, of_class, parts = found
    others = [name for name in model.manifest["classes"] if name != model.rare_class]
    # Where there is one other class, it has a name.
    rest = others[0] if len(others) == 1 else OTHER
    names = np.where(of_class, model.rare_class, rest).tolist()
    ids: list[int | str] = known.tolist()
    kept = model.manifest.get(SUPPORT_ROWS)
    if kept is not None:
        own = {at: each for at, *each in zip(*(kept[name] for name in _KEPT), strict=True)}
        ids = [own.get(at, (at, ""))[0] for at in known.tolist()]
        names = [own.get(at, ("", name))[1] for at, name in zip(known.tolist(), names, strict=True)]
    best = np.argsort(-np.abs(parts), axis=1, kind="stable")[:, :n_rows]
    return [
        tuple((ids[i], names[i], float(part[i])) for i in chosen)
        for part, chosen in zip(parts, best, strict=True)
    ]
