"""Bounds as people read them: rounded to the safe side, the same way everywhere."""

from __future__ import annotations


def floor_share(share: float) -> float:
    """Return a lower bound with three digits, never rounded up.

    Parameters
    ----------
    share : float
        From 0 to 1.

    Returns
    -------
    float
        The largest multiple of 0.001 that is not above it.

    Examples
    --------
    >>> from rarebit.statistics import floor_share
    >>> floor_share(38 / 42), floor_share(0.9)
    (0.904, 0.9)
    """
    # 0.9 is not a binary number: 900 thousandths may come out a hair below.
    return int(share * 1000 + 1e-9) / 1000


def floor_percent(share: float) -> str:
    """Return a lower bound in percent, never rounded up.

    Parameters
    ----------
    share : float
        From 0 to 1.

    Returns
    -------
    str
        With one digit after the point at most.

    Examples
    --------
    >>> from rarebit.statistics import floor_percent
    >>> floor_percent(0.8999), floor_percent(0.9), floor_percent(1.0)
    ('89.9 %', '90 %', '100 %')
    """
    return f"{100 * floor_share(share):g} %"
