"""``python -m benchmarks``: measure, print tables, write them."""

from __future__ import annotations

import argparse
import importlib
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.contenders import BORDER, ONLINE
from benchmarks.jobs import Job, MeasurementError, Results, Session
from benchmarks.machine import describe_machine
from benchmarks.problems import describe
from benchmarks.settings import (
    GROWTH,
    LOOPS,
    ROUNDS,
    SEEDS,
    SETS,
    SLOW_ROUNDS,
    SLOW_SECONDS,
    Options,
)
from benchmarks.suites import (
    border,
    decide,
    discovery,
    ensembles,
    fit,
    full_search,
    growth,
    online,
)
from benchmarks.tables import Table

SUITES = ("fit", "decide", "online", "growth", "border", "full-search", "ensembles", "discovery")

# Suites with a program of their own.
OWN = {
    "threads": "benchmarks.suites.threads",
    "linear": "benchmarks.suites.linear",
    "distributed": "benchmarks.suites.distributed",
    "scale": "benchmarks.scale",
}

Measured = dict[str, dict[str, Results]]


def parse(arguments: list[str] | None = None) -> Options:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure rarebit beside its rivals, one thread, one process per measurement.",
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAMES",
        help=f"of {', '.join(SUITES)}; all. Alone: {', '.join(OWN)}, learning",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        help=f"measurements of each contender ({ROUNDS}, 1 with --quick); at most {SLOW_ROUNDS} "
        f"where one takes more than {SLOW_SECONDS:g} s",
    )
    parser.add_argument("--sets", help=f"sets, with commas between ({','.join(SETS)})")
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"one round, fewer than {SEEDS} seeds, small sizes of growth",
    )
    parser.add_argument("--out", type=Path, help="folder of the tables (benchmarks/results)")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.names if name not in SUITES]
    if unknown:
        parser.error(f"there is no suite {unknown[0]!r}; choose from {', '.join(SUITES)}")
    sets = tuple(name for name in (given.sets or "").split(",") if name) or SETS
    unknown = [name for name in sets if name not in SETS]
    if unknown:
        parser.error(f"there is no set {unknown[0]!r}; choose from {', '.join(SETS)}")
    rounds = given.rounds if given.rounds is not None else (1 if given.quick else ROUNDS)
    if rounds < 1:
        parser.error(f"--rounds must be at least 1, got {rounds}")
    suites = tuple(name for name in SUITES if name in given.names or not given.names)
    options = Options(suites, sets, rounds, given.quick)
    return options if given.out is None else replace(options, out=given.out)


def fit_jobs(options: Options, name: str) -> dict[str, Job]:
    """Return the fits that the chosen suites need, each once however many want it."""
    wanted: dict[str, Job] = {}
    for suite, jobs in (
        ("fit", fit.jobs),
        ("online", online.jobs),
        ("decide", decide.fit_jobs),
        ("border", border.fit_jobs),
    ):
        if suite not in options.suites:
            continue
        for label, job in jobs(name).items():
            known = wanted.get(label, job)
            wanted[label] = replace(
                known,
                check=known.check or job.check,
                score=known.score or job.score,
                keep=known.keep or job.keep,
            )
    return wanted


def measure(session: Session) -> list[Table]:
    """Take all measurements, set by set, then make the tables."""
    options = session.options
    fits: Measured = {}
    decisions: Measured = {}
    growths: Measured = {}
    loops: Measured = {}
    own_sets = {"full-search", "ensembles", "discovery"}  # suites that bring their own problems
    sets: list[str] = []
    if set(options.suites) <= own_sets | {"growth"}:
        sets = [name for name in options.sets if name in GROWTH and "growth" in options.suites]
    else:
        sets = list(options.sets)
    for name in sets:
        session.prepare(name)
        jobs = fit_jobs(options, name)
        rounds = {ONLINE: options.seeds, BORDER: options.seeds}
        if set(options.suites) <= own_sets | {"decide", "growth"}:
            rounds = dict.fromkeys(jobs, 1)
        if jobs:
            fits[name] = session.alternate(jobs, rounds)
        if "decide" in options.suites:
            decisions[name] = session.alternate(decide.jobs(name))
        if "growth" in options.suites and name in GROWTH:
            growths[name] = session.alternate(growth.jobs(name, options.growth_rows(name)))
        if "border" in options.suites and name in LOOPS:
            loops[name] = session.alternate(border.loop_jobs(name))
        session.release(name)
    labels: dict[str, Results] = {}
    if "border" in options.suites:
        labels = session.alternate(border.label_jobs(options.pool_rows()))
        session.release("made rows")
    tables: list[Table] = []
    if "fit" in options.suites:
        tables.append(fit.table(fits))
    if decisions:
        tables.append(decide.table(decisions, session.facts))
    if "online" in options.suites:
        tables.append(online.table(fits))
    if growths:
        tables.append(growth.table(growths))
    elif "growth" in options.suites:
        session.say(f"growth has nothing to do: it uses {' and '.join(GROWTH)}")
    if "border" in options.suites:
        tables.append(border.fit_table(fits))
    if loops:
        tables.append(border.loop_table(loops))
    if labels:
        tables.append(border.label_table(labels))
    if "full-search" in options.suites:
        tables.append(full_search.table(session.alternate(full_search.jobs(options.quick))))
        session.release("made rows")
    if "ensembles" in options.suites:
        tables += ensembles.tables(ensembles.measure(session))
    if "discovery" in options.suites:
        explored = {
            pool: session.alternate(jobs, dict.fromkeys(jobs, 1))
            for pool, jobs in discovery.jobs(options.quick).items()
        }
        tables.append(discovery.table(explored))
    return tables


def head(table: Table, machine: dict[str, str], session: Session) -> dict[str, str]:
    """Return what stands with a table: the machine and the sets in it."""
    names = [name for name in session.facts if any(row.get("set") == name for row in table.rows)]
    busy = session.busy
    return {
        **machine,
        "processor time / clock time of the measurements": (
            f"{min(busy):.2f} to {max(busy):.2f}, median {statistics.median(busy):.2f}"
        ),
        "sets": "; ".join(describe(name, session.facts[name]) for name in names),
    }


def main() -> int:
    if sys.argv[1:2] == ["learning"]:  # has options of its own
        from benchmarks.learning.__main__ import main as learning

        return learning(sys.argv[2:])
    if sys.argv[1:2] and sys.argv[1] in OWN:
        import runpy

        # Each measures processes of its own, and has options of its own.
        name, sys.argv = sys.argv[1], [sys.argv[0], *sys.argv[2:]]
        if {"-h", "--help"} & {*sys.argv[1:]}:
            print(importlib.import_module(OWN[name]).__doc__)
            return 0
        runpy.run_module(OWN[name], run_name="__main__", alter_sys=True)
        return 0
    options = parse()
    machine = describe_machine()
    start = time.perf_counter()

    def say(line: str) -> None:
        print(f"[{time.perf_counter() - start:5.0f} s] {line}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory(prefix="rarebit-benchmarks-") as scratch:
        session = Session(options, Path(scratch), say)
        try:
            tables = measure(session)
        except MeasurementError as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
    for table in tables:
        table.show()
        table.write(options.out, head(table, machine, session))
        if table.name == "growth" and not growth.figure(table, options.out / "growth.png"):
            say("growth.png is not drawn: matplotlib is not installed")
        if table.name == "border-label" and not border.figure(
            table, options.out / "border-label.png"
        ):
            say("border-label.png is not drawn: matplotlib is not installed")
    say(f"tables are in {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
