"""What a project has proved, as data, and the sentences that say so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from rarebit._text import counted

if TYPE_CHECKING:
    from rarebit.active import Hunt
    from rarebit.statistics import Guarantee, NoisyGuarantee, Repeats

ASSUMES = "It assumes that the labels are right, and it is about the rows of this pool only."
# What `Hunt.rare_` says while nobody named the rare classes and labels do not tell.
UNSETTLED = "not known yet"


@dataclass(frozen=True)
class ClassProof:
    """What is proved of one of several rare classes; the bounds of all hold together.

    Attributes
    ----------
    name : str
        The class.
    found : int
        Rows of it that are known.
    total_max : int
        Rows of it in the pool at most.
    recall_min : float
        Share of them that is found at least.
    """

    name: str
    found: int
    total_max: int
    recall_min: float


@dataclass(frozen=True)
class Proof:
    """What the labels of a project prove, and what the next step would cost.

    Attributes
    ----------
    rare : str
        The rare classes, in words.
    confidence : float
        Probability that the bounds are right, at all times at once.
    target : float or None
        Recall to be proved; None where nothing is to be proved.
    reached : bool
        Whether it is proved.
    recall_min : float
        Share of the rare rows that is found at least.
    total_max : int
        Rare rows of the pool at most.
    remaining_max : int
        Rare rows that are not found at most.
    found : int
        Rare rows that are known, those given beforehand among them.
    audits, hits : int
        Answered draws, and those that were rare.
    unanswered : int
        Rows that were asked without an answer, each of which counts as rare until it has one.
    next_audits : int or None
        Further draws that prove the target if none of them is rare; None if no number does.
    next_labels : int or None
        Further draws that prove it in half of the futures that the draws so far make likely; a hit
        may make it fewer than `next_audits`.
    labels_left : int or None
        Labels up to the limit of the project.
    recall_within : float or None
        Recall that these would prove if all were draws and none were rare.
    repeats : int
        Blind second answers.
    disagreement : float or None
        Share of them that differ from the first; None without any.
    noisy_recall_min : float or None
        Recall if labels may be wrong as often as the second answers allow; None without any.
    noisy_confidence : float or None
        Probability that it is right, under the model of wrong labels.
    unmet_max : int or None
        Rows of classes that nobody has met at most, with the same confidence, as a statement of its
        own; None where nothing is to be proved. It may be older than the other figures by two
        percent of the answers, as `by_class`.
    by_class : tuple of ClassProof
        What is proved of each rare class where several are named; they share the risk.
    given : int
        Rare rows of `found` that were known beforehand.
    next_is_all : bool
        Whether `next_audits` are all rows that are left.
    """

    rare: str
    confidence: float
    target: float | None
    reached: bool
    recall_min: float
    total_max: int
    remaining_max: int
    found: int
    audits: int
    hits: int
    unanswered: int
    next_audits: int | None
    next_labels: int | None
    labels_left: int | None = None
    recall_within: float | None = None
    repeats: int = 0
    disagreement: float | None = None
    noisy_recall_min: float | None = None
    noisy_confidence: float | None = None
    unmet_max: int | None = None
    by_class: tuple[ClassProof, ...] = ()
    given: int = 0
    next_is_all: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the proof as values that JSON has, with its sentences."""
        values = asdict(self)
        del values["next_is_all"]  # it is in the sentences
        return {**values, "sentences": proof_sentences(self)}


def proved_by(hunt: Hunt) -> Guarantee:
    """Return what a hunt proves, with forecasts that count on answers to the rows that wait.

    A bound takes every row without an answer for rare, because it may be. A plan that did so
    would call a recall out of reach because of questions that nobody has come to yet, and a page
    asks many ahead.

    Parameters
    ----------
    hunt : Hunt
        As it is now.

    Returns
    -------
    Guarantee
        The bounds of ``hunt.guarantee()``; ``forecast`` and ``within`` take rows that wait as not
        asked for.
    """
    found = hunt.guarantee()
    ledger, n_waiting = found.ledger, len(hunt.pending_)
    if len(ledger.draws) or not n_waiting:
        return found  # the plan of the hunt leaves them out, draws included
    # Before the rare classes are settled no draw counts, and the hunt plans from the bound itself.
    return replace(found, plan=replace(ledger, unanswered=max(0, ledger.unanswered - n_waiting)))


