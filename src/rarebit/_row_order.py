"""Classes beside a frame of pandas: whether they are those of its rows."""

from __future__ import annotations

from typing import Any


def why_other_rows(data: Any, classes: Any) -> str:
    """Say that the index of classes has that of the rows in another order.

    Parameters
    ----------
    data : object
        Rows; only those with an index, such as a frame of pandas, can be compared.
    classes : object
        Class of each row, perhaps a Series.

    Returns
    -------
    str
        The sentence of an error; empty where the order is right or nobody knows it.
    """
    rows: Any = getattr(data, "index", None)
    index: Any = getattr(classes, "index", None)
    if not hasattr(rows, "equals") or not hasattr(index, "equals") or rows.equals(index):
        return ""
    if len(rows) != len(index) or not rows.is_unique or not rows.isin(index).all():
        return ""
    return (
        "The classes have the index of the frame in another order, and would be taken for those "
        "of other rows: give target.loc[frame.index], or target.to_numpy() where the order is "
        "right."
    )
