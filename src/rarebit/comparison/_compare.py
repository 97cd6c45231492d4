"""Run methods over the same folds and collect what matters for the rare class."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing, indexable

from rarebit._row_order import why_other_rows
from rarebit._text import name_list
from rarebit.classifiers import BaggedSVC, BlendedClassifier, BoostedSVC, PrunedSVC
from rarebit.comparison._result import FIGURES, Comparison
from rarebit.exceptions import InputError
from rarebit.metrics import (
    check_labels,
    g_mean_score,
    minority_scores,
    prbep_score,
    rarest_class,
    sensitivity_score,
    specificity_score,
)
from rarebit.rivals import LinearComponent, list_rivals, make_rival
from rarebit.svm import KernelSVC

# Rivals of imbalanced-learn that hand all classes to their component.
_OF_TWO = ("undersampling", "balanced bagging")


def default_methods(
    random_state: int | None = 0, *, sparse: bool = False, n_classes: int = 2
) -> dict[str, Any]:
    """Classifiers of this package, everyday ones and all rivals, after standardising features.

    Gradient boosting is left out for sparse rows, which it does not take.

    Parameters
    ----------
    random_state : int or None, default=0
        Seed of every method.
    sparse : bool, default=False
        Whether rows are sparse: then features are scaled and not centred.
    n_classes : int, default=2
        Number of classes; of more than two, rivals that know two learn each against the rest.

    Returns
    -------
    dict of str to estimator
        By name, not fitted.

    Examples
    --------
    >>> from rarebit.comparison import default_methods
    >>> list(default_methods())[:5]
    ['KernelSVC', 'KernelSVC, balanced', 'BaggedSVC', 'BoostedSVC', 'PrunedSVC']
    """
    machines: dict[str, Any] = {
        "KernelSVC": KernelSVC(),
        "KernelSVC, balanced": KernelSVC(class_weight="balanced"),
        "BaggedSVC": BaggedSVC(random_state=random_state),
        "BoostedSVC": BoostedSVC(random_state=random_state),
        # Searches grow with the square of the removals.
        "PrunedSVC": PrunedSVC(max_removals=100, random_state=random_state),
        # What `rarebit fit` takes up to 20,000 rows.
        "BlendedClassifier": BlendedClassifier(random_state=random_state),
    }
    machines |= _everyday_methods(random_state, sparse)
    component = OneVsRestClassifier(LinearComponent()) if n_classes > 2 else None
    machines |= {
        name: make_rival(name, component if name in _OF_TWO else None, random_state=random_state)
        for name in list_rivals()
    }
    return {
        name: make_pipeline(StandardScaler(with_mean=not sparse), machine)
        for name, machine in machines.items()
    }


def _everyday_methods(random_state: int | None, sparse: bool) -> dict[str, Any]:
    """Return what people would try first, told that the classes are unbalanced."""
    methods: dict[str, Any] = {
        "logistic regression": LogisticRegression(class_weight="balanced", max_iter=1000),
        "random forest": RandomForestClassifier(
            n_estimators=200, class_weight="balanced_subsample", random_state=random_state
        ),
    }
    if not sparse:
        methods["gradient boosting"] = HistGradientBoostingClassifier(
            class_weight="balanced", random_state=random_state
        )
    return methods


def compare(
    X: ArrayLike,
    y: ArrayLike,
    methods: Mapping[str, Any] | Iterable[str] | None = None,
    cv: Any = None,
    *,
    pos_label: Any = None,
    random_state: int | None = 0,
    n_jobs: int | None = None,
    advance: Callable[[int], None] | None = None,
) -> Comparison:
    """Measure methods on your data with repeated stratified folds.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
        Rows.
    y : array-like of shape (n_rows,)
        Class labels; a Series whose index has labels of the frame at other places is refused.
    methods : dict of str to estimator, sequence of str or None, default=None
        Estimators by name, names out of `default_methods`, or None for all of them. Estimators of
        your own are used as they are; scale the features inside.
    cv : int, splitter or None, default=None
        A number of stratified folds, a splitter, or None for five folds twice.
    pos_label : str, int or bool, default=None
        The rare class, of which sensitivity, PRBEP and AUC speak; None for the one with the fewest
        rows.
    random_state : int or None, default=0
        Seed of the folds and of the default methods.
    n_jobs : int or None, default=None
        Folds run at a time. Times are comparable only if there are cores for all.
    advance : function of int or None, default=None
        Called with 1 whenever a method has finished a fold, for a progress bar.

    Returns
    -------
    Comparison
        Figures of all folds with `markdown`, `ranks`, `p_values` and `plot`; methods that failed
        in some fold come last.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rarebit import compare
    >>> X, y = make_classification(n_samples=300, weights=[0.9], class_sep=1.5, random_state=0)
    >>> found = compare(X, y, ["KernelSVC", "BaggedSVC", "undersampling"], cv=3)
    >>> sorted(found.methods)
    ['BaggedSVC', 'KernelSVC', 'undersampling']
    """
    if refusal := why_other_rows(X, y):
        raise InputError(refusal)
    labels = check_labels(y, "y")
    X, _ = indexable(X, labels)
    classes = np.unique(labels)
    if len(classes) < 2:
        raise InputError(
            f"compare needs rows of two classes, got the class {classes.tolist()[0]!r} only: add "
            "rows of another class, or find them with discover."
        )
    minority = rarest_class(labels, classes) if pos_label is None else pos_label
    if minority not in classes.tolist():
        raise InputError(
            "pos_label must be a class of y, one of "
            f"{name_list(map(repr, classes.tolist()), 5)}, got {pos_label!r}: correct it, or leave "
            "it out for the class with the fewest rows."
        )
    chosen = _check_methods(methods, random_state, sp.issparse(X), len(classes))
    splits = list(_check_cv(cv, labels, random_state).split(np.zeros(len(labels)), labels))
    outcomes = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_one_fold)(estimator, X, labels, train, test, minority)
        for estimator in chosen.values()
        for train, test in splits
    )
    names = list(chosen)
    failures: dict[str, str] = {}
    table = np.full((len(FIGURES), len(names), len(splits)), np.nan)
    for i, (figures, failure) in enumerate(outcomes):
        method, fold = divmod(i, len(splits))
        table[:, method, fold] = figures
        if failure:
            failures.setdefault(names[method], failure)
        if advance is not None:
            advance(1)
    means = np.array([-np.inf if np.isnan(m).all() else np.nanmean(m) for m in table[0]])
    if np.all(np.isinf(means)):
        first = next(iter(failures.values()))
        words = "could not convert string" in first or "Cannot cast" in first
        hint = " Columns of words become numbers by rarebit.tables.TableEncoder." if words else ""
        raise ValueError(f"Every method failed, and the first said: {first.rstrip('.')}.{hint}")
    # The folds that a failed method did finish may be the easy ones: it comes after all others.
    failed = np.isnan(table[0]).any(axis=1)
    order = np.lexsort((-means, failed))
    return Comparison(
        [names[i] for i in order],
        {key: table[k][order] for k, key in enumerate(FIGURES)},
        minority,
        failures,
    )


def _check_methods(
    methods: Mapping[str, Any] | Iterable[str] | None,
    random_state: int | None,
    sparse: bool,
    n_classes: int,
) -> dict[str, Any]:
    if isinstance(methods, Mapping):
        if not methods:
            raise ValueError("methods is empty: at least one estimator by name is needed.")
        return dict(methods)
    known = default_methods(random_state, sparse=sparse, n_classes=n_classes)
    if methods is None:
        return known
    names = [methods] if isinstance(methods, str) else list(methods)
    unknown = [name for name in names if name not in known]
    dense = [name for name in unknown if sparse and name in default_methods(random_state)]
    if dense:
        raise InputError(
            f"{dense[0]!r} needs dense features, and these rows are sparse: leave the method out, "
            "or give X.toarray() if it fits into memory."
        )
    if unknown or not names:
        got = unknown[0] if unknown else "none"
        close = {str(name).casefold(): str(name) for name in known}
        near = get_close_matches(str(got).casefold(), close, n=1)
        hint = f": did you mean {close[near[0]]!r}?" if near else "."
        raise ValueError(
            f"methods must name some of {', '.join(map(repr, known))}, or be a dictionary of "
            f"estimators, got {got!r}{hint}"
        )
    return {name: known[name] for name in names}


def _check_cv(cv: Any, labels: Any, random_state: int | None) -> Any:
    if hasattr(cv, "split") and not isinstance(cv, str):
        return cv
    folds = 5 if cv is None else cv
    if isinstance(folds, bool) or not isinstance(folds, (int, np.integer)) or folds < 2:
        raise ValueError(f"cv must be a number of folds from 2 on, a splitter or None, got {cv!r}.")
    fewest = int(np.unique(labels, return_counts=True)[1].min())
    if fewest < folds:
        raise ValueError(
            f"Every fold needs a row of every class: with {folds} folds at least {folds} rows of "
            f"each are needed, the rarest class has {fewest}; use fewer folds or add rows."
        )
    if cv is None:
        return RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=random_state)
    return StratifiedKFold(int(folds), shuffle=True, random_state=random_state)


def _one_fold(
    estimator: Any, X: Any, y: Any, train: Any, test: Any, minority: Any
) -> tuple[list[float], str]:
    """Return the figures of one method on one fold, or what went wrong."""
    truth = y[test]
    rare = truth == minority
    try:
        model = clone(estimator)
        rows = _safe_indexing(X, train)
        start = time.perf_counter()
        model.fit(rows, y[train])
        fitted = time.perf_counter()
        predicted = np.asarray(model.predict(_safe_indexing(X, test)))
        done = time.perf_counter()
        scores = minority_scores(model, _safe_indexing(X, test), minority)
        both = rare.any() and not rare.all()
        return [
            g_mean_score(truth, predicted),
            sensitivity_score(truth, predicted, pos_label=minority),
            specificity_score(truth, predicted, pos_label=minority),
            float(np.mean(predicted == truth)),
            prbep_score(rare.astype(int), scores) if both else np.nan,
            float(roc_auc_score(rare, scores)) if both else np.nan,
            fitted - start,
            done - fitted,
        ], ""
    # A comparison of many methods must not end with the first that cannot take the data.
    except Exception as error:
        return [np.nan] * len(FIGURES), f"{type(error).__name__}: {error}"
