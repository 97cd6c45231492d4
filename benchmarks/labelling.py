"""What a process measures where labels are asked for: a loop of questions, or single ones."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contenders import BORDER, SVC, make, use_one_thread
from benchmarks.jobs import Job
from benchmarks.meters import metered
from benchmarks.problems import Problem
from benchmarks.settings import CACHE_MB, POOL_LABELS

USUAL = "usual loop"
_MAPPED_ROWS = 10**7  # from here on the pool is a file
_FEATURES = 20
_ROWS_AT_ONCE = 10**6
_TIMED_LABELS = {"pool": 1000, "full": 100}


def loop(job: Job, problem: Problem) -> dict[str, Any]:
    """Ask for ``job.labels`` labels, by BorderSVC or by the loop that everybody writes."""
    X, y = problem.X_train, problem.y_train
    if job.contender != USUAL:
        model = make(BORDER, problem.C, problem.gamma, seed=job.round)
        model.set_params(
            search=job.contender, explore=job.explore, stop=None, max_labels=job.labels
        )
        reading = metered(lambda: model.fit(X, y))
        labels = model.n_labels_
    else:
        labelled = _until_two_classes(job, problem)
        reading = metered(lambda: _usual_loop(labelled, problem, job.labels or 0))
        labels = len(labelled)
    return {**reading.facts(), "rows": X.shape[0], "labels": labels}


def _until_two_classes(job: Job, problem: Problem) -> list[int]:
    """Return the rows that BorderSVC asked for until it knew both classes."""
    model = make(BORDER, problem.C, problem.gamma, seed=job.round)
    model.set_params(stop=None, max_labels=job.labels, explore=0.0)
    model.fit(problem.X_train, problem.y_train)
    rows: list[int] = model.queried_.tolist()
    answers = problem.y_train[rows]
    return rows[: 1 + int(np.argmax(answers != answers[0]))]


def _usual_loop(labelled: list[int], problem: Problem, labels: int) -> None:
    """Fit anew after each label and decide on all unlabelled rows; ``labelled`` grows."""
    X, y = problem.X_train, problem.y_train
    unlabelled = np.ones(len(y), dtype=bool)
    unlabelled[labelled] = False
    while len(labelled) < labels:
        machine = make(SVC, problem.C, problem.gamma).fit(X[labelled], y[labelled])
        rows = np.flatnonzero(unlabelled)
        closest = int(rows[np.argmin(np.abs(machine.decision_function(X[rows])))])
        labelled.append(closest)
        unlabelled[closest] = False
    make(SVC, problem.C, problem.gamma).fit(X[labelled], y[labelled])


def label(job: Job, folder: Path) -> dict[str, Any]:
    """Measure ``ask`` and ``tell`` one by one, on a pool of ``job.rows`` made rows.

    With ``job.labels`` known before, searches are compared: as many labels of each, no stop rule.
    """
    from rarebit import BorderLearner
    from rarebit.active import stop_automatically

    def looks(history: Any) -> dict[str, str]:
        """Cost what the stop rule costs, and continue all the same."""
        stop_automatically(history)
        return {}

    use_one_thread(BORDER)
    pool = _make_pool(job.rows or 0, folder)
    learner = BorderLearner(
        C=10.0,
        gamma=0.01,
        search=job.contender,
        explore=job.explore,
        cache_size=CACHE_MB,
        random_state=job.round,
        stop=None if job.labels else looks,
    )
    starting = metered(lambda: learner.start(pool))
    while learner.n_labels_ < (job.labels or POOL_LABELS):
        _question(learner, pool)
    times: list[tuple[float, float]] = []

    def ask_and_tell() -> None:
        for _ in range(_TIMED_LABELS["full" if job.labels else job.contender]):
            times.append(_question(learner, pool))

    reading = metered(ask_and_tell)
    clock, processor = (1e3 * np.array(column) for column in zip(*times, strict=True))
    history = learner.history_
    names = [name for name in history if name.startswith("n_support_")]
    return {
        **reading.facts(),
        "rows": pool.shape[0],
        "median_ms": float(np.median(clock)),
        "percentile_ms": float(np.percentile(clock, 99)),
        "longest_ms": float(clock.max()),
        "processor_mean_ms": float(processor.mean()),
        "processor_median_ms": float(np.median(processor)),
        "processor_percentile_ms": float(np.percentile(processor, 99)),
        "start_seconds": starting.seconds,
        "start_mb": starting.peak_mb - starting.before_mb,
        "support": int(sum(history[name][-1] for name in names)),
    }


def _make_pool(rows: int, folder: Path) -> NDArray[np.float32]:
    """Make normal rows, in a file where there are many; the rounds share the file."""
    random = np.random.default_rng(0)
    if rows < _MAPPED_ROWS:
        return random.standard_normal((rows, _FEATURES), dtype=np.float32)
    path = folder / "pool.f32"
    shape = (rows, _FEATURES)
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            for start in range(0, rows, _ROWS_AT_ONCE):
                count = min(_ROWS_AT_ONCE, rows - start)
                file.write(random.standard_normal((count, _FEATURES), dtype=np.float32).tobytes())
    return np.memmap(path, dtype=np.float32, mode="r", shape=shape)


def _is_rare(row: NDArray[np.float32]) -> int:
    """About 4 % of the rows: those far out between three of the axes."""
    return int(row[0] + row[1] + row[2] > 3.0)


def _question(learner: Any, pool: NDArray[np.float32]) -> tuple[float, float]:
    """Ask for a row and tell its label; return clock and processor seconds of both calls."""
    start = time.perf_counter(), time.thread_time()
    row = int(learner.ask()[0])
    asked = time.perf_counter(), time.thread_time()
    answer = _is_rare(pool[row])
    answered = time.perf_counter(), time.thread_time()
    learner.tell(row, answer)
    told = time.perf_counter(), time.thread_time()
    clock, processor = (told[i] - answered[i] + asked[i] - start[i] for i in (0, 1))
    return clock, processor
