"""The classifiers by the names they have on the command line."""

from __future__ import annotations

from typing import Any, Literal, get_args

from rarebit.border import BorderSVC
from rarebit.classifiers import BaggedSVC, BoostedSVC, PrunedSVC
from rarebit.svm import KernelSVC

Method = Literal["auto", "border", "bagged", "boosted", "pruned", "kernel"]
METHODS: tuple[Method, ...] = get_args(Method)
# Rows up to which "auto" reads every label.
MANY_ROWS = 20_000


def choose_method(method: str, n_rows: int) -> str:
    """Return the method itself, or what ``"auto"`` means for so many rows.

    Examples
    --------
    >>> choose_method("auto", 1000), choose_method("auto", 10**6)
    ('bagged', 'border')
    """
    if method not in METHODS:
        raise ValueError(
            f"method must be one of {', '.join(METHODS)}, got {method!r}; choose one of them."
        )
    if method != "auto":
        return method
    return "bagged" if n_rows <= MANY_ROWS else "border"


def make_classifier(method: str, random_state: int | None = 0, **options: Any) -> Any:
    """Return a classifier that is not fitted.

    Parameters
    ----------
    method : {"border", "bagged", "boosted", "pruned", "kernel"}
        Its name.
    random_state : int or None, default=0
        Seed.
    **options
        Parameters of the classifier, such as ``C``, ``kernel`` and ``gamma``.

    Returns
    -------
    estimator
        Not fitted.

    Examples
    --------
    >>> make_classifier("kernel", C=10.0)
    KernelSVC(C=10.0, class_weight='balanced')
    """
    if method == "kernel":
        return KernelSVC(**{"class_weight": "balanced", **options})
    if method == "pruned":
        # Searches grow with the square of the removals.
        return PrunedSVC(**{"max_removals": 100, "random_state": random_state, **options})
    if method == "bagged":
        # Scores of a file are read as a ranking, and a balance of votes has many ties: on tasks of
        # ecoli, glass and satimage the mean of values ranks better at the same g-mean.
        return BaggedSVC(**{"combiner": "average", "random_state": random_state, **options})
    makers: dict[str, Any] = {"border": BorderSVC, "boosted": BoostedSVC}
    return makers[method](**{"random_state": random_state, **options})
