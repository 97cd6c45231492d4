"""What wrong priors, wrong numbers of classes and wrong labels cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.discovery.pools import draw, is_random
from benchmarks.tables import Column, Table, number
from rarebit import Malice, Scout, discover
from rarebit.active import Explorer
from rarebit.papers.discovery._runs import true_priors

POOLS = ("synthetic-2", "ecoli", "glass", "shuttle-4515", "yeast", "abalone")
_NOISE = (0.05, 0.1, 0.2)


def _scaled(y: NDArray[Any], factor: float) -> Explorer:
    return Malice({name: min(0.99, p * factor) for name, p in true_priors(y).items()})


def _without_rarest(y: NDArray[Any]) -> Explorer:
    """The rarest class is not known to exist; its prior is missing."""
    priors = sorted(true_priors(y).values())
    return Malice(priors[1:] if len(priors) > 1 else priors)


def _with_ghosts(y: NDArray[Any]) -> Explorer:
    """Two classes more than there are, as large as the median one."""
    priors = list(true_priors(y).values())
    return Malice([*priors, *[float(np.median(priors))] * 2])


CASES: dict[str, Callable[[NDArray[Any]], Explorer]] = {
    "true priors": lambda y: _scaled(y, 1.0),
    "priors × ½": lambda y: _scaled(y, 0.5),
    "priors × 2": lambda y: _scaled(y, 2.0),
    "shares without names": lambda y: Malice(list(true_priors(y).values())),
    "rarest class unknown": _without_rarest,
    "two classes too many": _with_ghosts,
    "largest share as bound": lambda y: Malice(max(true_priors(y).values())),
}


def priors_table(draws: int) -> Table:
    """Malice with what it knows of the priors made wrong."""
    columns = (Column("case", "Malice knows"), *(Column(p, p, number(0)) for p in POOLS))
    table = Table("discovery-priors", "Labels until every class is seen, wrong priors", columns)
    for case, make in CASES.items():
        row: dict[str, Any] = {"case": case}
        for pool in POOLS:
            n = draws if is_random(pool) else 1
            values = []
            for seed in range(n):
                X, y = draw(pool, seed)
                values.append(_until_seen(X, y, make(y), seed))
            row[pool] = float(np.mean(values))
        table.rows.append(row)
    table.notes = [
        f"Means over {draws} draws of the pools that are drawn, one run of the others. An explorer "
        "that believes itself done continues at random until every class is seen."
    ]
    return table


def _until_seen(X: Any, y: NDArray[Any], explorer: Explorer, seed: int) -> float:
    """Labels until every class is seen, with right answers; stops there."""
    result = discover(X, lambda row: y[row], explorer, n_classes=len(np.unique(y)))
    missing = set(np.unique(y).tolist()) - set(result.discovered)
    if not missing:
        return float(result.curve[-1])
    rng = np.random.default_rng(seed)
    rest = rng.permutation(np.setdiff1d(np.arange(len(y)), result.queries))
    last = max(int(np.argmax(y[rest] == name)) for name in missing)
    return float(len(result.queries) + last + 1)


def noise_table(draws: int) -> Table:
    """Scout and Malice told wrong classes."""
    columns = (
        Column("explorer", "explorer"),
        Column("noise", "wrong labels", lambda share: f"{100 * share:.0f} %"),
        *(Column(p, p, number(0)) for p in POOLS),
    )
    table = Table("discovery-noise", "Labels until every class is asked for, wrong labels", columns)
    makers: dict[str, Callable[[NDArray[Any], int], Explorer]] = {
        "Scout": lambda y, seed: Scout(),
        "Malice": lambda y, seed: Malice(true_priors(y)),
    }
    for name, make in makers.items():
        for noise in (0.0, *_NOISE):
            row: dict[str, Any] = {"explorer": name, "noise": noise}
            for pool in POOLS:
                values = []
                for seed in range(draws):
                    X, y = draw(pool, seed)
                    values.append(_noisy(X, y, make(y, seed), noise, seed))
                row[pool] = float(np.mean(values))
            table.rows.append(row)
    table.notes = [
        "A wrong label names a random other class of the pool. Counted are labels until a row of "
        "every class has been asked for, whatever was told; where Malice believes itself done "
        "before, it continues at random."
    ]
    return table


def _noisy(X: Any, y: NDArray[Any], explorer: Explorer, noise: float, seed: int) -> float:
    rng = np.random.default_rng([seed, 1])
    classes = np.unique(y)
    number_of = np.searchsorted(classes, y)
    wrong = rng.random(len(y)) < noise
    shift = rng.integers(1, len(classes), size=len(y))
    told = classes[np.where(wrong, (number_of + shift) % len(classes), number_of)]
    explorer.start(X)
    seen: set[int] = set()
    spent = 0
    while not explorer.done and len(seen) < len(classes):
        row = int(explorer.ask()[0])
        explorer.tell(row, told[row])
        seen.add(int(number_of[row]))
        spent += 1
    if len(seen) == len(classes):
        return float(spent)
    rest = rng.permutation(np.setdiff1d(np.arange(len(y)), list(explorer.labels_)))
    missing = set(range(len(classes))) - seen
    return float(spent + max(int(np.argmax(number_of[rest] == c)) for c in missing) + 1)
