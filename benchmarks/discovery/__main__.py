"""``python -m benchmarks.discovery``: run the explorers, print tables, write them."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.discovery import abalone, hunting, robust, scout
from benchmarks.machine import describe_machine
from benchmarks.settings import ROOT
from benchmarks.tables import Table

NAMES = ("abalone", "scout", "priors", "noise", "hunt")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.discovery",
        description="Count the labels that explorers need. Needs the data sets (RAREBIT_DATA).",
    )
    parser.add_argument("names", nargs="*", metavar="NAMES", help=f"of {', '.join(NAMES)}; all")
    parser.add_argument(
        "--draws", type=int, default=50, help="draws of pools and of random orders, at most (50)"
    )
    parser.add_argument("--quick", action="store_true", help="three draws at most")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in NAMES]
    if unknown:
        parser.error(f"there is no table {unknown[0]!r}; choose from {', '.join(NAMES)}")
    draws = 3 if given.quick else given.draws
    few = min(draws, 10)
    start = time.perf_counter()

    def say(line: str) -> None:
        print(f"[{time.perf_counter() - start:5.0f} s] {line}", file=sys.stderr, flush=True)

    makers: dict[str, Callable[[], Table]] = {
        "abalone": lambda: abalone.table(draws),
        "scout": lambda: scout.table(min(draws, 20), max(1, draws // 15), say),
        "priors": lambda: robust.priors_table(few),
        "noise": lambda: robust.noise_table(few),
    }
    machine = describe_machine()
    for name in NAMES:
        if given.names and name not in given.names:
            continue
        if name == "hunt":
            runs = hunting.measure(hunting.POOLS, 4000, min(draws, 5), say)
            table = hunting.table(runs)
            hunting.curves(runs).write(given.out, machine)
            hunting.draw_figure(runs, given.out / "discovery-hunt.png")
        else:
            table = makers[name]()
        table.show()
        table.write(given.out, machine)
        say(f"{name} is in {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
