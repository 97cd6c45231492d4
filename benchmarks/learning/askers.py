"""Who asks: each returns the rows in the order in which it wants them labelled."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from rarebit.active import BorderLearner, Hunt, Scout

Rows = NDArray[np.intp]
Ask = Callable[[Any, NDArray[Any], int, int], tuple[Rows, list[str]]]

# Rivals learn anew when the labels have grown by this share: after every label up to nineteen.
_GROWTH = 0.1


def make_hunt(X: Any, seed: int) -> Hunt:
    """Return a hunt as `rarebit learn` sets it up, without its stop rule."""
    texts = sparse.issparse(X)
    learner = BorderLearner(kernel="linear" if texts else "rbf", stop=None, random_state=seed)
    return Hunt(explorer=Scout(metric="cosine" if texts else "euclidean"), learner=learner)


def hunt(X: Any, y: NDArray[Any], budget: int, seed: int) -> tuple[Rows, list[str]]:
    """`Hunt`, one label after the other."""
    asker = make_hunt(X, seed).start(X)
    while len(asker.labels_) < budget and (rows := asker.ask()).size:
        asker.tell(rows, y[rows])
    reasons = {query.row: str(query.reason) for query in asker.queries_}
    return np.array(list(asker.labels_)), [reasons[row] for row in asker.labels_]


def random(X: Any, y: NDArray[Any], budget: int, seed: int) -> tuple[Rows, list[str]]:
    """Rows at random."""
    rows = np.random.default_rng(seed).permutation(X.shape[0])[:budget]
    return rows, ["random"] * len(rows)


def _forest(seed: int) -> Any:
    return RandomForestClassifier(50, class_weight="balanced_subsample", random_state=seed)


def _logistic(seed: int = 0) -> Any:
    return LogisticRegression(C=10.0, class_weight="balanced", max_iter=500)


def _boosting(seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=seed, verbose=-1, n_jobs=1, class_weight="balanced")


def _in_batches(
    X: Any, y: NDArray[Any], budget: int, seed: int, choose: Callable[[Rows, Rows, int], Rows],
    first: Rows,
) -> tuple[Rows, list[str]]:  # fmt: skip
    """Ask in the order of `first` until two classes are known, then what `choose` says."""
    asked: list[int] = []
    for row in first[:budget]:
        asked.append(int(row))
        if len(np.unique(y[asked])) == 2:
            break
    reasons = ["explore"] * len(asked)
    while len(asked) < min(budget, X.shape[0]):
        known = np.array(asked)
        open_rows = np.setdiff1d(np.arange(X.shape[0]), known)
        n = min(max(1, int(_GROWTH * len(asked))), budget - len(asked), len(open_rows))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            asked += [int(row) for row in choose(known, open_rows, n)]
        reasons += ["border"] * n
    return np.array(asked), reasons


def _dense(X: Any, seed: int) -> Any:
    """Return rows for scikit-activeml, which takes no sparse ones: 100 components of texts."""
    return TruncatedSVD(100, random_state=seed).fit_transform(X) if sparse.issparse(X) else X


def _partial(y: NDArray[Any], known: Rows) -> NDArray[np.float64]:
    labels = np.full(len(y), np.nan)
    labels[known] = y[known]
    return labels


def _uncertainty(make: Callable[[int], Any]) -> Ask:
    """scikit-activeml's uncertainty sampling with one kind of model."""

    def ask(X: Any, y: NDArray[Any], budget: int, seed: int) -> tuple[Rows, list[str]]:
        from skactiveml.classifier import SklearnClassifier
        from skactiveml.pool import UncertaintySampling

        strategy = UncertaintySampling(method="margin_sampling", random_state=seed)
        model = SklearnClassifier(make(seed), classes=[0, 1], random_state=seed)
        dense = _dense(X, seed)

        def choose(known: Rows, open_rows: Rows, n: int) -> Rows:
            return np.asarray(
                strategy.query(dense, _partial(y, known), model, candidates=open_rows, batch_size=n)
            )

        return _in_batches(X, y, budget, seed, choose, random(X, y, X.shape[0], seed)[0])

    return ask


