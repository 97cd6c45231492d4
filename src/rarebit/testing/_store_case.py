"""A kind of store to be checked, and the data of the kit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rarebit.exceptions import RarebitError
from rarebit.projects.stores import Store, open_store

IDS = [f"T-{row}" for row in range(200)]
OTHER_IDS = [f"U-{row}" for row in range(200)]


def open_kit_store(place: str) -> Store:
    """Open the store at an address for the data of the kit."""
    return open_store(place, ids=IDS, source="kit.csv", fingerprint="1f3")


def open_other_data(place: str) -> Store:
    """Open the store at an address for as many rows with other ids."""
    return open_store(place, ids=OTHER_IDS, source="other.csv", fingerprint="2e4")


@dataclass(frozen=True)
class StoreCase:
    """A kind of store to be checked.

    Attributes
    ----------
    new_place : callable
        Returns an address at which there is no store yet, another one at every call.
    open : callable
        Opens the store at an address, for rows with the ids ``T-0`` to ``T-199``; it is also
        called in other processes, and must be a function of a module.
    several_writers : bool
        Whether several processes can have the store open at once.
    open_other : callable, optional
        Opens the store at an address for as many rows with other ids, which a store of the ids
        above must refuse. Default: by `open_store` where ``open`` has its default; otherwise this
        is not checked.
    """

    new_place: Callable[[], str]
    open: Callable[[str], Store] = open_kit_store
    several_writers: bool = True
    open_other: Callable[[str], Store] | None = None

    def __post_init__(self) -> None:
        if self.open_other is None and self.open is open_kit_store:
            object.__setattr__(self, "open_other", open_other_data)


def refused(call: Callable[[], object]) -> str:
    """Return the message of a call that must be refused in one sentence."""
    try:
        call()
    except (RarebitError, TypeError, ValueError) as error:
        message = str(error)
        assert message.endswith("."), message
        assert "\n" not in message, message
        return message
    raise AssertionError("the call was accepted")
