"""Which classes are the rare ones: named by the caller, or guessed and then held to."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from rarebit.exceptions import InputError


def class_names(given: Any, parameter: str) -> frozenset[Any] | None:
    """Return the classes that a parameter names; a single label is a class of its own."""
    if given is None:
        return None
    several = isinstance(given, list | tuple | set | frozenset)
    names = [
        name.item() if isinstance(name, np.generic) else name
        for name in (given if several else [given])
    ]
    if not names or any(name is None or name != name for name in names):
        raise InputError(
            f"The {parameter} parameter must name a class or several, or be None, got {given!r}: "
            "pass a label or a list of labels."
        )
    return frozenset(names)


class Rarity:
    """Tells rare classes from normal ones.

    A proof is about rows of the rare classes, so what they are must be fixed before the draws that
    it rests on. Classes that the caller names are fixed from the start. Otherwise the usual class
    is guessed again and again until `fix` is called, before the first audit; draws before
    that do not count.

    Parameters
    ----------
    rare, normal : frozenset or None
        Classes named by the caller, at most one of the two.

    Attributes
    ----------
    usual : object
        The class that is normal where the caller named none; None while there is no guess.
    since : int or None
        Rows that had left the urn when the classes were fixed; None while they are not.
    """

    def __init__(self, rare: Collection[Any] | None, normal: Collection[Any] | None) -> None:
        if rare is not None and normal is not None:
            raise InputError(
                "The rare and normal parameters say the same in two ways, got both: name the rare "
                "classes or the normal ones."
            )
        self.rare, self.normal = rare, normal
        self.usual: Any = None
        self.since: int | None = 0 if rare is not None or normal is not None else None

    @property
    def meaning(self) -> tuple[Any, ...]:
        """What tells this judgement from another one."""
        return (
            None if self.rare is None else frozenset(self.rare),
            None if self.normal is None else frozenset(self.normal),
            self.usual,
        )

    def fix(self, since: int) -> None:
        """Hold to the classes as they are from now on; nothing happens the second time."""
        if self.since is None:
            self.since = since

    def restart(self, since: int) -> None:
        """Let draws count from here on only, where the classes are fixed."""
        if self.since is not None:
            self.since = since

    def guess(self, usual: Any) -> None:
        """Take a class for the usual one, unless that is fixed."""
        if self.since is None:
            self.usual = usual

    def with_guess(self, usual: Callable[[], Any], *, anew: bool = False) -> Rarity:
        """Return these classes as they would be fixed now, without changing anything.

        ``usual`` tells the usual class; it is asked where there is no guess, or always, ``anew``.
        """
        if self.since is not None or (self.usual is not None and not anew):
            return self
        guessed = Rarity(None, None)
        guessed.guess(usual())
        return guessed

    def __call__(self, label: Any) -> bool:
        if self.rare is not None:
            return label in self.rare
        if self.normal is not None:
            return label not in self.normal
        return self.usual is not None and label != self.usual

    def unmet(self, met: Collection[Any]) -> list[Any]:
        """Return the classes that the caller named and nobody has met."""
        named = self.rare if self.rare is not None else self.normal or ()
        return sorted((name for name in named if name not in met), key=str)

    def describe(self) -> str:
        """Return the rare classes in words."""
        if self.rare is not None:
            return ", ".join(repr(name) for name in sorted(self.rare, key=str))
        if self.normal is None and self.usual is None:
            return "not known yet"
        normal = self.normal if self.normal is not None else [self.usual]
        return "every class but " + ", ".join(repr(name) for name in sorted(normal, key=str))
