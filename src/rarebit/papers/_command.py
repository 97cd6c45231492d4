"""The command that runs tables and figures of the papers."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

from rarebit.papers._machine import EDITION, describe_machine
from rarebit.papers._paper import PLANS, find_plans
from rarebit.papers._plan import Plan
from rarebit.papers._progress import Progress
from rarebit.papers._run import Outcome, open_store, run_plan
from rarebit.papers._show import show_plan
from rarebit.papers._store import ResultsMismatchError

FOLDER = Path("rarebit-papers")
# What a shell expects of a program that Ctrl-C ended.
INTERRUPTED = 130


def make_parser() -> argparse.ArgumentParser:
    """Describe the arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m rarebit.papers",
        description="Run tables and figures of the papers and show ours beside theirs. Results "
        "are kept as they come: the same command goes on where a run was broken off.",
    )
    parser.add_argument(
        "names",
        nargs="+",
        metavar="NAME",
        help="list, all, a paper (border), or its tables and figures (border.table1)",
    )
    parser.add_argument(
        "--quick", action="store_true", help="small pools and few seeds, to see that all works"
    )
    parser.add_argument(
        "--seeds", type=_positive, help="repetitions (each table has its own number)"
    )
    parser.add_argument(
        "--jobs", type=_positive, default=1, help="processes (1); times are honest with 1 only"
    )
    parser.add_argument(
        "--out",
        type=Path,
        help=f"folder of results ({FOLDER}, {FOLDER}/quick with --quick)",
    )
    parser.add_argument("--fresh", action="store_true", help="forget the results of earlier runs")
    parser.add_argument(
        "--show", action="store_true", help="run nothing: tables and figures of what is finished"
    )
    return parser


def main(
    arguments: Sequence[str] | None = None,
    *,
    plans: Sequence[Plan] = PLANS,
    output: TextIO | None = None,
    messages: TextIO | None = None,
) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        As on the command line, from which they are taken when there are none.
    plans : sequence of Plan, optional
        What can be run.
    output, messages : text file, optional
        Where tables and messages go: standard output and standard error.

    Returns
    -------
    int
        0 when everything was run, 1 when data is missing, 130 when interrupted.
    """
    parser = make_parser()
    given = parser.parse_args(arguments)
    out, err = output or sys.stdout, messages or sys.stderr
    if any(name.lower() == "list" for name in given.names):
        width = max(len(plan.name) for plan in plans)
        out.writelines(f"{plan.name:<{width}}  {plan.title}\n" for plan in plans)
        return 0
    try:
        chosen = find_plans(given.names, plans)
    except ValueError as error:
        parser.error(str(error))
    folder = given.out or (FOLDER / "quick" if given.quick else FOLDER)
    missing: dict[str, str] = {}
    if given.fresh and not given.show:
        for plan in chosen:
            (folder / plan.file).unlink(missing_ok=True)
    for plan in chosen:
        try:
            missing |= _run_and_show(plan, given, folder, out, err, missing)
        except KeyboardInterrupt:
            err.write(f"Interrupted in {plan.name}: the same command goes on from here.\n")
            return INTERRUPTED
        except ResultsMismatchError as error:
            err.write(f"error: {error}\n")
            return 1
    for reason in dict.fromkeys(missing.values()):
        tasks = [task for task, other in missing.items() if other == reason]
        err.write(f"Left out: {', '.join(tasks)}. {reason}\n")
    return 1 if missing else 0


def _run_and_show(
    plan: Plan,
    given: argparse.Namespace,
    folder: Path,
    out: TextIO,
    err: TextIO,
    missing: Mapping[str, str],
) -> dict[str, str]:
    """Run one plan, print its tables, and return the tasks whose data is missing."""
    scale = plan.scale(given.quick, given.seeds)
    keys = [experiment.key for experiment in plan.experiments(scale)]
    store = open_store(plan, folder)
    start = time.perf_counter()
    if given.show:
        outcome = Outcome(store.results(keys))
    else:
        waiting = sum(key not in store for key in keys)
        if waiting < len(keys):
            err.write(f"{plan.name}: {len(keys) - waiting} of {len(keys)} are finished already\n")
            if store.about.get(EDITION) != describe_machine()[EDITION]:
                err.write(f"{plan.name}: they are of other code; --fresh measures them again\n")
        progress = Progress(err, plan.name, waiting)
        outcome = run_plan(plan, scale, folder, jobs=given.jobs, progress=progress, missing=missing)
    if not len(outcome.results):
        err.write(f"{plan.name}: nothing to show\n")
        return outcome.missing
    tables, files, trouble = show_plan(plan, outcome.results, folder)
    out.write("\n\n".join(table.plain() for table in tables) + "\n\n")
    if trouble:
        err.write(f"{plan.name}: {trouble}\n")
    err.write(
        f"{plan.name}: {outcome.n_run} experiments in {time.perf_counter() - start:.0f} s; "
        f"wrote {', '.join(str(path) for path in [store.path, *files])}\n"
    )
    return outcome.missing


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {number}")
    return number
