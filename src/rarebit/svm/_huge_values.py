"""Values that are finite and whose squares are not."""

from __future__ import annotations

import numpy as np

from rarebit._engine.arrays import Matrix

_MOST = 1e150  # sums of squares of larger ones overflow


def refuse_huge_values(rows: Matrix) -> None:
    """Refuse rows between which no kernel value can be computed.

    Parameters
    ----------
    rows : array or CSR matrix of shape (n_rows, n_features)
        Finite rows.

    Examples
    --------
    >>> refuse_huge_values(np.array([[1e160, 0.0]]))
    Traceback (most recent call last):
    ...
    ValueError: Values of features must be at most 1e+150, got 1e+160: ...
    """
    values = rows if isinstance(rows, np.ndarray) else rows.data
    if values.dtype != np.float64 or values.size == 0:
        return  # float32 ends long before
    flat = values.reshape(-1)
    # One pass clears ordinary rows; only where their squares overflow are they looked at again.
    with np.errstate(over="ignore"):
        # Not a product by BLAS, whose threads wake up for it and spin long after.
        if float(np.einsum("i,i->", flat, flat)) < _MOST**2:
            return
    largest = max(float(values.max()), -float(values.min()))
    if largest > _MOST:
        raise ValueError(
            f"Values of features must be at most {_MOST:g}, got {largest:g}: "
            "scale the features, or remove the row."
        )
