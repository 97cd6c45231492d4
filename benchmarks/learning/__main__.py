"""``python -m benchmarks learning``: who asks and who judges, on pools of many shapes."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks.learning.askers import ASKERS
from benchmarks.learning.pools import DEVELOPMENT, REPORT
from benchmarks.learning.runs import measure_pools
from benchmarks.learning.tables import all_labels_table, curve_table
from benchmarks.machine import describe_machine
from benchmarks.settings import ROOT


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing, print the tables and write them as Markdown and CSV."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks learning",
        description="Average precision and g-mean on rows held out, by number of labels. An "
        "interrupted run continues where it was. Needs the data sets (RAREBIT_DATA) and the "
        "packages scikit-activeml and lightgbm.",
    )
    parser.add_argument(
        "--sets",
        default="development",
        help="development, report, or names with commas between (development)",
    )
    parser.add_argument("--seeds", type=int, default=3, help="draws of each pool (3)")
    parser.add_argument("--budgets", default="50,100,200,500,1000", help="numbers of labels")
    parser.add_argument(
        "--asker", choices=[*ASKERS], action="append", help="this asker only; repeat for several"
    )
    parser.add_argument("--all-labels", action="store_true", help="fit to all labels as well")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "learning")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    given = parser.parse_args(arguments)
    groups = {"development": DEVELOPMENT, "report": REPORT}
    names = list(groups.get(given.sets, dict.fromkeys(given.sets.split(","))))
    unknown = [name for name in names if name not in {**DEVELOPMENT, **REPORT}]
    if unknown:
        parser.error(
            f"there is no pool {unknown[0]!r}; choose from development, report, "
            f"{', '.join([*DEVELOPMENT, *REPORT])}"
        )
    budgets = [int(budget) for budget in given.budgets.split(",")]
    if given.seeds < 1 or min(budgets) < 2:
        parser.error("--seeds must be at least 1 and --budgets at least 2")
    given.work.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()

    def say(line: str) -> None:
        print(f"[{time.perf_counter() - start:5.0f} s] {line}", file=sys.stderr, flush=True)

    results = measure_pools(
        given.work, names, given.seeds, budgets,
        with_all=given.all_labels, only=given.asker, say=say,
    )  # fmt: skip
    machine = describe_machine()
    stem = f"learning-{given.sets}" if given.sets in groups else "learning"
    for texts, what in ((False, "tables"), (True, "texts")):
        own = [r for r in results if r["texts"] == texts]
        if not own:
            continue
        for metric in ("AP", "g-mean"):
            name = f"{stem}-{what}-{metric.lower()}"
            title = f"{metric} on rows held out, mean over pools of {what}"
            table = curve_table(name, title, own, metric)
            table.show()
            table.write(given.out, machine)
        if given.all_labels:
            table = all_labels_table(f"{stem}-{what}-all", own)
            table.show()
            table.write(given.out, machine)
    say(f"tables are in {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
