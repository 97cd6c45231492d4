"""Figures of each of several rare classes, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rarebit._text import name_list

HEADINGS = {
    "class": "class",
    "support": "rows",
    "found": "called rare",
    "named": "correctly named",
    "predicted": "predicted",
    "average_precision": "average precision",
    "roc_auc": "ROC AUC",
}


def table_of_each(
    figures: Mapping[str, Mapping[str, Any]], rare: str
) -> tuple[list[str], list[list[Any]], str]:
    """Return headings, rows and a sentence that explains them.

    Parameters
    ----------
    figures : mapping of str to mapping
        ``"each"`` of the figures of a model: class to its figures.
    rare : str
        What the union of the classes is called.

    Returns
    -------
    tuple of list of str, list of list and str
        Figures of a class that the model has not met are None where there is no score of it.

    Examples
    --------
    >>> own = {
    ...     "support": 4,
    ...     "found": 3,
    ...     "named": 2,
    ...     "predicted": 3,
    ...     "average_precision": 0.7,
    ...     "roc_auc": 0.9,
    ... }
    >>> table_of_each({"fraud": own}, "fraud or theft")[1]
    [['fraud', 4, 3, 2, 3, 0.7, 0.9]]
    """
    rows = [[name, *(own[key] for key in list(HEADINGS)[1:])] for name, own in figures.items()]
    said = (
        f"{rare!r} is found as one class, and all other figures, such as accuracy, count it as "
        "one; a second classifier names which of them it is."
    )
    if new := [name for name, own in figures.items() if own["roc_auc"] is None]:
        said += (
            f" It has not met {name_list(new, 5)}, so that rows of it can be called rare and not "
            "named."
        )
    return list(HEADINGS.values()), rows, said
