"""Run tables and figures of the papers, one after the other, and show them."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from rarebit.papers._machine import EDITION, describe_machine
from rarebit.papers._paper import all_plans, find_plans
from rarebit.papers._plan import Plan
from rarebit.papers._progress import Progress
from rarebit.papers._result_file import ResultsMismatchError
from rarebit.papers._run import RunSummary, open_results, run_plan
from rarebit.papers._show import show_plan

FOLDER = Path("rarebit-papers")
# What a shell expects of a program that Ctrl-C ended.
INTERRUPTED = 130


@dataclass(frozen=True)
class _Wanted:
    """How plans are run, and where results and messages go."""

    quick: bool
    seeds: int | None
    jobs: int
    folder: Path
    show: bool
    output: TextIO
    messages: TextIO


def reproduce(
    names: Iterable[str],
    *,
    quick: bool = False,
    seeds: int | None = None,
    jobs: int = 1,
    folder: Path | None = None,
    fresh: bool = False,
    show: bool = False,
    plans: Sequence[Plan] | None = None,
    output: TextIO | None = None,
    messages: TextIO | None = None,
) -> int:
    """Run plans and show them: what ``rarebit reproduce`` does.

    Parameters
    ----------
    names : iterable of str
        Plans (``border.table1``), papers (``border``), ``all``, or ``list`` to name the plans.
    quick : bool, default=False
        Whether pools are small and seeds few.
    seeds : int or None, default=None
        Repetitions; None for each plan's own number.
    jobs : int, default=1
        Processes.
    folder : Path or None, default=None
        Folder of results; None for ``rarebit-papers``, ``rarebit-papers/quick`` if `quick`.
    fresh : bool, default=False
        Whether results of earlier runs are deleted first.
    show : bool, default=False
        Whether nothing is run, only shown.
    plans : sequence of Plan or None, default=None
        What can be run; None for the plans of all papers.
    output, messages : text file or None, default=None
        Where tables and messages go: standard output and standard error.

    Returns
    -------
    int
        0 when everything was run, 1 when data is missing, 130 when interrupted.

    Examples
    --------
    >>> from rarebit.papers import reproduce
    >>> reproduce(["list"])  # doctest: +ELLIPSIS
    border.settings ...
    0
    """
    plans = all_plans() if plans is None else plans
    out, err = output or sys.stdout, messages or sys.stderr
    names = list(names)
    if any(name.lower() == "list" for name in names):
        width = max(len(plan.name) for plan in plans)
        out.writelines(f"{plan.name:<{width}}  {plan.title}\n" for plan in plans)
        return 0
    chosen = find_plans(names, plans)
    folder = folder or (FOLDER / "quick" if quick else FOLDER)
    wanted = _Wanted(quick, seeds, jobs, folder, show, out, err)
    missing: dict[str, str] = {}
    if fresh and not show:
        for plan in chosen:
            (folder / plan.file).unlink(missing_ok=True)
    for plan in chosen:
        try:
            missing |= _run_and_show(plan, wanted, missing)
        except KeyboardInterrupt:
            err.write(f"Interrupted in {plan.name}: the same command continues from here.\n")
            return INTERRUPTED
        except ResultsMismatchError as error:
            err.write(f"error: {error}\n")
            return 1
    for reason in dict.fromkeys(missing.values()):
        tasks = [task for task, other in missing.items() if other == reason]
        err.write(f"Left out: {', '.join(tasks)}. {reason}\n")
    return 1 if missing else 0


def _run_and_show(plan: Plan, wanted: _Wanted, missing: Mapping[str, str]) -> dict[str, str]:
    """Run one plan, print its tables, and return the tasks whose data is missing."""
    folder, err = wanted.folder, wanted.messages
    scale = plan.scale(wanted.quick, wanted.seeds)
    keys = [experiment.key for experiment in plan.experiments(scale)]
    store = open_results(plan, folder)
    start = time.perf_counter()
    if wanted.show:
        outcome = RunSummary(store.results(keys))
    else:
        waiting = sum(key not in store for key in keys)
        if waiting < len(keys):
            err.write(f"{plan.name}: {len(keys) - waiting} of {len(keys)} are finished already\n")
            if store.about.get(EDITION) != describe_machine()[EDITION]:
                err.write(f"{plan.name}: they are of other code; --fresh measures them again\n")
        progress = Progress(err, plan.name, waiting)
        outcome = run_plan(
            plan, scale, folder, jobs=wanted.jobs, progress=progress, missing=missing
        )
    if not len(outcome.results):
        err.write(f"{plan.name}: nothing to show\n")
        return outcome.missing
    tables, files, trouble = show_plan(plan, outcome.results, folder)
    wanted.output.write("\n\n".join(table.plain() for table in tables) + "\n\n")
    if trouble:
        err.write(f"{plan.name}: {trouble}\n")
    err.write(
        f"{plan.name}: {outcome.n_run} experiments in {time.perf_counter() - start:.0f} s; "
        f"wrote {', '.join(str(path) for path in [store.path, *files])}\n"
    )
    return outcome.missing
