"""What is sought: rare classes with their priors, named, unnamed, or only bounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rarebit.active._numbers import is_real

Priors = Mapping[Any, float] | Sequence[float] | float


@dataclass(frozen=True)
class Target:
    """A rare class: its prior, and its name where one is known."""

    prior: float
    name: Any = None

    def n_rows(self, n: int) -> int:
        """K: the rows that the class is expected to have, at least 2, counting a row as its own
        neighbour, and never more than the pool has."""
        return min(max(2, round(n * self.prior)), n)


@dataclass(frozen=True)
class Targets:
    """All that is sought, in the order of the search.

    ``named`` says whether the classes have names, ``bound`` whether the priors are a ladder of
    halves below one upper bound, in which case nobody knows how many classes there are.
    """

    items: tuple[Target, ...]
    named: bool
    bound: bool


def read_priors(priors: Any, n: int) -> Targets:
    """Turn the ``priors`` parameter into targets for a pool of ``n`` rows."""
    if isinstance(priors, Mapping):
        named = [Target(_prior(prior), name) for name, prior in priors.items()]
        _check_some(named, priors)
        return Targets(tuple(named), named=True, bound=False)
    if is_real(priors):
        largest = _prior(priors)
        rungs = [Target(largest)]
        while rungs[-1].n_rows(n) > 2:
            rungs.append(Target(rungs[-1].prior / 2.0))
        return Targets(tuple(rungs), named=False, bound=True)
    if isinstance(priors, Sequence | np.ndarray) and not isinstance(priors, str | bytes):
        unnamed = [Target(_prior(prior)) for prior in priors]
        _check_some(unnamed, priors)
        return Targets(tuple(unnamed), named=False, bound=False)
    raise TypeError(
        "The priors parameter must be a mapping from rare classes to their shares, a list of "
        f"shares, or one upper bound, got {priors!r}: pass one of these, or use Scout, which needs "
        "no priors."
    )


def _prior(value: Any) -> float:
    if not is_real(value) or not 0.0 < float(value) < 1.0:
        raise ValueError(
            f"A prior is a share of the pool, above 0 and below 1, got {value!r}: divide the rows "
            "of the class by the rows of the pool."
        )
    return float(value)


def _check_some(targets: list[Target], priors: Any) -> None:
    if not targets:
        raise ValueError(
            f"The priors parameter must name at least one rare class, got {priors!r}: add one, or "
            "use Scout, which needs no priors."
        )