def committee(X: Any, y: NDArray[Any], budget: int, seed: int) -> tuple[Rows, list[str]]:
    """scikit-activeml's query by committee: logistic regression, forest, boosting."""
    from skactiveml.classifier import SklearnClassifier
    from skactiveml.pool import QueryByCommittee

    strategy = QueryByCommittee(random_state=seed)
    members = [
        SklearnClassifier(model, classes=[0, 1], random_state=seed)
        for model in (_logistic(), _forest(seed), _boosting(seed))
    ]
    dense = _dense(X, seed)

    def choose(known: Rows, open_rows: Rows, n: int) -> Rows:
        return np.asarray(
            strategy.query(
                dense, _partial(y, known), ensemble=members, candidates=open_rows, batch_size=n
            )
        )

    return _in_batches(X, y, budget, seed, choose, random(X, y, X.shape[0], seed)[0])


def greedy(X: Any, y: NDArray[Any], budget: int, seed: int) -> tuple[Rows, list[str]]:
    """The row that boosted trees (texts: logistic regression) hold for rarest, random start."""

    def choose(known: Rows, open_rows: Rows, n: int) -> Rows:
        model = _logistic() if sparse.issparse(X) else _boosting(seed)
        model.fit(X[known], y[known])
        scores = model.predict_proba(X[open_rows])[:, 1]
        return open_rows[np.argsort(-scores, kind="stable")[:n]]

    return _in_batches(X, y, budget, seed, choose, random(X, y, X.shape[0], seed)[0])


def asreview(X: Any, y: NDArray[Any], budget: int, seed: int) -> tuple[Rows, list[str]]:
    """The highest score of ASReview's default model, random start."""

    def choose(known: Rows, open_rows: Rows, n: int) -> Rows:
        scores = asreview_model(X[known], y[known], seed)(X[open_rows])
        return open_rows[np.argsort(-scores, kind="stable")[:n]]

    return _in_batches(X, y, budget, seed, choose, random(X, y, X.shape[0], seed)[0])


class AsReviewModel(LinearSVC):
    """ASReview's default model (ELAS u4): a linear machine, rare rows weighing 9.8 to 1."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AsReviewModel:
        """Fit to rows with sides of 0 and 1; weights are the model's own."""
        weights = np.where(y == 1, 1.0, y.sum() / (9.8 * (1 - y).sum()))
        super().fit(X, y, sample_weight=weights * len(y) / weights.sum())
        return self


def asreview_model(X: Any, y: NDArray[Any], seed: int) -> Callable[[Any], NDArray[np.float64]]:
    """Return the decision function of ASReview's model, fitted."""
    model = AsReviewModel(loss="squared_hinge", C=0.11, random_state=seed).fit(X, y)
    return model.decision_function  # type: ignore[no-any-return]


def isolation(X: Any, y: NDArray[Any], budget: int, seed: int) -> tuple[Rows, list[str]]:
    """An isolation forest until two classes are known, then the least certain of a forest."""
    scores = IsolationForest(random_state=seed).fit(X).score_samples(X)

    def choose(known: Rows, open_rows: Rows, n: int) -> Rows:
        model = _forest(seed).fit(X[known], y[known])
        unsure = np.abs(model.predict_proba(X[open_rows])[:, 1] - 0.5)
        return open_rows[np.argsort(unsure, kind="stable")[:n]]

    return _in_batches(X, y, budget, seed, choose, np.argsort(scores, kind="stable"))


ASKERS: dict[str, Ask] = {
    "hunt": hunt,
    "random": random,
    "uncertainty, forest": _uncertainty(_forest),
    "uncertainty, logistic": _uncertainty(_logistic),
    "uncertainty, boosting": _uncertainty(_boosting),
    "committee": committee,
    "greedy": greedy,
    "isolation": isolation,
    "ASReview": asreview,
}
