"""Plain values as JSON, arrays included, and ways to make them wrong."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np

# What code that trusts its input stumbles over.
NASTY: tuple[Any, ...] = (
    None, True, -1, 0, 1, 7, 10**6, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, 2**64, -0.5, 1e308,
    float("nan"), float("inf"), "", "x", "\x1b[2J", [], [[]], [-1], [10**9], {}, {"x": 1},
)  # fmt: skip


def to_text(value: Any) -> str:
    """Return a value as JSON; arrays keep their type and shape."""
    return json.dumps(value, default=_encode)


def from_text(text: str) -> Any:
    """Return the value that `to_text` was given."""
    return json.loads(text, object_hook=_decode)


def _encode(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": value.dtype.str}
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def _decode(value: dict[str, Any]) -> Any:
    if set(value) != {"array", "dtype"}:
        return value
    return np.array(value["array"], dtype=value["dtype"])


def spoil(value: Any, dice: random.Random) -> Any:
    """Return a copy that is wrong in one to three places."""
    for _ in range(dice.choice([1, 1, 2, 3])):
        value = _spoil_once(value, dice)
    return value


def _spoil_once(value: Any, dice: random.Random) -> Any:
    if isinstance(value, dict) and value and dice.random() < 0.95:
        key = dice.choice(list(value))
        if dice.random() < 0.08:
            return {name: kept for name, kept in value.items() if name != key}
        return {**value, key: _spoil_once(value[key], dice)}
    if isinstance(value, list) and value and dice.random() < 0.85:
        place = dice.randrange(len(value))
        action = dice.random()
        if action < 0.15:
            return value[:place]
        if action < 0.3:
            return [*value, *value[place:]]
        return [*value[:place], _spoil_once(value[place], dice), *value[place + 1 :]]
    if isinstance(value, np.ndarray) and dice.random() < 0.9:
        return _spoil_array(value, dice)
    return dice.choice(NASTY)


def _spoil_array(value: np.ndarray, dice: random.Random) -> np.ndarray:
    action = dice.random()
    if action < 0.15:
        return value[: dice.randrange(len(value) + 1)] if value.ndim else value
    if action < 0.25:
        return np.concatenate([value, value]) if value.ndim else value
    if action < 0.35 and value.dtype.kind in "fiub":
        return value.astype(dice.choice(["f8", "f4", "i8", "i4", "u1", "?"]))
    if action < 0.42:
        return value.reshape(-1, 1) if dice.random() < 0.5 else value.ravel()
    spoiled = value.copy()
    nasty = [x for x in NASTY if isinstance(x, (int, float)) and not isinstance(x, bool)]
    if spoiled.size:
        with np.errstate(all="ignore"):
            wrong = np.array(float(dice.choice(nasty)))
            spoiled.flat[dice.randrange(spoiled.size)] = wrong.astype(spoiled.dtype)
    return spoiled
