"""The data and the store of a project, opened together."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from rarebit._text import tell_alike, whole_names
from rarebit.projects._carrying import carry_over
from rarebit.projects._errors import LabelsLeftOutWarning, ProjectError
from rarebit.projects._given import given_labels, name_sought, refuse_mixing
from rarebit.projects._settings import Settings, as_settings
from rarebit.projects._sources import Progress, Source, read_source
from rarebit.projects.stores import OtherDataError, Store, open_store
from rarebit.tables import Table, is_frame


def opened_store(
    source: Source,
    store: str | PathLike[str] | Store | None,
    settings: Settings | Mapping[str, Any] | None,
    progress: Progress,
    *,
    join_classes: bool = False,
) -> tuple[Table, Store, Settings, list[str]]:
    """Read the data and open the store.

    Settings that are not given stay as the store has them: a project that is continued keeps its
    guidelines, classes and rules. Where the data have changed, the labels of unchanged rows are
    kept; labels that are known are stored as given.

    Parameters
    ----------
    source, store, settings, progress
        As in `Project.open`.
    join_classes : bool, default=False
        Whether classes that the settings name come beside those that the store has, not in their
        place.

    Returns
    -------
    tuple of Table, Store, Settings and list of str
        The data, the open store, the settings in force, and notes for people.
    """
    given = as_settings(settings)
    table = read_source(source, given, progress)
    column = given.oracle or given.target
    if column is not None and table.target is None:
        raise ProjectError(
            f"{table.source} has no column {column!r} of answers: "
            + (
                "put the images of each class into a subfolder of its name, or import labels by "
                "file name (rarebit labels import)."
                if table.image is not None
                else "read it with this column as its target."
            )
        )
    there = set() if table.target is None else set(table.target.tolist()) - {""}
    given = _with_whole_names(given, there)
    _check_rare(table, given)
    given_labels(table, given, ())  # unknown ids are refused before anything is written
    notes = [note for note in _alike(table) if note not in table.notes]  # as those of a frame
    if store is None or isinstance(store, str | PathLike):
        address = None if store is None else str(store)
        try:
            with progress("Opening the labels", None):
                store = open_store(
                    address, ids=table.ids, source=table.source, fingerprint=table.fingerprint
                )
        except OtherDataError as refusal:
            read = None if isinstance(source, Table) else partial(_read_by, source, progress)
            carried = carry_over(address, table, refusal, given, read)
            store, notes = carried.store, [*notes, carried.note]
            if carried.n_left_out and _in_memory(source):
                warnings.warn(carried.warning, LabelsLeftOutWarning, stacklevel=3)
    elif not hasattr(store, "append_many"):
        raise ProjectError(
            "A store must be an address, such as claims.labels.db, or an open Store, got "
            f"{type(store).__name__}: give one of these, or None for NAME.labels.db."
        )
    try:
        if not isinstance(settings, Settings):
            stored = store.settings[1]
            given = as_settings({**stored, **(settings or {})})
            if join_classes:
                names = dict.fromkeys([*given.classes, *stored.get("classes", ())])
                given = replace(given, classes=tuple(names))
        there |= {str(label) for label in store.labels().values()}
        given = _with_whole_names(given, there)
        notes += refuse_mixing(store, given, table)
        answered = {row for rows in store.answers().values() for row in rows}
        known = given_labels(table, given, answered)
        if known:
            store.append_many(known)
        given, named = name_sought(given, store)
        return table, store, given, [*notes, *named]
    except BaseException:
        store.close()
        raise


def _read_by(source: Source, progress: Progress, settings: Settings) -> Table:
    return read_source(source, settings, progress)


def _with_whole_names(settings: Settings, there: set[str]) -> Settings:
    """Put names of classes together again that were cut at a comma of their own."""
    changed: dict[str, Any] = {}
    for name in ("rare", "normal", "classes"):
        given = tuple(map(str, getattr(settings, name)))
        whole = whole_names(given, there)
        if len(whole) < len(given):
            changed[name] = whole
    return replace(settings, **changed) if changed else settings


def _in_memory(source: Source) -> bool:
    """Whether the rows are a frame, or a table of no file, whose rows nobody sees missing."""
    return is_frame(source) or (isinstance(source, Table) and not Path(source.source).exists())


def _alike(table: Table) -> list[str]:
    """Say which classes of a column differ by capitals or blanks only."""
    if table.target is None:
        return []
    names = table.target.tolist()
    return tell_alike(Counter(str(name) for name in names if name not in (None, "")))


def _check_rare(table: Table, settings: Settings) -> None:
    """Refuse rare classes that a column of all answers does not have, before it is asked."""
    if settings.oracle is None or table.target is None:
        return
    there = sorted(set(table.target.tolist()) - {""})
    for name in (*settings.rare, *settings.normal):
        if str(name) not in there:
            near = get_close_matches(str(name), there, n=1)
            hint = f"did you mean {near[0]!r}?" if near else "give one of them."
            shown = ", ".join(repr(each) if "," in each else each for each in there[:8])
            raise ProjectError(
                f"Column {settings.oracle!r} of {table.source} has no class {str(name)!r}: it has "
                f"{shown}{', …' if len(there) > 8 else ''}; {hint}"
            )
