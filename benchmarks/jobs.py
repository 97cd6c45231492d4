"""Measurements, each in a process of its own, taken in turns."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.settings import ONE_THREAD, ROOT, SLOW_SECONDS, Options

Facts = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """What one process does."""

    kind: str
    set: str
    contender: str = ""
    round: int = 0
    rows: int | None = None  # training rows, None for all
    check: bool = False  # recompute figures in float64, read counters
    score: bool = False  # predict the test rows
    keep: bool = False  # leave the model for a later process
    labels: int | None = None  # to ask for, where that is not left to a stop rule
    explore: float = 0.0  # share of queries away from the border


class MeasurementError(Exception):
    """A measuring process failed."""


def run_process(job: Job, folder: Path) -> Facts:
    """Run ``job`` in a fresh process and return its figures."""
    request = json.dumps({"job": asdict(job), "folder": str(folder)})
    process = subprocess.run(
        [sys.executable, "-m", "benchmarks.worker"],
        input=request,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **ONE_THREAD},
    )
    if process.returncode:
        reason = process.stderr.strip().splitlines()
        raise MeasurementError(
            f"{job.kind} {job.set} {job.contender} failed with code {process.returncode}:\n"
            + "\n".join(reason[-12:])
        )
    facts: Facts = json.loads(process.stdout.strip().splitlines()[-1])
    return facts


class Results:
    """The figures of one contender's rounds."""

    def __init__(self) -> None:
        self.rounds: list[Facts] = []

    @property
    def first(self) -> Facts:
        """Of the round that also checked."""
        return self.rounds[0]

    def median(self, figure: str) -> float:
        return statistics.median(self.column(figure))

    def column(self, figure: str) -> list[float]:
        return [facts[figure] for facts in self.rounds]


class Session:
    """Takes measurements; ``say`` gets a line about each."""

    def __init__(self, options: Options, scratch: Path, say: Callable[[str], None]) -> None:
        self.options = options
        self.scratch = scratch
        self.say = say
        self.facts: dict[str, Facts] = {}
        self.busy: list[float] = []

    def folder(self, name: str) -> Path:
        return self.scratch / name

    def prepare(self, name: str) -> None:
        """Save the arrays of a set for the processes to come."""
        if not self.folder(name).exists():
            self.facts[name] = run_process(Job("prepare", name), self.folder(name))

    def release(self, name: str) -> None:
        """Delete what a set left on disk."""
        shutil.rmtree(self.folder(name), ignore_errors=True)

    def alternate(
        self, jobs: dict[str, Job], rounds: dict[str, int] | None = None
    ) -> dict[str, Results]:
        """Measure A B C A B C …; the first round of each checks, keeps and scores as its job says.

        ``rounds`` are those of contenders for which every round counts; others have
        ``options.rounds``, or ``options.slow_rounds`` once they prove slow.
        """
        fixed = rounds or {}
        wanted = {label: fixed.get(label, self.options.rounds) for label in jobs}
        results = {label: Results() for label in jobs}
        number = 0
        while any(number < count for count in wanted.values()):
            for label, job in jobs.items():
                if number >= wanted[label]:
                    continue
                every = label in fixed
                facts = self._measure(
                    replace(
                        job,
                        round=number,
                        check=job.check and (every or number == 0),
                        score=job.score and (every or number == 0),
                        keep=job.keep and number == 0,
                    ),
                    label,
                )
                results[label].rounds.append(facts)
                if not every and facts["seconds"] > SLOW_SECONDS:
                    wanted[label] = min(wanted[label], self.options.slow_rounds)
            number += 1
        return results

    def _measure(self, job: Job, label: str) -> Facts:
        start = time.perf_counter()
        facts = run_process(job, self.folder(job.set))
        self.busy.append(facts["busy"])
        whole = time.perf_counter() - start
        self.say(
            f"{job.kind:<7} {job.set:<14} {label:<10} round {job.round + 1}: "
            f"{facts['seconds']:.3f} s ({whole:.0f} s with loading and checks)"
        )
        return facts
