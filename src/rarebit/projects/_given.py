"""Labels that are known before anybody is asked, and answers that must not be mixed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from rarebit._text import counted
from rarebit.projects._errors import ProjectError
from rarebit.projects._row_marks import marks_of
from rarebit.projects._settings import Settings
from rarebit.projects.stores import CURRENT, Event, Store
from rarebit.tables import Table

_KNOWN = "given "  # keys of labels that the settings name begin so


def expected_classes(settings: Settings) -> list[str]:
    """Return the classes that settings name, which have keys before a row has them.

    Parameters
    ----------
    settings : Settings
        With ``classes``, ``rare`` and ``normal``.

    Returns
    -------
    list of str
        In this order, each once.

    Examples
    --------
    >>> from rarebit.projects import Settings, expected_classes
    >>> expected_classes(Settings(classes=("ok", "fraud"), rare=("fraud", "theft")))
    ['ok', 'fraud', 'theft']
    """
    return list(dict.fromkeys([*settings.classes, *settings.rare, *settings.normal]))


def refuse_without_labelled(names: Collection[str], counts: Mapping[Any, int]) -> None:
    """Refuse a list of classes that lacks some that rows have: it would split a class in two.

    Parameters
    ----------
    names : collection of str
        All classes that there are to be.
    counts : mapping
        Class to its number of labels.

    Raises
    ------
    ProjectError
        Labels keep the name of their class.
    """
    lost = {str(name): n for name, n in counts.items() if n > 0 and str(name) not in names}
    if lost:
        name, n = next(iter(lost.items()))
        raise ProjectError(
            f"The class {name!r} has {counted(n, 'label')}, so that it can be neither renamed nor "
            "removed here, and nothing was saved: keep its name, or correct its labels under "
            "Answers first."
        )


def known_classes(store: Store) -> list[str]:
    """Return the classes of a store: those of its labels, and those that its settings name.

    Parameters
    ----------
    store : Store
        Its settings name classes as ``classes``, ``rare`` and ``normal``.

    Returns
    -------
    list of str
        Sorted, each once.
    """
    saved = store.settings[1]
    named = [str(each) for part in ("classes", "rare", "normal") for each in saved.get(part) or ()]
    given = [str(label) for label in store.labels().values() if label is not None]
    return sorted({*named, *given})


def refuse_mixing(store: Store, settings: Settings, table: Table) -> list[str]:
    """Refuse to let a column continue what people have begun.

    Labels of a file are a start for a column that says the same of their rows; what the settings
    say of single rows (``known``) counts more than the column.

    Parameters
    ----------
    store : Store
        With earlier answers.
    settings : Settings
        With ``oracle``.
    table : Table
        The data, with the column's answers.

    Returns
    -------
    list of str
        Notes on answers of a column that people continue.
    """
    sources = [event.source for rows in store.answers().values() for event in rows.values()]
    by_people, by_column = sources.count("person"), sources.count("oracle")
    if settings.oracle is not None and by_people:
        raise ProjectError(
            f"{store.address} holds {counted(by_people, 'answer')} given by hand, and the column "
            f"{settings.oracle!r} would be mixed with them: give the column a store of its own, "
            "such as store='column.labels.db' in Python or --labels column.labels.db in commands, "
            "or leave out the column (oracle, --oracle)."
        )
    if settings.oracle is not None and table.target is not None:
        _refuse_contradiction(store, table, settings.oracle)
    if settings.oracle is None and by_column:
        return [
            f"{counted(by_column, 'answer')} of {store.address} came from a column; to start "
            "without them give another store with --labels."
        ]
    return []


def _refuse_contradiction(store: Store, table: Table, column: str) -> None:
    assert table.target is not None
    other: list[tuple[int, Any]] = []
    for rows in store.answers().values():
        for row, event in rows.items():
            of_file = event.source == "import" and not (event.key or "").startswith(_KNOWN)
            if of_file and event.label is not None:
                other += [(row, event.label)] * (table.target[row] not in ("", str(event.label)))
    if other:
        row, label = other[0]
        raise ProjectError(
            f"{store.address} holds {counted(len(other), 'imported label')} of which the column "
            f"{column!r} says something else, and both would be mixed: row {str(table.ids[row])!r} "
            f"is {str(label)!r}, and {str(table.target[row])!r} in the column; correct the labels, "
            "give the column a store of its own, such as store='column.labels.db' in Python or "
            "--labels column.labels.db in commands, or leave out the column (oracle, --oracle)."
        )


def refuse_import(store: Store, table: Table, found: Mapping[int, Any]) -> None:
    """Refuse labels of a file where a column has answered, unless it says the same of their rows.

    Parameters
    ----------
    store : Store
        That the labels would go into.
    table : Table
        The data; its target is the column that answered.
    found : mapping of int to class
        Row to class.
    """
    target = table.target
    if target is None or any(str(target[row]) != str(name) for row, name in found.items()):
        refuse_by_hand(store)


def refuse_by_hand(store: Store) -> None:
    """Refuse labels given by hand where a column has answered.

    Parameters
    ----------
    store : Store
        That the labels would go into.
    """
    sources = [event.source for rows in store.answers().values() for event in rows.values()]
    by_column = sources.count("oracle")
    if by_column:
        # A session by hand has settings of its own; which column answered stays in the history.
        said = [event.data or {} for event in store.events() if event.what == "settings"]
        columns = [each["oracle"] for each in said if each.get("oracle")]
        raise ProjectError(
            f"{store.address} holds {counted(by_column, 'answer')} of "
            f"{f'the column {columns[-1]!r}' if columns else 'a column'}, and labels given by "
            "hand would be mixed with them: give those a store of their own, such as "
            "store='hand.labels.db' in Python or --labels hand.labels.db in commands."
        )


def name_sought(settings: Settings, store: Store) -> tuple[Settings, list[str]]:
    """Take the one class of the rows that are known beforehand for the one that is sought.

    Who looks for rare rows, knows some of them and does not name the class means theirs. It is
    named before the first question, because a proof must know it.

    Parameters
    ----------
    settings : Settings
        With ``goal``, and perhaps with ``rare`` or ``normal``.
    store : Store
        With the labels that were given.

    Returns
    -------
    tuple of Settings and list of str
        The settings with ``rare``, and a note that says so.
    """
    if settings.goal != "find" or settings.rare or settings.normal or settings.task != "learn":
        return settings, []
    given = [
        event.label
        for rows in store.answers().values()
        for event in rows.values()
        if event.source == "import"
    ]
    names = {str(label) for label in (*given, *settings.known.values())}
    if len(names) != 1:
        return settings, []
    (name,) = names
    note = (
        f"Rows of the class {name!r} are sought, that of the rows known beforehand: --rare names "
        "another class, --normal the usual one."
    )
    return settings.with_changes(rare=(name,)), [note]


def given_labels(table: Table, settings: Settings, answered: Collection[int]) -> list[Event]:
    """Return labels of the settings and of a column that the store does not have yet.

    Parameters
    ----------
    table : Table
        The data.
    settings : Settings
        With ``known`` and ``target``.
    answered : collection of int
        Rows that have an answer.

    Returns
    -------
    list of Event
        To be stored; a key keeps each from being stored twice.
    """
    found: dict[int, str] = {}
    if settings.target is not None and table.target is not None:
        rows = np.flatnonzero(table.target != "")
        found |= {int(row): str(table.target[row]) for row in rows}
    if settings.known:
        places = {str(name): row for row, name in enumerate(table.ids.tolist())}
        for name, label in settings.known.items():
            if str(name) not in places:
                raise ProjectError(
                    f"{table.source} has no row with the id {name!r}: give an id of the column "
                    f"{table.id_name!r}."
                )
            found[places[str(name)]] = str(label)
    new = {row: label for row, label in found.items() if row not in answered}
    return [
        Event(
            0, "label", row=row, label=label, source="import", reason="given", settings=CURRENT,
            key=f"{_KNOWN}{table.ids[row]} {label}", data=dict(marks),
        )
        for (row, label), marks in zip(new.items(), marks_of(table, list(new)), strict=True)
    ]  # fmt: skip
