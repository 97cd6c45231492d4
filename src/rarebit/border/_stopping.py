"""When to stop asking: pure functions of the history that return reasons in words.

A rule returns a mapping of names to sentences; an empty one means that asking goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.border._bounds import share_upper_bound
from rarebit.border._history import History

StopRule = Callable[[History], Mapping[str, str]]

# Constants of the automatic rule, chosen on the development sets named in the documentation.
STRETCH = 0.7  # predictions are compared with those of this share of the labels
EXPLORATION = 2.0  # exploratory rows without surprise, as a multiple of sqrt(rows of the pool)
# Change of the predictions that is let pass after so many exploratory rows, and in proportion after
# more, up to a limit: where classes overlap predictions never come to rest.
SMALL_CHANGE = 0.0125
LARGEST_CHANGE = 0.05

# Constants of the paper's rule on support vectors, for which it gives none.
SUPPORT_WINDOW = 100
SUPPORT_GROWTH = 0.01


def next_check(n_labels: int) -> int:
    """Return the number of labels at which stop rules look next.

    Looks are 8 % apart, so that a rule overshoots by little and costs little.

    Parameters
    ----------
    n_labels : int
        Labels known now.

    Returns
    -------
    int
        Labels at the next look.

    Examples
    --------
    >>> from rarebit.border import next_check
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
        Reasons to stop; empty to go on.
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
        Reasons to stop; empty to go on.
    """
    border = np.flatnonzero(history["how"] == "border")
    if border.size == 0 or not history["distance"][border[-1]] >= 1.0:
        return {}
    drawn = int(history["drawn"][border[-1]])
    return {
        "margin": f"The closest of {drawn:,} unlabelled rows lies outside the margin, at "
        f"{history['distance'][border[-1]]:.2f} times its width."
    }


def stop_automatically(history: History) -> dict[str, str]:
    """Stop when the border has settled and looking elsewhere has ceased to surprise.

    Two things must hold. The predicted classes of rows watched at random have hardly moved while
    the last 30 % of the labels came in. And exploration, rows asked for far from the border, has
    found nothing that the machine was sure to be otherwise: an empty margin alone does not see
    a cluster of the rare class that nobody has met. How many exploratory rows that takes grows
    with the square root of the pool. Where classes overlap surprises never cease; they count for
    nothing when as many exploratory rows have left the predictions as they were. Without
    exploration (``explore=0``) the margin must be empty instead, and the reasons say what was not
    looked for.

    Parameters
    ----------
    history : History
        What was asked and learned.

    Returns
    -------
    dict
        Reasons to stop; empty to go on.
    """
    looks, changed = history.checks["n_labels"], history.checks["changed_since"]
    before = np.flatnonzero(looks <= STRETCH * history.n_labels)
    wanted = EXPLORATION * np.sqrt(history.n_rows_in_pool)
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


def _exploration_settled(
    history: History, explored: NDArray[np.int64], wanted: float, allowed: float
) -> str:
    """Say why exploration is over, or return an empty string."""
    surprises = np.flatnonzero(history.surprises)
    last = int(explored[surprises[-1]]) if surprises.size else 0
    quiet = int(explored[-1]) - last
    if quiet >= wanted:
        return f"The last {quiet:,} exploratory rows brought no surprise."
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
        f"The last {met:,} exploratory rows brought {found:,} surprises, which left the "
        "predictions as they were."
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


def resolve_rule(stop: Any) -> StopRule | None:
    """Return the rule that a ``stop`` parameter names."""
    if stop is None or callable(stop):
        return stop
    rules: dict[str, StopRule] = {
        "auto": stop_automatically,
        "support": stop_on_support,
        "margin": stop_on_margin,
    }
    return rules[stop]


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
        f"{type(said).__name__}; return an empty dict to go on."
    )
