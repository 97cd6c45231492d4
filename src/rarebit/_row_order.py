"""Classes beside a frame of pandas: whether they are those of its rows."""

from __future__ import annotations

from typing import Any


def why_other_rows(data: Any, classes: Any) -> str:
    """Say that the index of classes is that of other rows.

    Labels that both have are the same rows, so that they must stand at the same places. Indexes
    that share no label say nothing, and then the order counts.

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
    if len(rows) != len(index) or rows.nlevels != index.nlevels:
        return ""
    n_shared = int(rows.isin(index).sum())
    if not n_shared:
        return ""
    if n_shared < len(rows) or not index.isin(rows).all():
        return (
            f"The classes have another index than the frame, with {n_shared:,} of its "
            f"{len(rows):,} labels, and would be taken for those of other rows: give "
            "target.loc[frame.index] of all classes, or target.to_numpy() where the order is right."
        )
    return (
        "The classes have the index of the frame in another order, and would be taken for those "
        "of other rows: give target.loc[frame.index], or target.to_numpy() where the order is "
        "right."
    )
