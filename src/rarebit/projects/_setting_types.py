"""Settings that hold several values: whether they do, and none of them by default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rarebit.projects._errors import SettingsError

# What a setting holds, and an example.
_SEQUENCES = {
    "classes": ("names of classes", "['ok', 'fraud']"),
    "priors": ("shares", "[0.01]"),
    "rare": ("names of classes", "['fraud']"),
    "normal": ("names of classes", "['ok']"),
    "imported": ("names of columns", "['verdict']"),
}
_MAPPINGS = {
    "known": ("ids to classes", "{'A7': 'fraud'}"),
    "colours": ("classes to colours", "{'fraud': '#c2410c'}"),
    "keys": ("classes to keys", "{'fraud': 'f'}"),
    "reading": ("options of read_table to values", "{'id': 'number'}"),
}


def tidy_collections(settings: Any) -> None:
    """Make tuples of sequences, and nothing of None; refuse what is neither.

    Parameters
    ----------
    settings : Settings
        Changed in place.
    """
    for name, (held, example) in _SEQUENCES.items():
        given = getattr(settings, name)
        if isinstance(given, str) and name != "priors":
            given = (given,)
        if given is None:
            given = ()
        if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
            raise SettingsError(
                f"The setting {name!r} must be several {held}, got {given!r}: give a list, such as "
                f"{example}."
            )
        object.__setattr__(settings, name, tuple(given))
    for name, (held, example) in _MAPPINGS.items():
        given = getattr(settings, name)
        if given is None:
            object.__setattr__(settings, name, {})
        elif not isinstance(given, Mapping):
            raise SettingsError(
                f"The setting {name!r} must be a mapping of {held}, got {given!r}: give one, such "
                f"as {example}."
            )
