"""How far a desk is, for pages: counts, curve, time per label, forecast, agreement."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from rarebit._text import counted
from rarebit.projects._advice import StopAdvice, Ways, advise
from rarebit.projects._learned import PROVES
from rarebit.projects._proofs import forecast_sentence, percent, takes_all
from rarebit.projects._rare_classes import model_scope
from rarebit.projects._sentences import fact_sentences

if TYPE_CHECKING:
    from rarebit.projects._desk import Desk
    from rarebit.statistics import Coefficient

_POINTS = 200
_LONGEST_PAUSE = 300.0  # seconds after which somebody was away
_PALETTE = ("#2563eb", "#c2410c", "#15803d", "#7c3aed", "#be185d", "#0e7490", "#a16207", "#4d7c0f",
            "#b91c1c", "#0f766e", "#57534e", "#86198f")  # fmt: skip
_WAYS = Ways(
    prove=PROVES,
    raise_limit="raise the limit under Project",
    insist="choose “Continue all the same” under Label",
)
_COMPUTING = "What the labels say is being computed."
_KEYS = "123456789abcdefghijklmnopqrtvwxyz"


def brief_progress(desk: Desk, annotator: str) -> dict[str, Any]:
    """Return the counts that every reply carries.

    Parameters
    ----------
    desk : Desk
        The project.
    annotator : str
        Whose own labels are counted.

    Returns
    -------
    dict
        Values that JSON has.
    """
    board, learned = desk.board, desk.learner.learned
    counts = board.counts
    own = board.answers.labelled_by(annotator)
    return {
        "labels": len(board.labels),
        "skipped": len(board.skipped),
        "rows": desk.table.n_rows,
        "mine": own,
        "classes": [
            {"name": name, "labelled": counts[name]} for name in board.class_names()
        ],
        "stop_advised": learned is not None and bool(learned.stop_reasons),
        "search": "" if learned is None else learned.search,
        "behind": max(0, desk.n_behind),
        "learner": desk.state,
    }  # fmt: skip


def class_settings(desk: Desk) -> list[dict[str, Any]]:
    """Return the classes with colours and keys; those without get the next free ones."""
    settings = desk.settings
    names = desk.board.class_names()
    taken = {key for key in settings.keys.values() if key}
    seen = {settings.colours[name] for name in names if settings.colours.get(name)}
    found = []
    for i, name in enumerate(names):
        key = settings.keys.get(name, "")
        if not key:  # a class that is called like a key has that one, if it is free
            wanted = [name.lower()] if name == "0" or name.lower() in tuple(_KEYS) else []
            key = next((each for each in (*wanted, *_KEYS) if each not in taken), "")
            taken.add(key)
        colour = settings.colours.get(name)
        if not colour:
            from_here = [_PALETTE[(i + j) % len(_PALETTE)] for j in range(len(_PALETTE))]
            colour = next((each for each in from_here if each not in seen), from_here[0])
            seen.add(colour)
        found.append({"name": name, "colour": colour, "key": key})
    return found


def rare_settings(desk: Desk) -> dict[str, Any]:
    """Return which classes are rare: what was named, and what counts where nothing was.

    Parameters
    ----------
    desk : Desk
        The project.

    Returns
    -------
    dict
        ``rare`` and ``normal``, names, ``rare_sentence`` on what counts now, and
        ``model_sentence`` on what the exported model tells apart.
    """
    settings, rare = desk.settings, desk.insight.rare
    met = [name for name in desk.board.class_names() if desk.board.counts[name] > 0]
    found: dict[str, Any] = {"rare": list(settings.rare), "normal": list(settings.normal)}
    named = any(found.values())
    found["model_sentence"] = model_scope(settings, rare, met)
    if named:
        return {**found, "rare_sentence": ""}
    if not rare.is_known:
        return {**found, "rare_sentence": "Which class is the usual one is not known yet."}
    usual = ", ".join(repr(name) for name in sorted(rare.normal))
    sentence = f"Every class but {usual} counts as rare now."
    several = len(rare.members(desk.board.class_names())) > 1
    if several and settings.goal != "find" and settings.recall is None:
        sentence += (
            " The exported model takes the rarest of them alone for rare: name the rare classes to "
            "make them one."
        )
    return {**found, "rare_sentence": sentence}


def full_status(desk: Desk) -> dict[str, Any]:
    """Return everything that the view of the progress shows.

    Parameters
    ----------
    desk : Desk
        The project.

    Returns
    -------
    dict
        Values that JSON has.
    """
    board, learned, settings = desk.board, desk.learner.learned, desk.settings
    computing = bool(board.labels) and not desk.learner.is_current
    status = None if learned is None or computing else learned.status
    reasons = {} if status is None else dict(status.stop_reasons)
    shown = {each["name"]: each for each in class_settings(desk)}
    seconds, by_annotator = _seconds_per_label(desk)
    guarantee = _guarantee(desk)
    classes = []
    for name, (at, row) in board.first_at.items():
        if board.counts[name] > 0:
            look = shown.get(str(name), {"colour": "#6b7280", "key": ""})
            classes.append({
                "class": str(name), "labelled": board.counts[name], "first_seen_at": at,
                "first_row": _id(desk, row), "colour": look["colour"], "key": look["key"],
            })  # fmt: skip
    done = learned is not None and learned.done and desk.n_behind <= 0
    advice = StopAdvice(False, "More labels should help")
    if computing:
        advice = StopAdvice(False, _COMPUTING.removesuffix("."))
    elif status is not None:
        advice = advise(status, _WAYS, is_full=desk.is_full)
    return {
        "rows": desk.table.n_rows,
        "labels": len(board.labels),
        "skipped": len(board.skipped),
        "waiting": len(board.waiting),
        "held_out": 0 if status is None else status.n_held_out,
        "classes": classes,
        "labels_by_annotator": board.answers.counts(),
        "disagreements": len(board.disagreements()) if desk.team else 0,
        "done": done,
        "stop": {"advised": bool(reasons), "reasons": reasons, "sentence": str(advice)},
        # What is advised stands by itself, in the words of the page.
        "sentences": [] if status is None else fact_sentences(status),
        "guarantee": guarantee,
        "computing": computing,
        "target": settings.recall,
        "goal": settings.goal,
        "stop_rule": settings.stop,
        # Of answered rows alone: nothing may tell such a row before its answer.
        "audited": any(
            origin.reason == "audit" and row in board.labels for row, origin in board.asked.items()
        ),
        "curve": _curve(desk),
        "time_per_label": {"median_seconds": seconds, "by_annotator": by_annotator},
        "forecast": forecast(desk, None),
        "learner": {
            "state": desk.state, "message": desk.message, "behind": max(0, desk.n_behind),
            "ready": desk.n_free,
        },
        "store": desk.store.address,
        "settings_version": desk.store.settings[0],
        "is_full": desk.is_full,
        "max_labels": settings.max_labels,
        "notes": list(desk.project_notes),
    }  # fmt: skip


def _guarantee(desk: Desk) -> dict[str, Any] | None:
    """Return what the labels prove; the status of the project knows it."""
    learned = desk.learner.learned if desk.learner.is_current else None
    proof = None if learned is None else learned.status.proof
    if proof is None:
        return None
    values = dict(proof.to_json())
    values["sentence"] = " ".join(values.pop("sentences", ()))
    return values


def forecast(desk: Desk, recall: float | None) -> dict[str, Any] | None:
    """Return how many more labels would prove a recall; None where nothing can be said.

    Parameters
    ----------
    desk : Desk
        The project.
    recall : float or None
        The share to prove; None for the project's target.

    Returns
    -------
    dict or None
        ``labels_left``, ``seconds_left`` and a sentence.
    """
    target = recall if recall is not None else desk.settings.recall
    learned = desk.learner.learned if desk.learner.is_current else None
    guarantee = None if learned is None else learned.guarantee
    if target is None or guarantee is None:
        return None
    planned = guarantee.forecast(target)
    if guarantee.found and guarantee.recall_min >= target:
        left: int | None = 0
    else:
        left = planned.labels if planned.labels is not None else planned.audits
    seconds, _ = _seconds_per_label(desk)
    goal = f"A recall of {percent(target)}"
    if not guarantee.found:
        sentence = f"{goal} cannot be forecast yet: label more rows first."
    elif left == 0:
        sentence = f"{goal} is proved."
    else:
        all_rows = takes_all(guarantee, planned.audits)
        sentence = forecast_sentence(target, planned.audits, planned.labels, all_rows=all_rows)
    ends = [each for each in (planned.audits, planned.labels) if each is not None]
    return {
        "recall": target, "target": target, "labels_left": left,
        "low": min(ends, default=None), "high": max(ends, default=None),
        "seconds_left": None if left is None or seconds is None else round(left * seconds),
        "sentence": sentence,
    }  # fmt: skip


def why_no_forecast(desk: Desk) -> str:
    """Return why nothing can be forecast, and what to do about it.

    Parameters
    ----------
    desk : Desk
        A project of which `forecast` returns None.

    Returns
    -------
    str
        A sentence.
    """
    if desk.board.labels and not desk.learner.is_current:
        return f"{_COMPUTING} Ask again in a moment."
    if sum(n > 0 for n in desk.board.counts.values()) < 2:
        return "Nothing can be forecast yet: label rows of two classes first."
    if desk.settings.recall is None:
        return (
            "An estimate rests on rows drawn at random, which are asked from when a recall to "
            "prove is set: choose it under Project (“Prove a recall”) and save the settings."
        )
    return "Nothing can be forecast yet: label more rows first."


def _curve(desk: Desk) -> list[dict[str, Any]]:
    """Return classes and rare rows found by number of labels, and how good guesses were."""
    board = desk.board
    labels = list(board.labels.values())
    if not labels:
        return []
    rare = desk.insight.rare
    is_rare = np.array([rare(each) for each in labels])
    seen: set[Any] = set()
    found = []
    for label in labels:
        seen.add(label)
        found.append(len(seen))
    total = np.cumsum(is_rare)
    learned = desk.learner.learned
    at, shares = ([], []) if learned is None else learned.expected
    places = np.unique(np.linspace(1, len(labels), min(_POINTS, len(labels))).astype(int))
    guesses = np.interp(places, at, shares, left=np.nan) if at else np.full(len(places), np.nan)
    return [
        {
            "labels": int(n),
            "found": found[n - 1],
            "rare_found": int(total[n - 1]),
            "agreement": None if np.isnan(guess) else round(float(guess), 4),
        }
        for n, guess in zip(places, guesses, strict=True)
    ]


def _seconds_per_label(desk: Desk) -> tuple[float | None, dict[str, float]]:
    """Return the median time between the answers of each person, pauses aside."""
    every: list[float] = []
    people = {}
    for annotator, answers in desk.board.answers.by_annotator().items():
        events = sorted(answers.values(), key=lambda event: event.number)[-500:]
        times = [_seconds(event.at) for event in events if event.source == "person"]
        gaps = [b - a for a, b in pairwise(times) if 0 < b - a < _LONGEST_PAUSE]
        if gaps:
            people[annotator] = round(float(np.median(gaps)), 2)
            every += gaps
    return (round(float(np.median(every)), 2) if every else None), people


def _seconds(at: str) -> float:
    try:
        return datetime.fromisoformat(at).timestamp()
    except ValueError:
        return 0.0


def team_agreement(desk: Desk) -> dict[str, Any]:
    """Return how far annotators agree on rows of the blind overlap.

    Parameters
    ----------
    desk : Desk
        The project.

    Returns
    -------
    dict
        Values that JSON has.
    """
    from rarebit.statistics import agreement  # brings SciPy, which a first row needs not

    found = agreement(desk.board.overlap_labels())
    if not found.n_rows:
        share = desk.settings.overlap
        sentence = (
            "No row was labelled by two people yet."
            if share
            else "Nothing is labelled by two people: set an overlap in the project's settings."
        )
    else:
        assert found.raw is not None
        same, low, high = (100 * x for x in (found.raw.value, found.raw.low, found.raw.high))
        sentence = (
            f"On {counted(found.n_rows, 'row')} that two people labelled blindly they agree in "
            f"{same:.0f} % (95 % interval {low:.0f} to {high:.0f} %)."
        )
    return {
        "rows": found.n_rows,
        "people": list(found.annotators),
        "raw": _coefficient(found.raw),
        "cohen": [
            {"a": a, "b": b, "rows": each.n_rows, **(_coefficient(each) or {})}
            for (a, b), each in found.cohen.items()
        ],
        "krippendorff": _coefficient(found.krippendorff),
        "fleiss": _coefficient(found.fleiss),
        "sentence": sentence,
    }


def _coefficient(found: Coefficient | None) -> dict[str, float] | None:
    if found is None:
        return None
    return {name: round(getattr(found, name), 4) for name in ("value", "low", "high")}


def _id(desk: Desk, row: int) -> Any:
    value = desk.table.ids[row]
    return value.item() if isinstance(value, np.generic) else value
