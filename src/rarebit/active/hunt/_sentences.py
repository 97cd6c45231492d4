"""What a hunt says of itself, in sentences."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from rarebit.statistics import Certificate, Guarantee, floor_percent


def describe_activity(
    phase: str, *, harvests: bool, explorer_done: bool, vain: str, unmet: str = ""
) -> str:
    """Describe what the next question is for, in a sentence without its full stop."""
    if phase == "done":
        return "Nothing more needs to be asked"
    if phase == "explore" and unmet:
        return f"Classes that were named are sought. {unmet}"
    if phase == "explore":
        return "Classes are sought, because a border needs two of them"
    if phase == "certify":
        return "Rows are drawn at random to judge the frozen classifier"
    if phase == "harvest":
        return "Rows that look rare are asked for"
    if phase == "prove":
        return "Rows that look rare are asked for, and random ones to prove how many are found"
    learned = "The border is being learned"
    if harvests:
        learned += ", and rows that look rare are asked for"
    if explorer_done:
        return f"{learned}; every class that was sought is found"
    if phase == "border":
        return f"{learned}, and one question in ten explores{'. ' * bool(vain)}{vain}"
    return "Exploring and learning the border take turns, because new classes may still turn up"


def unmet_sentence(unmet: Sequence[Any], met: Collection[Any], n_labels: int, *, done: bool) -> str:
    """Say that classes which were named were never met.

    Examples
    --------
    >>> from rarebit.active.hunt._sentences import unmet_sentence
    >>> unmet_sentence(["frod"], ["ok", "fraud"], 40, done=True)
    "No row of the class 'frod' is among the 40 labels, which have 'ok', 'fraud': check its name."
    """
    names = ", ".join(repr(name) for name in unmet)
    known = ", ".join(repr(name) for name in list(met)[:8]) + ", …" * (len(met) > 8)
    return (
        f"No row of the class{'es' * (len(unmet) > 1)} {names} is among the {n_labels:,} "
        f"label{'s' * (n_labels != 1)}, which {'have' if n_labels != 1 else 'has'} {known}: check "
        f"{'their names' if len(unmet) > 1 else 'its name'}"
        f"{'' if done else ', or label more rows'}."
    )


def certified_sentence(proved: Sequence[Certificate]) -> str:
    """Say that a frozen classifier is certified, and where there was no precision to prove."""
    if any("precision" in one.claims and one.precision_min is None for one in proved):
        return (
            "The recall of the frozen classifier is proved as wanted; no row without a label is "
            "predicted rare, so there is no precision to prove."
        )
    return "What was to be certified of the frozen classifier is proved."


def proof_sentence(proved: Guarantee, rare: str) -> str:
    """Return what is proved, at which confidence, and what it assumes, in one sentence."""
    return (
        f"At least {floor_percent(proved.recall_min)} of the rare rows of this pool ({rare}) are "
        f"found, with {100 * (1 - proved.risk):g} % confidence: {proved.found:,} are known and at "
        f"most {proved.remaining_max:,} are missing, if the labels are right."
    )
