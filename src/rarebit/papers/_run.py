"""Run the experiments of a plan that are not finished yet, one after the other or in processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from rarebit.datasets import DataNotFoundError
from rarebit.papers._machine import describe_machine
from rarebit.papers._plan import Experiment, Plan, Scale
from rarebit.papers._progress import Progress
from rarebit.papers._result_file import ResultFile
from rarebit.papers._rows import Results, Row


@dataclass(frozen=True)
class Finished:
    """What came of one experiment; without rows, the data that it lacks."""

    experiment: Experiment
    rows: list[Row]
    seconds: float
    lacks: str = ""


@dataclass
class RunSummary:
    """What came of a run.

    Attributes
    ----------
    results : Results
        Rows of the plan's experiments, of this run and of earlier ones.
    n_run, n_kept : int
        Experiments run now, and found finished.
    missing : dict of str to str
        Tasks that could not be run, and what to do about it.
    """

    results: Results
    n_run: int = 0
    n_kept: int = 0
    missing: dict[str, str] = field(default_factory=dict)


def run_plan(
    plan: Plan,
    scale: Scale,
    folder: Path,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
    missing: Mapping[str, str] | None = None,
) -> RunSummary:
    """Run what is not finished, and return all results of the plan.

    Parameters
    ----------
    plan : Plan
        What to run.
    scale : Scale
        How much of it.
    folder : Path
        Where the file of results is, or is to be.
    jobs : int, default=1
        Processes. Each experiment uses one thread, so results do not depend on it.
    progress : Progress or None, default=None
        Told of each experiment.
    missing : mapping of str to str, optional
        Tasks whose data is known to be missing, and what to do about it: they are not tried.

    Returns
    -------
    RunSummary
        All results, also those of earlier runs.
    """
    experiments = list(plan.experiments(scale))
    keys = [experiment.key for experiment in experiments]
    store = open_results(plan, folder)
    waiting = [experiment for experiment in experiments if experiment.key not in store]
    outcome = RunSummary(Results([]), n_kept=len(experiments) - len(waiting))
    tasks = {experiment.task for experiment in waiting}
    outcome.missing = {task: why for task, why in (missing or {}).items() if task in tasks}
    with progress or Progress(None, plan.name, len(waiting)) as meter:
        for finished in _finish(plan.run, waiting, jobs, outcome.missing):
            if finished.lacks:
                outcome.missing[finished.experiment.task] = finished.lacks
            else:
                store.append(finished.experiment.key, finished.rows)
                outcome.n_run += 1
            meter.advance(str(finished.experiment), finished.seconds, finished.lacks)
    store.arrange(keys)
    outcome.results = store.results(keys)
    return outcome


def open_results(plan: Plan, folder: Path) -> ResultFile:
    """Open the file of a plan's results."""
    return ResultFile(
        folder / plan.file, plan.experiment.columns(), plan.measures, describe_machine()
    )


def _finish(
    run: Callable[[Any], Row | list[Row]],
    waiting: list[Any],
    jobs: int,
    missing: dict[str, str],
) -> Iterator[Finished]:
    if jobs == 1:
        yield from (
            _run_one(run, experiment, missing.get(experiment.task)) for experiment in waiting
        )
        return
    # Tasks are made while results come in, so data found missing is not looked for again.
    calls = (
        delayed(_run_one)(run, experiment, missing.get(experiment.task)) for experiment in waiting
    )
    yield from Parallel(n_jobs=jobs, return_as="generator_unordered", pre_dispatch="n_jobs")(calls)


def _run_one(run: Callable[[Any], Row | list[Row]], experiment: Any, lacks: str | None) -> Finished:
    if lacks:
        return Finished(experiment, [], 0.0, lacks)
    start = time.perf_counter()
    try:
        with threadpool_limits(1):
            rows = run(experiment)
    except DataNotFoundError as error:
        return Finished(experiment, [], time.perf_counter() - start, str(error))
    rows = [rows] if isinstance(rows, dict) else rows
    return Finished(experiment, rows, time.perf_counter() - start)
