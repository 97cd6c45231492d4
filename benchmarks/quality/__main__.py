"""``python -m benchmarks.quality``: the comparisons of the documentation."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks.quality import comparison
from benchmarks.settings import ROOT


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="compare", help="the only experiment")
    parser.add_argument("--sets", help=f"tasks, commas between; {','.join(comparison.SETS)}")
    parser.add_argument("--quick", action="store_true", help="two folds")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    given = parser.parse_args()
    unknown = [name for name in given.names if name != "compare"]
    if unknown:
        parser.error(
            f"there is no experiment {unknown[0]!r}: choose compare; the papers' experiments are "
            "run by python -m rarebit.papers"
        )
    sets = tuple(given.sets.split(",")) if given.sets else comparison.SETS
    start = time.perf_counter()
    for name in sets:
        summary = comparison.run(name, given.quick, given.out)
        seconds = time.perf_counter() - start
        print(f"[{seconds:5.0f} s] compare {name}: {summary}", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
