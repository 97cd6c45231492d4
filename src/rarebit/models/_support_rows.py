"""Training rows that a score can rest on: their ids and classes, kept with the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.classifiers import support_parts

# Positions among the rows that the classifier was fitted to, their ids, and their classes.
KEY = "support_rows"


def describe_support(
    classifier: Any,
    row: Any,
    rare_class: str,
    name_rows: Callable[[NDArray[np.intp]], tuple[Sequence[Any], Sequence[Any]]],
) -> dict[str, list[Any]] | None:
    """Return what a manifest says of the support vectors.

    Parameters
    ----------
    classifier : estimator
        Fitted.
    row : array or CSR matrix of shape (1, n_features)
        Any row of features.
    rare_class : str
        The class that the score is for.
    name_rows : function of ndarray
        Returns the ids and the classes of the rows at some positions.

    Returns
    -------
    dict or None
        ``positions``, ``ids`` and ``classes`` of the same length; None for a classifier without
        a kernel SVM.
    """
    found = support_parts(classifier, row, rare_class)
    if found is None:
        return None
    ids, classes = name_rows(found[0])
    return {
        "positions": found[0].tolist(),
        "ids": [each if isinstance(each, int) else str(each) for each in ids],
        "classes": [str(each) for each in classes],
    }


def are_support_rows(value: Any) -> bool:
    """Return whether a value from a file is what `describe_support` returns."""
    if not isinstance(value, dict) or value.keys() != {"positions", "ids", "classes"}:
        return False
    kinds: dict[str, tuple[type, ...]] = {
        "positions": (int,), "ids": (int, str), "classes": (str,)
    }  # fmt: skip
    lists = [value[name] for name in kinds]
    return all(isinstance(each, list) for each in lists) and (
        len({len(each) for each in lists}) == 1
        and all(
            isinstance(cell, kinds[name]) and not isinstance(cell, bool)
            for name in kinds
            for cell in value[name]
        )
    )
