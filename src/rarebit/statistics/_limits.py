"""What no method can promise: the fewest labels that can prove a recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from scipy.special import gammaln

from ._ceiling import allowed_misses
from ._errors import LedgerError, check_count, check_risk


def information_bound(n: int, hidden: int, risk: float = 0.05) -> float:
    """Return about how many labels any rule needs to see one of some hidden rows.

    Parameters
    ----------
    n : int
        Rows without a label.
    hidden : int
        Rare rows among them, at least 1.
    risk : float, default=0.05
        Probability to see none of them.

    Returns
    -------
    float
        ``n (1 - risk ** (1 / hidden))``.

    See Also
    --------
    fewest_labels : the exact number.

    Examples
    --------
    >>> from rarebit.statistics import information_bound
    >>> round(information_bound(99_000, 112))
    2613
    """
    n, hidden = _check_hidden(n, hidden)
    return float(n * (1 - check_risk(risk) ** (1 / hidden)))


def fewest_labels(n: int, hidden: int, risk: float = 0.05) -> int:
    """Return the fewest negative labels after which hidden rows can be ruled out.

    After k negative labels, chosen by any rule, rare rows that lie at random among the n rows
    have all escaped with probability C(n-k, hidden) / C(n, hidden); so they have for some place
    of theirs. Fewer labels than this cannot rule them out at the given risk.

    Parameters
    ----------
    n, hidden, risk
        As for :func:`information_bound`.

    Returns
    -------
    int
        The smallest k for which that probability is ``risk`` at most.

    Examples
    --------
    >>> from rarebit.statistics import fewest_labels
    >>> fewest_labels(100, 1), fewest_labels(100, 2)
    (95, 78)
    """
    n, hidden = _check_hidden(n, hidden)
    wanted = log(check_risk(risk))

    def log_escape(k: int) -> float:
        if hidden <= 1_000:
            # A product of ratios keeps the digits that differences of log Γ lose.
            return sum(log((n - k - i) / (n - i)) for i in range(hidden))
        left = n - k
        both = gammaln(left + 1) - gammaln(left - hidden + 1)
        return float(both - gammaln(n + 1) + gammaln(n - hidden + 1))

    low, high = 0, n - hidden + 1  # with so many labels one of them must be seen
    while high - low > 1:
        middle = (low + high) // 2
        # The allowance is for rounding at exact ties such as 5 of 100.
        if log_escape(middle) <= wanted + 1e-12:
            high = middle
        else:
            low = middle
    return high


def _check_hidden(n: int, hidden: int) -> tuple[int, int]:
    n, hidden = check_count(n, "n", 1), check_count(hidden, "hidden", 1)
    if hidden > n:
        raise LedgerError(
            f"hidden must be at most n ({n}), but is {hidden}: pass the rows without a label as n."
        )
    return n, hidden


@dataclass(frozen=True)
class Limit:
    """The price of a proof under the best circumstances: all rare rows found, none beyond."""

    n_rows: int
    rare: int
    recall: float
    hidden: int
    labels: int
    share: float


def impossibility_table(
    n_rows: int, rare: Sequence[int], recalls: Sequence[float], risk: float = 0.05
) -> list[Limit]:
    """Return the fewest labels beyond the finds for numbers of rare rows and recalls.

    Parameters
    ----------
    n_rows : int
        Rows of the pool.
    rare : sequence of int
        Numbers of rare rows, all of them found.
    recalls : sequence of float
        Shares to prove.
    risk : float, default=0.05
        Probability that the proof is wrong.

    Returns
    -------
    list of Limit
        ``labels`` beyond the finds and their ``share`` of the rest of the pool. A recall of r is
        refuted as long as ``hidden`` more rows cannot be ruled out.

    Examples
    --------
    >>> from rarebit.statistics import impossibility_table
    >>> for limit in impossibility_table(100_000, [100], [0.8, 0.95]):
    ...     print(limit.recall, limit.hidden, limit.labels, f"{limit.share:.0%}")
    0.8 26 10871 11%
    0.95 6 39264 39%
    """
    table = []
    for found in rare:
        for recall in recalls:
            left = check_count(n_rows, "n_rows") - check_count(found, "rare", 1)
            hidden = allowed_misses(found, recall) + 1
            # More hidden rows than rows are ruled out without a label.
            labels = fewest_labels(left, hidden, risk) if hidden <= left else 0
            share = labels / left if left else 0.0
            table.append(Limit(n_rows, found, recall, hidden, labels, share))
    return table
