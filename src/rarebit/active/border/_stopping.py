"""When to stop asking: pure functions of the history that return reasons as sentences.

A rule returns a mapping of names to sentences; an empty one means that asking continues.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.active.border._bounds import share_upper_bound
from rarebit.active.border._history import History

StopRule = Callable[[History], Mapping[str, str]]

# Constants of the automatic rule, chosen on the development sets named in the documentation.
STRETCH = 0.7  # predictions are compared with those of this share of the labels
EXPLORATION = 2.0  # exploratory rows without surprise, as a multiple of sqrt(rows of the pool)
# … or as many as exclude a hidden part of the rare class of this share of the pool, up to a
# thirtieth of the rows: a small pool would be exhausted. With a twentieth, 18 development pools of
# 3,000 to 4,000 rows took 40 % of the labels instead of 34 % and had 0.4 points more g-mean.
HIDDEN = 0.005
MOST_EXPLORED = 1.0 / 30.0
# Share of the pool after which labelling on is no longer advised, and the least number of labels.
MOST_ASKED = 0.5
FEWEST_MOST = 500
CONFIDENCE = 0.95
# Change of the predictions that is let pass after so many exploratory rows, and in proportion after
# more, up to a limit: where classes overlap predictions never come to rest.
SMALL_CHANGE = 0.0125
LARGEST_CHANGE = 0.05

# Constants of the paper's rule on support vectors, for which it gives none.
SUPPORT_WINDOW = 100
SUPPORT_GROWTH = 0.01


def next_check(n_labels: int) -> int:
    """Return the number of labels at which stop rules are applied next.

    Checks are 8 % apart, so that a rule overshoots by little and costs little.

    Parameters
    ----------
    n_labels : int
        Number of labels known.

    Returns
    -------
    int
        Number of labels at the next check.

    Examples
    --------
    >>> from rarebit.active import next_check
    >>> next_check(0), next_check(20), next_check(1000)
    (20, 25, 1080)
    """
    return max(20, n_labels + 5, int(n_labels * 1.08))


def stop_on_support(history: History) -> dict[str, str]:
    """Stop when the number of support vectors has become stable.

    The practical rule of the paper, which leaves its constants open. Here: over the last
    hundred labels the number grew by no more than one in a hundred.

    Parameters
    ----------
    history : History
        What was asked and learned.

    Returns
    -------
    dict
        Reasons to stop, in sentences by name; empty to continue.
    """
    names = [name for name in history if name.startswith("n_support_")]
    if history.n_labels <= SUPPORT_WINDOW or len(names) < 2:
        return {}
    total = np.sum([history[name] for name in names], axis=0)
    then, now = int(total[-SUPPORT_WINDOW - 1]), int(total[-1])
    if then == 0 or now > then * (1.0 + SUPPORT_GROWTH):
        return {}
    return {
        "support": f"The last {SUPPORT_WINDOW} labels changed the number of support vectors from "
        f"{then:,} to {now:,}."
    }


def stop_on_margin(history: History) -> dict[str, str]:
    """Stop when the row closest to the border lies outside the margin.

    The paper's first rule: the row that was selected is no closer than any support vector.

    Parameters
    ----------
    history : History
        What was asked and learned.

    Returns
    -------
    dict
        Reasons to stop, in sentences by name; empty to continue.
    """
    border = np.flatnonzero(history["how"] == "border")
    if border.size == 0 or not history["distance"][border[-1]] >= 1.0:
        return {}
    drawn = int(history["drawn"][border[-1]])
    return {
        "margin": f"The closest of {drawn:,} unlabelled rows lies outside the margin, at "
        f"{history['distance'][border[-1]]:.2f} times its width."
    }


def stop_automatically(history: History, *, hidden: float = HIDDEN) -> dict[str, str]:
    """Stop when the border has settled and looking elsewhere has ceased to surprise.

    Two things must hold. The predicted classes of rows monitored at random have hardly changed
    while the last 30 % of the labels came in. And exploration, rows asked for far from the border,
    has brought no surprise, a row whose class is unusual although the SVM was sure of another: an
    empty margin alone does not reveal a cluster of the rare class that nobody has seen.
    `quiet_rows` says how many exploratory rows that takes. Where classes overlap surprises never
    cease; they are ignored when as many exploratory rows have left the predictions as they were.
    When half of the pool and 500 rows are labelled and predictions still change, it stops and says
    so. Without exploration (``explore=0``) the margin must be empty instead, and the reasons say
    what was not looked for.

    Parameters
    ----------
    history : History
        What was asked and learned.
    hidden : float, default=0.005
        Share of the pool that a part of the rarer classes may have and stay hidden; for another
        one pass ``stop=functools.partial(stop_automatically, hidden=0.01)``. A pool is explored up
        to a thirtieth for it, and the reasons say what was excluded.

    Returns
    -------
    dict
        Reasons to stop, in sentences by name; empty to continue.
    """
    reasons = _settled(history, hidden)
    most = max(MOST_ASKED * history.n_rows_in_pool, FEWEST_MOST)
    if reasons or history.n_labels < most:
        return reasons
    return {
        "half": f"{history.n_labels:,} of {history.n_rows_in_pool:,} rows are labelled, and more "
        "labels still change what is predicted: the classes overlap, and the rest of the pool "
        "would bring little."
    }


def _settled(history: History, hidden: float) -> dict[str, str]:
    looks, changed = history.checks["n_labels"], history.checks["changed_since"]
    before = np.flatnonzero(looks <= STRETCH * history.n_labels)
    wanted = quiet_rows(history.n_rows_in_pool, hidden)
    explored = np.cumsum(history.exploratory, dtype=np.int64)
    if before.size == 0:
        return {}
    allowed = SMALL_CHANGE
    if history.explore > 0.0:
        allowed = min(LARGEST_CHANGE, SMALL_CHANGE * float(explored[-1]) / wanted)
    if not changed[before[-1]] <= allowed:
        return {}
    exploration = "Nothing was looked for away from the border (explore=0)."
    if history.explore > 0.0:
        exploration = _exploration_settled(history, explored, wanted, allowed)
        if not exploration:
            return {}
    inside = inside_margin_bound(history)
    if history.explore == 0.0 and inside > SMALL_CHANGE:
        return {}
    return {
        "stable": f"The last {history.n_labels - looks[before[-1]]:,} of {history.n_labels:,} "
        "labels changed the predicted rows of the rarer classes by "
        f"{100.0 * changed[before[-1]]:.1f} %.",
        "margin": f"At most {100.0 * inside:.2g} % of the unlabelled rows still lie inside the "
        "margin, 95 % confidence.",
        "exploration": exploration,
    }


def quiet_rows(n_rows: int, hidden: float = HIDDEN) -> int:
    """Return how many exploratory rows without a surprise `stop_automatically` asks for.

    Parameters
    ----------
    n_rows : int
        Rows of the pool.
    hidden : float, default=0.005
        Share of the pool that a part of the rare class may have and stay hidden.

    Returns
    -------
    int
        As many as exclude that share with 95 % confidence, but at most a thirtieth of the pool; at
        least twice the square root of its rows.

    Examples
    --------
    >>> from rarebit.active import quiet_rows
    >>> quiet_rows(1_000), quiet_rows(18_000), quiet_rows(18_000, hidden=0.01)
    (64, 598, 299)
    """
    exact = np.log(1.0 - CONFIDENCE) / np.log1p(-hidden)
    least = EXPLORATION * np.sqrt(n_rows)
    return int(np.ceil(max(least, min(exact, MOST_EXPLORED * n_rows))))


def excluded_share(quiet: int) -> float:
    """Return the share of hidden rows that so many rows without a surprise exclude.

    Parameters
    ----------
    quiet : int
        Rows, drawn at random or better.

    Returns
    -------
    float
        Had more rows than this share been hidden, one of them would have shown with 95 %
        confidence.

    Examples
    --------
    >>> from rarebit.active import excluded_share
    >>> round(excluded_share(598), 4), excluded_share(0)
    (0.005, 1.0)
    """
    return float(-np.expm1(np.log(1.0 - CONFIDENCE) / quiet)) if quiet else 1.0


def _exploration_settled(
    history: History, explored: NDArray[np.int64], wanted: float, allowed: float
) -> str:
    """Say why exploration is over, or return an empty string."""
    surprises = np.flatnonzero(history.surprises)
    last = int(explored[surprises[-1]]) if surprises.size else 0
    quiet = int(explored[-1]) - last
    if quiet >= wanted:
        return (
            f"Of the last {quiet:,} exploratory rows, none had an unexpected class: a hidden "
            f"part of the rarer classes of {100.0 * excluded_share(quiet):.2g} % of the rows or "
            f"more is excluded with {100 * CONFIDENCE:g} % confidence, if exploring finds no less "
            "than chance does."
        )
    # Surprises went on, but did they teach anything? Compare with the last look before them.
    looks = history.checks["n_labels"]
    explored_then = explored[np.maximum(looks - 1, 0)]
    enough = np.flatnonzero(
        (explored[-1] - explored_then >= wanted) & (looks <= STRETCH * history.n_labels)
    )
    if enough.size == 0 or not history.checks["changed_since"][enough[-1]] <= allowed:
        return ""
    met = int(explored[-1] - explored_then[enough[-1]])
    found = int(np.count_nonzero(surprises >= looks[enough[-1]]))
    return (
        f"Of the last {met:,} exploratory rows, {found:,} had an unexpected class, and learning "
        "them left the predictions as they were."
    )


def inside_margin_bound(history: History, risk: float = 0.05) -> float:
    """Bound the share of unlabelled rows inside the margin, by the rows drawn for queries.

    Parameters
    ----------
    history : History
        What was asked and learned.
    risk : float, default=0.05
        Probability that the bound ever fails.

    Returns
    -------
    float
        The bound. It holds at all times at once: each stretch of draws that begins at a look of
        the stop rule has its own part of the risk.
    """
    inside, drawn = (
        np.append(0, np.cumsum(history[name], dtype=np.int64)) for name in ("inside", "drawn")
    )
    starts = np.append(0, history.checks["n_labels"]).tolist()
    bound = 1.0
    # Recent stretches tell of the margin as it is; all have a share of the risk all the same.
    for number, start in list(enumerate(starts, 1))[-12:]:
        trials = int(drawn[-1] - drawn[start])
        if trials > 0:
            part = 6.0 * risk / (np.pi * number) ** 2
            bound = min(bound, share_upper_bound(int(inside[-1] - inside[start]), trials, part))
    return bound


# The names of rules that a ``stop`` parameter takes.
STOP_RULES: dict[str, StopRule] = {
    "auto": stop_automatically,
    "support": stop_on_support,
    "margin": stop_on_margin,
}


def resolve_rule(stop: Any) -> StopRule | None:
    """Return the rule that a ``stop`` parameter names."""
    if stop is None or callable(stop):
        return stop
    return STOP_RULES[stop]


def reasons_of(rule: StopRule | None, history: History) -> dict[str, str]:
    """Apply a rule; a user's rule may also return a sentence or a truth value."""
    if rule is None:
        return {}
    said: Any = rule(history)
    if isinstance(said, Mapping):
        return {str(name): str(reason) for name, reason in said.items()}
    if isinstance(said, str):
        return {"stop": said} if said else {}
    if said is None or isinstance(said, bool | np.bool_):
        return {"stop": "The stop rule said so."} if said else {}
    raise TypeError(
        "A stop rule must return a mapping of names to reasons, a sentence, a bool or None, got "
        f"{type(said).__name__}: return an empty dict to continue."
    )