def make_proof(
    proved: Guarantee,
    rare: str,
    *,
    target: float | None,
    labels_left: int | None = None,
    repeats: Repeats | None = None,
    unmet_max: int | None = None,
    by_class: tuple[ClassProof, ...] = (),
) -> Proof:
    """Turn a guarantee into the data that people are shown.

    Parameters
    ----------
    proved : Guarantee
        Of the hunt.
    rare : str
        The rare classes, in words.
    target : float or None
        Recall to be proved.
    labels_left : int or None, default=None
        Labels up to the limit of the project.
    repeats : Repeats or None, default=None
        Blind second answers.
    unmet_max : int or None, default=None
        Rows of classes that nobody has met at most.
    by_class : tuple of ClassProof, default=()
        What is proved of each of several rare classes.

    Returns
    -------
    Proof
        Data.
    """
    plan = None if target is None else proved.forecast(target)
    noisy = _noisy(proved, repeats)
    asked_twice = 0 if repeats is None else repeats.rare + repeats.normal
    return Proof(
        rare=rare,
        confidence=round(1.0 - proved.risk, 12),
        target=target,
        reached=target is not None and proved.recall_min >= target,
        recall_min=proved.recall_min,
        total_max=proved.total_max,
        remaining_max=proved.remaining_max,
        found=proved.found,
        audits=proved.audits,
        hits=proved.hits,
        unanswered=proved.unanswered,
        next_audits=None if plan is None else plan.audits,
        next_labels=None if plan is None else plan.labels,
        labels_left=labels_left,
        recall_within=(
            None if labels_left is None else proved.within(labels_left, kappa=target or 0.0)
        ),
        repeats=asked_twice,
        disagreement=repeats.disagreement if repeats is not None and asked_twice else None,
        noisy_recall_min=None if noisy is None else noisy.recall_min,
        noisy_confidence=None if noisy is None else round(1.0 - noisy.risk, 12),
        unmet_max=unmet_max,
        by_class=by_class,
        next_is_all=plan is not None and takes_all(proved, plan.audits),
    )


def takes_all(proved: Guarantee, audits: int | None) -> bool:
    """Return whether so many further draws are all rows that are left."""
    return audits is not None and 0 < (proved.plan or proved.ledger).urn <= audits


def _noisy(proved: Guarantee, repeats: Repeats | None) -> NoisyGuarantee | None:
    if repeats is None or repeats.rare == repeats.rare_changed or not proved.found:
        return None  # nothing is known of how often rare rows are called normal
    from rarebit.statistics import allow_for_noise  # with a guarantee it is imported already

    return allow_for_noise(
        proved.total_max, proved.found, repeats, risk=proved.risk, noise_risk=proved.risk
    )


def percent(share: float) -> str:
    """Return a share in percent, never rounded up.

    Examples
    --------
    >>> from rarebit.projects import percent
    >>> percent(0.8999), percent(0.9), percent(1.0)
    ('89.9 %', '90 %', '100 %')
    """
    from rarebit.statistics import floor_percent  # brings SciPy, which few sentences need

    return floor_percent(share)


def rare_count(known: int, given: int) -> str:
    """Return how many rare rows are known, and how many of them nobody had to find.

    Examples
    --------
    >>> rare_count(29, 0), rare_count(30, 1), rare_count(1, 1)[11:]
    ('29 rare rows found', '30 rare rows known, 1 of them given', 'known (given beforehand)')
    """
    part = " (given beforehand)" if given == known else f", {given:,} of them given"
    return f"{counted(known, 'rare row')} {f'known{part}' if given else 'found'}"


def proof_line(proof: Proof | None) -> str:
    """Return the few words on the proof that stand above a question; empty without a target.

    Examples
    --------
    >>> from rarebit.projects import proof_line
    >>> proof_line(None)
    ''
    """
    if proof is None or proof.target is None:
        return ""
    if proof.rare == UNSETTLED:
        return "which class is rare is not known yet"
    if not proof.found:
        return "no rare row found yet"
    said = f"{rare_count(proof.found, proof.given)}, "
    said += f"recall of at least {percent(proof.recall_min)} proved"
    if proof.reached or proof.next_labels is None:
        return said
    said += f", about {proof.next_labels:,} more for {percent(proof.target)}"
    if proof.next_audits is not None and proof.next_audits != proof.next_labels:
        said += f" ({proof.next_audits:,} if none is rare)"
    return said


