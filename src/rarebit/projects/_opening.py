"""The data and the store of a project, opened together."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from rarebit.projects._carrying import carry_over
from rarebit.projects._errors import ProjectError
from rarebit.projects._given import given_labels, refuse_mixing
from rarebit.projects._settings import Settings, as_settings
from rarebit.projects._sources import Progress, Source, read_source
from rarebit.projects.stores import OtherDataError, Store, open_store
from rarebit.tables import Table


def opened_store(
    source: Source,
    store: str | PathLike[str] | Store | None,
    settings: Settings | Mapping[str, Any] | None,
    progress: Progress,
) -> tuple[Table, Store, Settings, list[str]]:
    """Read the data and open the store.

    Settings that are not given stay as the store has them: a project that is continued keeps its
    guidelines, classes and rules. Where the data have changed, the labels of unchanged rows are
    kept; labels that are known are stored as given.

    Parameters
    ----------
    source, store, settings, progress
        As of `Project.open`.

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
            f"{table.source} has no column {column!r} of answers: read it with this column as its "
            "target."
        )
    notes: list[str] = []
    if store is None or isinstance(store, str | PathLike):
        address = None if store is None else str(store)
        try:
            store = open_store(
                address, ids=table.ids, source=table.source, fingerprint=table.fingerprint
            )
        except OtherDataError as refusal:
            store, notes = carry_over(address, table, refusal)
    try:
        if not isinstance(settings, Settings):
            given = as_settings({**store.settings[1], **(settings or {})})
        notes += refuse_mixing(store, given)
        answered = {row for rows in store.answers().values() for row in rows}
        known = given_labels(table, given, answered)
        if known:
            store.append_many(known)
        return table, store, given, notes
    except BaseException:
        store.close()
        raise
