"""Ways to search a pool and ways to answer, among them adversaries who see every label.

The bounds see labels, not rows, so that a policy is described by the label of the row it takes:
``AUDIT`` draws uniformly, ``BAD`` takes a rare row, ``GOOD`` another one. All runs of a cell are
stepped together; arrays have one entry per run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

AUDIT, BAD, GOOD = 0, 1, 2
NEVER = 10**9

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Moment:
    """What a policy may look at: everything."""

    step: int
    steps: int
    n: Floats
    left: Floats
    wealth: Floats
    rng: np.random.Generator


Choice = Callable[[Moment], tuple[Ints, Floats]]


def _kappa(moment: Moment, value: float) -> Floats:
    return np.full(len(moment.n), value)


def audits_only(moment: Moment) -> tuple[Ints, Floats]:
    return np.full(len(moment.n), AUDIT), _kappa(moment, 0.0)


def harvest_then_audits(moment: Moment) -> tuple[Ints, Floats]:
    if moment.step > moment.steps // 3:
        return np.full(len(moment.n), AUDIT), _kappa(moment, 0.5)
    good = moment.rng.random(len(moment.n)) < 0.7
    return np.where(good, BAD, GOOD), _kappa(moment, 0.9)


def mixed(moment: Moment) -> tuple[Ints, Floats]:
    chance = moment.rng.random(len(moment.n))
    kappa = moment.rng.choice([0.0, 0.0, 0.5], len(moment.n))
    return np.where(chance < 0.6, AUDIT, np.where(chance < 0.75, BAD, GOOD)), kappa


def takes_rare_rows(moment: Moment) -> tuple[Ints, Floats]:
    """Take rare rows while the evidence is poor, so that later draws hit less."""
    poor = (moment.wealth < 0.3) & (moment.left > 1)
    return np.where(poor, BAD, AUDIT), _kappa(moment, 0.0)


def takes_normal_rows(moment: Moment) -> tuple[Ints, Floats]:
    """Empty the urn of normal rows while the evidence is poor; draw while it rises."""
    poor = (moment.wealth < 0) & (moment.n - moment.left > 5)
    return np.where(poor, GOOD, AUDIT), _kappa(moment, 0.5)


def gambles_with_the_target(moment: Moment) -> tuple[Ints, Floats]:
    """Choose the target before every draw by what is left, and take rows when ahead."""
    ahead = (moment.wealth > 1.5) & (moment.left > 2)
    kappa = np.where(moment.left > moment.n / 20, 0.0, 0.95)
    return np.where(ahead, BAD, AUDIT), kappa


@dataclass(frozen=True)
class Answers:
    """When the answer to a row comes, goes and comes back, and until when it is wrong."""

    at: Ints
    gone: Ints
    again: Ints
    wrong_until: Ints


Reply = Callable[[int, Bools, np.random.Generator], Answers]


def _answers(step: int, size: int, **changes: Ints) -> Answers:
    columns = {
        "at": np.full(size, step),
        "gone": np.full(size, NEVER),
        "again": np.full(size, NEVER),
        "wrong_until": np.full(size, -1),
    }
    columns.update(changes)
    return Answers(**columns)


def at_once(step: int, y: Bools, rng: np.random.Generator) -> Answers:
    return _answers(step, len(y))


def slow_rare(step: int, y: Bools, rng: np.random.Generator) -> Answers:
    return _answers(step, len(y), at=np.where(y, step + 25, step))


def skips(step: int, y: Bools, rng: np.random.Generator) -> Answers:
    skipped = rng.random(len(y)) < np.where(y, 0.3, 0.02)
    return _answers(step, len(y), at=np.where(skipped, NEVER, step))


def corrections(step: int, y: Bools, rng: np.random.Generator) -> Answers:
    wrong = rng.random(len(y)) < 0.1
    delay = np.where(y, 5, 15)
    return _answers(step, len(y), wrong_until=np.where(wrong, step + delay, -1))


def annotators(step: int, y: Bools, rng: np.random.Generator) -> Answers:
    at = step + rng.integers(0, 20, len(y))
    return _answers(step, len(y), at=np.where(rng.random(len(y)) < 0.03, NEVER, at))


def undone(step: int, y: Bools, rng: np.random.Generator) -> Answers:
    taken_back = rng.random(len(y)) < 0.15
    again = np.where(rng.random(len(y)) < 0.5, step + 25, NEVER)
    return _answers(
        step,
        len(y),
        gone=np.where(taken_back, step + 5, NEVER),
        again=np.where(taken_back, again, NEVER),
    )


POLICIES: dict[str, tuple[Choice, Reply]] = {
    "audits only": (audits_only, at_once),
    "harvest, then audits": (harvest_then_audits, at_once),
    "adversary takes rare rows": (takes_rare_rows, at_once),
    "adversary takes normal rows": (takes_normal_rows, at_once),
    "adversary gambles with the target": (gambles_with_the_target, at_once),
    "rare answers late": (mixed, slow_rare),
    "skips, most of them rare": (mixed, skips),
    "corrections": (mixed, corrections),
    "twenty rows pending, some for ever": (mixed, annotators),
    "labels taken back": (mixed, undone),
}
