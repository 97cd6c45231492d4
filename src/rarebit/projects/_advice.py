"""Whether to stop, why, and how to continue: one advice for terminal, report, status and page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rarebit._text import counted
from rarebit.projects._proofs import percent

if TYPE_CHECKING:
    from rarebit.projects._searching import SearchProgress
    from rarebit.projects._status import ProjectStatus


@dataclass(frozen=True)
class Ways:
    """How the readers of an advice do what it names.

    Attributes
    ----------
    prove : str
        What people set to have a recall proved, after "set".
    resume : str
        How to continue, after "to continue,"; empty where people just answer the next question.
    raise_limit : str
        How to continue at the limit of labels, after "to continue,".
    insist : str
        How to continue after the advice to stop, after "to continue,"; empty where they cannot.
    """

    prove: str = "a recall to prove"
    resume: str = ""
    raise_limit: str = "raise the limit"
    insist: str = ""


@dataclass(frozen=True)
class StopAdvice:
    """Whether to stop, why, and how to continue; ``str(advice)`` is all of it.

    Attributes
    ----------
    stop : bool
        Whether people may stop.
    verdict : str
        That in a few words, without a full stop.
    reasons : tuple of str
        Why, in sentences.
    steps : tuple of str
        How to continue, and what the advice does not say, in sentences.
    """

    stop: bool
    verdict: str
    reasons: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()

    @property
    def lines(self) -> list[str]:
        """Verdict and reasons in a line, then a line per step."""
        first = f"{self.verdict}."
        if self.reasons:
            mark = ":" if self.stop and ":" not in self.verdict else "."
            first = f"{self.verdict}{mark} {' '.join(self.reasons)}"
        return [first, *self.steps]

    def to_json(self) -> dict[str, Any]:
        """Return the advice as values that JSON has."""
        return {
            "stop": self.stop,
            "verdict": f"{self.verdict}.",
            "reasons": list(self.reasons),
            "steps": list(self.steps),
        }

    def __str__(self) -> str:
        return " ".join(self.lines)


def advise(
    status: ProjectStatus, ways: Ways | None = None, *, is_full: bool | None = None
) -> StopAdvice:
    """Return whether to stop, why, and how to continue.

    Parameters
    ----------
    status : ProjectStatus
        Status of the project.
    ways : Ways or None, default=None
        How its readers do what the advice names.
    is_full : bool or None, default=None
        Whether the limit of labels is reached; None for what the status says.

    Returns
    -------
    StopAdvice
        The same for everybody who asks, but for the ways.
    """
    ways = ways or Ways()
    full = status.is_full if is_full is None else is_full
    proof = status.proof
    target = None if proof is None else proof.target
    goal = "" if target is None else f"recall of {percent(target)}"
    if status.stop_reasons:
        reasons = {**status.stop_reasons}
        verdict = "You may stop"
        if proof is not None and proof.reached:
            verdict = f"You may stop: a {goal} is proved"
            reasons.pop("proved", None)  # what is proved is told in full beside the advice
        elif goal:
            reasons["unproved"] = f"A {goal} is not proved."
        steps = []
        if ways.insist and "half" in reasons:
            steps.append(f"To continue, {ways.insist}.")
        if promises_nothing(status):
            steps.append("This advice promises no recall: rare rows may be missing.")
            steps.append(f"To prove that a share of them is found, set {ways.prove}.")
        return StopAdvice(True, verdict, tuple(reasons.values()), tuple(steps))
    reasons = {"unmet": status.unmet} if status.unmet else {}
    if full:
        reasons["limit"] = f"The limit of {counted(status.max_labels or 0, 'label')} is reached."
    how = ways.raise_limit if full else ways.resume
    steps = [f"To continue, {how}."] if how else []
    found = searched(status)
    if found is not None:
        verdict = f"You decide {'whether to continue' if full else 'when to stop'}"
        reasons["found"] = _found_sentence(found)
        ends = "" if full else ", and asking ends only when every row has its answer"
        reasons["open"] = f"Nothing is proved{ends}."
        steps.insert(
            0,
            f"To end when a share of the rare rows is proved to be found, set {ways.prove}.",
        )
    elif goal:
        verdict = f"Continue: a {goal} is not proved yet"
    else:
        verdict = "More labels should help"
    return StopAdvice(False, verdict, tuple(reasons.values()), tuple(steps))


def promises_nothing(status: ProjectStatus) -> bool:
    """Whether the advice to stop promises no recall: no target was set, and rows are left.

    Parameters
    ----------
    status : ProjectStatus
        Status of the project.

    Returns
    -------
    bool
        False while more labels should help, and once every row of the pool has its label.
    """
    if status.proof is None or status.proof.target is not None or not status.stop_reasons:
        return False
    return "exhausted" not in status.stop_reasons or bool(status.n_skipped)


def searched(status: ProjectStatus) -> SearchProgress | None:
    """Return what a search has found that only people can end, once it has labels."""
    found = status.search
    return found if status.is_open_search and found is not None and found.labels else None


def recently(found: SearchProgress) -> str:
    """Return how many of the last answers were rare, in a few words."""
    if found.since_found >= found.recent:
        return f"none in the last {counted(found.since_found, 'label')}"
    return f"{found.recent_found:,} in the last {counted(found.recent, 'label')}"


def _found_sentence(found: SearchProgress) -> str:
    if not found.found and not found.given:
        return f"No rare row is among the {counted(found.labels, 'label')}."
    if found.given:
        known = counted(found.found + found.given, "rare row is", "rare rows are")
        if not found.found:
            return f"{known} known (given beforehand), {recently(found)}."
        return f"{known} known, {found.given:,} of them given beforehand, {recently(found)}."
    many = counted(found.found, "rare row has", "rare rows have")
    return f"{many} been found, {recently(found)}."