def proof_sentences(proof: Proof) -> list[str]:
    """Return what is proved, at which confidence, what it assumes, and what comes next.

    Parameters
    ----------
    proof : Proof
        Of a project.

    Returns
    -------
    list of str
        One sentence per fact.
    """
    sure = f"with {100 * proof.confidence:g} % confidence"
    if proof.rare == UNSETTLED:
        said = [
            "Which class is rare is not known yet, so no recall can be proved: name it (--rare), "
            "or label rows of a second class."
        ]
    elif not proof.found:
        said = [
            f"No rare row ({proof.rare}) is found, so no recall can be proved; the pool holds at "
            f"most {proof.total_max:,}, {sure}."
        ]
    else:
        given = f" ({proof.given:,} of them given beforehand)" if proof.given else ""
        given = given if proof.given < proof.found else " (given beforehand)"
        said = [
            f"Proved {sure}: at least {percent(proof.recall_min)} of the rare rows ({proof.rare}) "
            f"are found; {counted(proof.found, 'is', 'are')} known{given} and at most "
            f"{proof.remaining_max:,} missing."
        ]
    said.append(ASSUMES)
    if proof.unanswered:
        said.append(
            f"{counted(proof.unanswered, 'row waits', 'rows wait')} for an answer or "
            f"{'was' if proof.unanswered == 1 else 'were'} skipped, and "
            f"{'counts' if proof.unanswered == 1 else 'count'} as missing."
        )
    said += _classes(proof, sure)
    said += _next_step(proof)
    said += _wrong_labels(proof)
    return said


def _classes(proof: Proof, sure: str) -> Sequence[str]:
    said = []
    if proof.by_class:
        each = ", ".join(
            f"{one.name!r} {percent(one.recall_min)} ({one.found:,} of at most {one.total_max:,})"
            for one in proof.by_class
        )
        said.append(f"Recall of each rare class, at least ({sure} for all together): {each}.")
    if proof.unmet_max is not None:
        said.append(
            f"Separately, {sure}: at most "
            f"{counted(proof.unmet_max, 'row belongs', 'rows belong')} to classes that have not "
            "been seen yet."
        )
    return said


def forecast_sentence(
    recall: float, audits: int | None, labels: int | None, *, all_rows: bool = False
) -> str:
    """Say how many more random rows prove a recall, if none of them is rare and as a rule.

    Examples
    --------
    >>> from rarebit.projects._proofs import forecast_sentence
    >>> forecast_sentence(0.9, 120, 150)
    '120 more random rows prove a recall of 90 % if none of them is rare; expect about 150.'
    >>> forecast_sentence(0.9, 120, 120, all_rows=True)
    'Random rows prove a recall of 90 % only when all 120 remaining rows are labelled.'
    """
    goal = f"a recall of {percent(recall)}"
    if audits is None or labels is None:
        return f"Random rows alone cannot prove {goal}: more rare rows must be found."
    if all_rows and audits == labels:
        rows = counted(audits, "remaining row is", "remaining rows are")
        return f"Random rows prove {goal} only when {'all ' * (audits > 1)}{rows} labelled."
    more = f"All {audits:,} remaining rows prove" if all_rows else None
    more = more or counted(audits, "more random row proves", "more random rows prove")
    said = f"{more} {goal} if none "
    expected = "as many" if audits == labels else f"{labels:,}"
    return f"{said}of them is rare; expect about {expected}."


def _next_step(proof: Proof) -> Sequence[str]:
    said = []
    if proof.target is not None and proof.found and not proof.reached:
        audits, labels = proof.next_audits, proof.next_labels
        said.append(forecast_sentence(proof.target, audits, labels, all_rows=proof.next_is_all))
    if proof.labels_left and proof.recall_within is not None and not proof.reached:
        said.append(
            f"With the {counted(proof.labels_left, 'label', 'labels')} left no more than "
            f"{percent(proof.recall_within)} can be proved by random rows, unless further rare "
            "rows are found first."
        )
    return said


def _wrong_labels(proof: Proof) -> Sequence[str]:
    if proof.disagreement is None:
        return []
    said = [
        f"{counted(proof.repeats, 'row was', 'rows were')} asked a second time without notice; "
        f"{percent(proof.disagreement)} of the answers differ."
    ]
    if proof.noisy_recall_min is not None and proof.noisy_confidence is not None:
        said.append(
            f"If labels are wrong as often as that allows, independently of each other, the "
            f"recall is at least {percent(proof.noisy_recall_min)}, with "
            f"{100 * proof.noisy_confidence:g} % confidence."
        )
    return said
