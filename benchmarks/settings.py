"""What every measurement shares, and the options of a run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

TOLERANCE = 1e-3
CACHE_MB = 2000
ROUNDS = 3
# A contender that needs longer than this is measured fewer times.
SLOW_SECONDS = 5.0
SLOW_ROUNDS = 2
SEEDS = 5
QUICK_SEEDS = 3

SETS = ("letter-A", "satimage-4", "usps-0", "a9a", "mnist-8", "reuters-crude")
# Rows of the nested subsets whose fits show how time and memory grow; None is all rows.
GROWTH: dict[str, tuple[int | None, ...]] = {
    "a9a": (1000, 2000, 5000, 10000, 20000, None),
    "mnist-8": (1000, 2000, 5000, 10000, 20000, 40000, None),
}
QUICK_ROWS = 10000
PRUNE_CALLS = 9  # of `PrunedSVC` in one process
# Sets on which loops of questions are compared, and the rows drawn from them; None is all.
LOOPS: dict[str, int | None] = {"letter-A": 14000, "usps-0": None}
LOOP_LABELS = 400
USUAL_LOOPS = ("letter-A",)  # where the usual loop, which takes minutes elsewhere, is measured too
# Pools of made rows on which the cost of one label is measured; the largest is memory-mapped.
POOL_ROWS = (10**4, 10**5, 10**6, 10**7)
POOL_LABELS = 1000  # known before the clock starts
QUICK_POOL_ROWS = 10**5

ROOT = Path(__file__).resolve().parents[1]

# One thread for every library that reads one of these.
ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "BLIS_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS",
    ),
    "1",
)


@dataclass(frozen=True)
class Options:
    """What the command line asks for."""

    suites: tuple[str, ...]
    sets: tuple[str, ...] = SETS
    rounds: int = ROUNDS
    quick: bool = False
    out: Path = ROOT / "benchmarks" / "results"

    @property
    def slow_rounds(self) -> int:
        return min(self.rounds, SLOW_ROUNDS)

    @property
    def seeds(self) -> int:
        """Runs of the online machine, each with its own order of the rows."""
        return QUICK_SEEDS if self.quick else SEEDS

    def pool_rows(self) -> tuple[int, ...]:
        """Rows of the pools on which the cost of one label is measured."""
        return tuple(n for n in POOL_ROWS if not self.quick or n <= QUICK_POOL_ROWS)

    def growth_rows(self, name: str) -> tuple[int | None, ...]:
        rows = GROWTH[name]
        if self.quick:
            return tuple(n for n in rows if n is not None and n <= QUICK_ROWS)
        return rows
