"""``python -m benchmarks.cluster_exploring``: labels to the first rare row over many files.

Compares the explorer of a cluster with draws between its candidates and without, with candidates
that `Scout` names without learning from its own (`densest`), with chance, and with `Scout` over all
rows on one computer. Pools are generated; every file is looked at alone, as a worker does.
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

N_FILES, ROWS, RARE, COLUMNS = 4, 600, 8, 10
MOST = 200  # labels after which a search counts as that many
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
    """Rows of four usual groups and 0.3 % of a rare class, in random order."""
    rng = np.random.default_rng(seed)
    n = N_FILES * ROWS
    centres = rng.normal(size=(4, COLUMNS))
    X = centres[rng.integers(0, 4, n)] + rng.normal(size=(n, COLUMNS)) * 0.9
    rare = np.zeros(n, dtype=np.bool_)
    rare[rng.choice(n, RARE, replace=False)] = True
    X[rare] = POOLS[name](rng, RARE)
    return X, rare


def densest(rows: Reals, k: int) -> NDArray[np.intp]:
    """Ask `Scout` for many rows at once, without an answer."""
    return Scout().start(rows).ask(k)


def pool_of(X: Reals, find: Callable[[Reals, int], NDArray[np.intp]]) -> ArrayPool:
    """Return a pool whose files name candidates in turn."""

    def candidates(k: int) -> NDArray[np.intp]:
        each = min(ROWS, -(-k // N_FILES))
        found = [find(X[i * ROWS : (i + 1) * ROWS], each) + i * ROWS for i in range(N_FILES)]
        return np.stack(found, axis=1).ravel()[:k]

    return ArrayPool(X, 1.0, candidates)


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
            ours, old = pool_of(X, scouted), pool_of(X, densest)
            askers = {
                "candidates, every second row drawn": PoolExplorer(seed, every=2).start(ours),
                "candidates, every fourth row drawn": PoolExplorer(seed, every=4).start(ours),
                "candidates only": PoolExplorer(seed, every=0).start(ours),
                "densest rows, every second row drawn": PoolExplorer(seed, every=2).start(old),
                "densest rows only": PoolExplorer(seed, every=0).start(old),
                "all rows drawn": PoolExplorer(seed, every=1).start(ours),
                "Scout over all rows": Scout().start(X),
            }
            for explorer, asker in askers.items():
                found.setdefault(explorer, []).append(labels_to_first(asker, rare))
        for explorer, labels in found.items():
            mean = float(np.exp(np.log(labels).mean()))
            print(
                f"| {name} | {explorer} | {np.median(labels):.0f} | {mean:.0f} | {min(labels)} | "
                f"{max(labels)} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
