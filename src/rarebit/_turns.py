"""Objects that several threads share: one call after the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Any, Concatenate, ParamSpec, TypeVar

S = TypeVar("S")
P = ParamSpec("P")
R = TypeVar("R")

# The attribute that holds an object's lock; whoever pickles the object leaves it out.
LOCK = "_turns"


def turn_of(shared: Any) -> Any:
    """Return the lock of an object, made when it is first wanted.

    Parameters
    ----------
    shared : object
        Any object with attributes.

    Returns
    -------
    lock
        A lock that the thread that has it can take again.
    """
    kept = vars(shared)
    lock = kept.get(LOCK)
    # One operation of the dictionary, so that two first callers get the same lock.
    return kept.setdefault(LOCK, RLock()) if lock is None else lock


def in_turn(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Let a method wait while another thread is inside one of the same object.

    Parameters
    ----------
    method : callable
        A method that reads or changes its object.

    Returns
    -------
    callable
        The method that waits for its turn.

    Examples
    --------
    >>> from rarebit._turns import in_turn
    >>> class Counter:
    ...     count = 0
    ...
    ...     @in_turn
    ...     def add(self) -> int:
    ...         self.count += 1
    ...         return self.count
    >>> Counter().add()
    1
    """

    @wraps(method)
    def call(self: S, /, *args: P.args, **options: P.kwargs) -> R:
        with turn_of(self):
            return method(self, *args, **options)

    return call
