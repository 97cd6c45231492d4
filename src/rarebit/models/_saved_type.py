"""One type that a model file may hold, and the checks of its attributes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from rarebit.models._nodes import Named, Value, is_plain, is_text

Check = Callable[[Value], bool]


@dataclass(frozen=True, eq=False)
class SavedType:
    """One type that a model file may hold.

    Attributes
    ----------
    name : str
        Registered name.
    homes : tuple of str
        Packages that have the class, the first that does is taken.
    attribute : str
        Name of the class there.
    parameters : mapping of str to check
        What a parameter of the constructor may be besides its default.
    fitted : mapping of str to check
        What else may be set.
    own : bool
        Whether the class is of this package: parameters may then be any plain value, and the
        class checks them itself.
    """

    name: str
    homes: tuple[str, ...]
    attribute: str
    parameters: Mapping[str, Check] = field(default_factory=dict)
    fitted: Mapping[str, Check] = field(default_factory=dict)
    own: bool = False

    def load(self) -> type[Any]:
        """Import the class."""
        for home in self.homes:
            try:
                found = getattr(import_module(home), self.attribute, None)
            except ModuleNotFoundError as error:
                if error.name is None or not home.startswith(error.name):
                    raise
                continue
            if isinstance(found, type):
                return found
        raise ImportError(f"{self.name} is in none of {', '.join(self.homes)}")

    def refused(self, attributes: Mapping[str, Value]) -> str | None:
        """Return the first attribute that may not be set, or not to this value."""
        defaults = _defaults(self)
        for name, value in attributes.items():
            checks = self.parameters.get(name), self.fitted.get(name)
            if any(check is not None and check(value) for check in checks):
                continue
            if name in defaults and (
                is_plain(value) if self.own else _equals(value, defaults[name])
            ):
                continue
            if name == "_sklearn_version" and is_text(value):
                continue
            return name
        return None


@cache
def _defaults(saved: SavedType) -> dict[str, Any]:
    cls = saved.load()
    # The signature of a class without a constructor is that of object, (*args, **kwargs).
    if cls.__init__ is object.__init__:
        return {}
    parameters = inspect.signature(cls).parameters.values()
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {p.name: p.default for p in parameters if p.kind not in kinds}


def _equals(value: Value, default: Any) -> bool:
    if isinstance(default, type):
        return value == Named(f"{default.__module__}.{default.__name__}")
    if default is inspect.Parameter.empty or not isinstance(
        default, (bool, int, float, str, tuple, type(None))
    ):
        return False
    return type(value) is type(default) and bool(value == default)


def one_of(*allowed: Any) -> Check:
    """Return a check for one of these values."""
    return lambda value: any(type(value) is type(a) and value == a for a in allowed)


def is_a(*names: str) -> Check:
    """Return a check for an object of one of these types, or None."""
    return lambda value: value is None or getattr(value, "type_name", None) in names


def each(check: Check) -> Check:
    """Return a check for a list, a tuple or a dictionary with names, of values that pass."""

    def passes(value: Value) -> bool:
        if isinstance(value, dict):
            return all(check(v) for v in value.values())
        return isinstance(value, (list, tuple)) and all(check(v) for v in value)

    return passes


def plain_or(*names: str) -> Check:
    """Return a check for plain values with objects of these types among them."""
    return lambda value: is_plain(value, names)
