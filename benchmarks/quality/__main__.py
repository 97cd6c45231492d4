"""``python -m benchmarks.quality``: the experiments of three papers, with spread."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks.machine import versions
from benchmarks.quality import bagging, boosting, comparison, pruning
from benchmarks.settings import ROOT

EXPERIMENTS = {
    "bagging": bagging.run,
    "pruning": pruning.run,
    "boosting": boosting.run,
    "compare": comparison.run,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAMES", help=f"of {', '.join(EXPERIMENTS)}")
    parser.add_argument("--sets", help="tasks, with commas between; all of the paper's by default")
    parser.add_argument("--quick", action="store_true", help="one repeat, few folds and draws")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in EXPERIMENTS]
    if unknown:
        parser.error(f"there is no experiment {unknown[0]!r}; choose from {', '.join(EXPERIMENTS)}")
    sets = tuple(given.sets.split(",")) if given.sets else None
    start = time.perf_counter()

    def say(line: str) -> None:
        print(f"[{time.perf_counter() - start:5.0f} s] {line}", file=sys.stderr, flush=True)

    for name in given.names or EXPERIMENTS:
        for table in EXPERIMENTS[name](sets, given.quick, given.out, say):
            table.show()
            table.write(given.out, {"versions": versions()})
    say(f"tables are in {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
