"""``python -m benchmarks.cluster_exploring``: labels to the first rare row over many files.

Compares the explorer of a cluster, which looks at a tenth of the rows and at those that the files
name, with the same without the named rows, with the named rows one after the other, with chance,
and with `Scout` over all rows on one computer. Pools are generated; every file is looked at alone,
as a worker does.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit import Scout
from rarebit.distributed import PoolExplorer
from rarebit.distributed._array_pool import ArrayPool
from rarebit.distributed._encoded import scouted

N_FILES, ROWS, RARE, COLUMNS = 4, 25_000, 40, 10
DRAWN, NAMED = 10_000, 1_000  # rows that the explorer looks at
MOST = 300  # labels after which a search counts as that many
Reals = NDArray[np.float64]


def compact(rng: np.random.Generator, n: int) -> Reals:
    """A small dense class inside the range of the others."""
    return np.asarray(1.2 + 0.25 * rng.normal(size=(n, COLUMNS)))


def shifted(rng: np.random.Generator, n: int) -> Reals:
    """As wide as the others, beside them in some columns."""
    X = rng.normal(size=(n, COLUMNS))
    X[:, :6] += 2.0
    return X


def scattered(rng: np.random.Generator, n: int) -> Reals:
    """Odd rows on all sides."""
    return np.asarray(2.2 * rng.normal(size=(n, COLUMNS)))


def hidden(rng: np.random.Generator, n: int) -> Reals:
    """In the middle of the others and as wide as one of them: only chance finds it."""
    return np.asarray(0.9 * rng.normal(size=(n, COLUMNS)))


POOLS: dict[str, Callable[[np.random.Generator, int], Reals]] = {
    "compact": compact, "shifted": shifted, "scattered": scattered, "hidden": hidden,
}  # fmt: skip


def make_pool(name: str, seed: int) -> tuple[Reals, NDArray[np.bool_]]:
    """Rows of four usual groups and 0.04 % of a rare class, in random order."""
    rng = np.random.default_rng(seed)
    n = N_FILES * ROWS
    centres = rng.normal(size=(4, COLUMNS))
    X = centres[rng.integers(0, 4, n)] + rng.normal(size=(n, COLUMNS)) * 0.9
    rare = np.zeros(n, dtype=np.bool_)
    rare[rng.choice(n, RARE, replace=False)] = True
    X[rare] = POOLS[name](rng, RARE)
    return X, rare


def named_rows(X: Reals) -> NDArray[np.intp]:
    """Return the rows that the files name, in turn."""
    each = NAMED // N_FILES
    step = -(-ROWS // 20_000)  # as a worker: some of the rows of a large file
    found = [
        step * scouted(X[i * ROWS : (i + 1) * ROWS : step], each) + i * ROWS for i in range(N_FILES)
    ]
    return np.stack(found, axis=1).ravel()


def labels_to_first(asker: Any, rare: NDArray[np.bool_]) -> int:
    """Return how many labels a started asker spends until a rare row."""
    for n in range(1, MOST):
        row = int(asker.ask()[0])
        if rare[row]:
            return n
        asker.tell([row], [0])
    return MOST


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster_exploring")
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    print("| pool | explorer | median | geometric mean | least | most |\n|---|---|---|---|---|---|")
    for name in POOLS:
        found: dict[str, list[int]] = {}
        for seed in range(given.seeds):
            X, rare = make_pool(name, seed)
            named = named_rows(X)
            pool = ArrayPool(X, 1.0, lambda k, named=named: named[:k])
            first = np.flatnonzero(rare[named])
            found.setdefault("named rows in turn", []).append(
                int(min(MOST, first[0] + 1)) if first.size else MOST
            )
            askers = {
                "drawn and named rows": PoolExplorer(seed, n_drawn=DRAWN, n_named=NAMED),
                "drawn rows only": PoolExplorer(seed, n_drawn=DRAWN, n_named=0),
                "chance": PoolExplorer(seed, every=1),
                "Scout over all rows": Scout(n_jobs=-1),
            }
            for explorer, asker in askers.items():
                started = asker.start(X if isinstance(asker, Scout) else pool)
                found.setdefault(explorer, []).append(labels_to_first(started, rare))
        for explorer, labels in found.items():
            mean = float(np.exp(np.log(labels).mean()))
            print(
                f"| {name} | {explorer} | {np.median(labels):.0f} | {mean:.0f} | {min(labels)} | "
                f"{max(labels)} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
