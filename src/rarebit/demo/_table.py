"""The rare digits as a table of pictures, for the page."""

from __future__ import annotations

import hashlib

import numpy as np

from rarebit.datasets import load_rare_digits
from rarebit.tables import Table

_SIDE = 8  # pixels


def rare_digit_table() -> Table:
    """Return the 908 digits of the demo as pictures, three of the ten digits being rare.

    Returns
    -------
    Table
        Rows are pictures; the target holds the digits, which nobody is shown.

    Examples
    --------
    >>> from rarebit.demo import rare_digit_table
    >>> table = rare_digit_table()
    >>> table.n_rows, table.show(0).image.shape
    (908, (8, 8))
    """
    X, y, _, _ = load_rare_digits()
    pixels = np.round(255 * X).astype(np.uint8)
    return Table(
        source="rare digits",
        ids=np.arange(1, len(X) + 1),
        id_name="picture",
        numbers=pixels,
        number_names=tuple(f"p{i}" for i in range(pixels.shape[1])),
        target=np.array([str(digit) for digit in y], dtype=np.str_),
        target_name="digit",
        pixels=True,
        image=lambda row: pixels[row].reshape(_SIDE, _SIDE),
        checksum=lambda: hashlib.sha256(pixels.tobytes()).hexdigest(),
    )
