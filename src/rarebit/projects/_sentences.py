"""The sentences that terminal, report, page and demo show, made from a status in one place."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from rarebit._text import column_name, counted, name_list
from rarebit.projects._advice import advise, recently, searched
from rarebit.projects._proofs import proof_line, proof_sentences, rare_count

if TYPE_CHECKING:
    from rarebit.projects._status import ProjectStatus
    from rarebit.projects.stores import Event


def progress_line(n_labels: int, n_classes: int) -> str:
    """Return the line above each question.

    Examples
    --------
    >>> from rarebit.projects import progress_line
    >>> progress_line(1, 2)
    '1 label, 2 classes'
    """
    return f"{counted(n_labels, 'label')}, {counted(n_classes, 'class', 'classes')}"


def search_line(status: ProjectStatus, proves: str = "a recall to prove") -> str:
    """Return the few words above a question on a search that only people can end; empty else.

    Parameters
    ----------
    status : ProjectStatus
        Status of the project.
    proves : str, default="a recall to prove"
        What sets a recall, as the caller's users do it.

    Returns
    -------
    str
        Such as ``"39 rare rows found, none in the last 756 labels; nothing is proved without …"``.
    """
    found = searched(status)
    if found is None:
        return ""
    said = rare_count(found.found + found.given, found.given)
    if found.found or found.given:
        said += f", {recently(found)}"
    return f"{said}; nothing is proved without {proves}"


def heading_line(
    status: ProjectStatus, proves: str = "a recall to prove", *, labels: bool = True
) -> str:
    """Return what stands above a question: labels, classes, what was found and what is proved.

    Parameters
    ----------
    status : ProjectStatus
        Status of the project.
    proves : str, default="a recall to prove"
        What sets a recall, as the caller's users do it.
    labels : bool, default=True
        Whether it begins with the number of labels; not where a bar beside it counts them.

    Returns
    -------
    str
        A line without a full stop.
    """
    n_classes = len(status.classes)
    line = counted(n_classes, "class", "classes")
    line = progress_line(status.n_labels, n_classes) if labels else line
    said = proof_line(status.proof) or search_line(status, proves)
    return f"{line}, {said}" if said else line


def labelled_line(status: ProjectStatus) -> str:
    """Return how many rows have a label.

    Parameters
    ----------
    status : ProjectStatus
        Status of the project.

    Returns
    -------
    str
        One sentence.
    """
    if not status.n_labels:
        return "No row was labelled."
    skipped = f", {status.n_skipped:,} skipped" if status.n_skipped else ""
    verb = "is" if status.n_labels == 1 else "are"
    return f"{status.n_labels:,} of {counted(status.n_rows, 'row')} {verb} labelled{skipped}."


def _first_at(number: int) -> str:
    return f"first at label {number:,}" if number else "given beforehand"


def fact_sentences(status: ProjectStatus) -> list[str]:
    """Return what is known of a project, without the advice.

    Parameters
    ----------
    status : ProjectStatus
        Status of the project.

    Returns
    -------
    list of str
        One sentence per fact.
    """
    said = [labelled_line(status)]
    if status.classes:
        found = ", ".join(
            f"{name_list([str(each.name)])} ({_first_at(each.first_seen_at)}, "
            f"{counted(each.labelled, 'row')})"
            for each in status.classes
        )
        said.append(f"Classes found: {found}.")
    people = {name: n for name, n in status.labels_by_annotator.items() if name}
    if people:
        listed = ", ".join(f"{name} {counted(n, 'label')}" for name, n in people.items())
        said.append(f"Annotators: {listed}.")
    if status.disagreements:
        rows = counted(status.disagreements, "row")
        said.append(f"Annotators disagree on {rows}.")
    proof = status.proof
    if proof is not None and (proof.target is not None or proof.audits):
        said += proof_sentences(proof)
    return said


def status_sentences(status: ProjectStatus) -> list[str]:
    """Return what there is to say of a project, most important first.

    Parameters
    ----------
    status : ProjectStatus
        Status of the project.

    Returns
    -------
    list of str
        One sentence per fact, and the advice.
    """
    return [*fact_sentences(status), *advise(status).lines]


def left_out(dropped: Mapping[str, str]) -> list[str]:
    """Say which columns are not used, and why; nothing if all are."""
    if not dropped:
        return []
    shown = ", ".join(
        f"{name if name.strip() else 'the one without a name'} ({why})"
        for name, why in list(dropped.items())[:5]
    )
    more = ", …" if len(dropped) > 5 else ""
    said = f"{counted(len(dropped), 'column is', 'columns are')} not used: {shown}{more}."
    ids = [name for name, why in dropped.items() if why.endswith("its own number")]
    if ids:
        kept = shlex.quote(f"{ids[0]}=number")
        said += f" Whole numbers that name the rows are ids; --as {kept} keeps one."
    return [said]


def may_be_ids(found: Mapping[str, str], used: Collection[str]) -> list[str]:
    """Say which columns that are learned from may be ids; nothing if none is."""
    names = [name for name in found if name in used]
    if not names:
        return []
    shown = ", ".join(map(column_name, names[:5])) + (", …" if len(names) > 5 else "")
    if len(names) == 1:
        return [f"{column_name(names[0])}: {found[names[0]]}."]
    return [
        f"In each of {len(names):,} columns every row, or nearly every one, has its own whole "
        f"number ({shown}): name those that are ids with --id or --drop."
    ]


def passed_over(event: Event) -> str:
    """Say that an answer cannot be learned."""
    return (
        f"The answer {event.label!r} to row {event.id!r} cannot be learned and is passed over: "
        "label the row again."
    )


def draws_before_naming(n_draws: int) -> str:
    """Say that random rows do not count, because the rare classes were named after them."""
    rows, do = counted(n_draws, "random row"), "does" if n_draws == 1 else "do"
    return (
        f"The rare classes were named differently before: {rows} drawn until then {do} not count "
        "towards a proof, which must not choose its classes afterwards. Labels and finds stay."
    )
