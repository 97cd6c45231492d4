"""One measurement in one process: a job comes as JSON on standard input, figures go out."""

from __future__ import annotations

import json
import pickle
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import contenders, exact, labelling, problems
from benchmarks.jobs import Job
from benchmarks.limit import measure_rates
from benchmarks.meters import metered
from benchmarks.settings import CACHE_MB, TOLERANCE
from benchmarks.suites import discovery

_WARM_UP_ROWS = 300
# A decision function that is faster than this in all is called again in the same process.
_DECIDE_SECONDS = 1.0
_DECIDE_CALLS = 9


def run(job: Job, folder: Path) -> dict[str, Any]:
    """Do what ``job`` says; ``folder`` holds what processes leave for each other."""
    if job.kind == "prepare":
        return problems.prepare(job.set, folder)
    if job.kind == "label":
        return labelling.label(job, folder)
    if job.kind in ("bag", "prune", "boost"):
        from benchmarks import ensembles

        return ensembles.run(job)
    if job.kind == "discovery":
        return discovery.measure(job)
    problem = problems.load(job.set, folder).head(job.rows)
    _warm_up(job, problem)
    if job.kind == "loop":
        return labelling.loop(job, problem)
    return {"fit": _fit, "decide": _decide, "growth": _growth}[job.kind](job, problem, folder)


def _warm_up(job: Job, problem: problems.Problem) -> None:
    """Import and initialise on a few rows, so that the clock sees neither."""
    contender = contenders.BORDER if job.kind == "loop" else job.contender
    contenders.make(contender, problem.C, problem.gamma)
    contenders.use_one_thread(contender)
    rare = np.flatnonzero(problem.y_train == 1)[: _WARM_UP_ROWS // 3]
    common = np.flatnonzero(problem.y_train == 0)[: _WARM_UP_ROWS - len(rare)]
    rows = np.concatenate([rare, common])
    model = contenders.make(contender, problem.C, problem.gamma)
    model.fit(problem.X_train[rows], problem.y_train[rows])
    model.decision_function(problem.X_test[:_WARM_UP_ROWS])


def _fit(job: Job, problem: problems.Problem, folder: Path) -> dict[str, Any]:
    model = contenders.make(job.contender, problem.C, problem.gamma, seed=job.round)
    reading = metered(lambda: model.fit(problem.X_train, problem.y_train))
    facts: dict[str, Any] = {
        **reading.facts(),
        "backend": contenders.backend(job.contender, model),
        "support": len(model.support_),
        "rows": problem.X_train.shape[0],
    }
    if job.contender == contenders.BORDER:
        facts["labels"] = model.n_labels_
    if job.check:
        facts["objective"] = exact.dual_objective(model, problem.X_train, problem.gamma)
    if job.score:
        from rarebit.metrics import g_mean_score

        facts["g_mean"] = g_mean_score(problem.y_test, model.predict(problem.X_test))
    if job.keep:
        _model_file(folder, job.contender).write_bytes(pickle.dumps(model))
    return facts


def _decide(job: Job, problem: problems.Problem, folder: Path) -> dict[str, Any]:
    model = pickle.loads(_model_file(folder, job.contender).read_bytes())
    times: list[float] = []
    busy: list[float] = []
    values = np.empty(0)

    def call() -> None:
        nonlocal values
        values = model.decision_function(problem.X_test)

    while not times or (sum(times) < _DECIDE_SECONDS and len(times) < _DECIDE_CALLS):
        reading = metered(call)
        times.append(reading.seconds)
        busy.append(reading.facts()["busy"])
    facts: dict[str, Any] = {
        "seconds": statistics.median(times),
        "busy": statistics.median(busy),
        "calls": len(times),
        "support": len(model.support_),
    }
    if job.check:
        right = exact.decision_values(model, problem.X_test, problem.gamma)
        facts["error"] = float(np.abs(values - right).max())
        np.save(folder / f"values-{job.contender}.npy", values)
        other = [
            np.load(path)
            for path in folder.glob("values-*.npy")
            if path.stem != f"values-{job.contender}"
        ]
        if other:
            facts["difference"] = max(float(np.abs(values - o).max()) for o in other)
    return facts


def _model_file(folder: Path, contender: str) -> Path:
    return folder / f"model-{contender}.pickle"


def _growth(job: Job, problem: problems.Problem, folder: Path) -> dict[str, Any]:
    model = contenders.make(job.contender, problem.C, problem.gamma)
    reading = metered(lambda: model.fit(problem.X_train, problem.y_train))
    rows, features = problem.X_train.shape
    facts = {**reading.facts(), "rows": rows, "support": len(model.support_)}
    if job.check:
        rates = measure_rates(features)
        facts |= _counters(model, problem)
        facts |= {
            "gflops": rates.flops / 1e9,
            "gexp": rates.exponentials / 1e9,
            "limit_seconds": rates.limit_seconds(len(model.support_), rows, features),
        }
    return facts


def _counters(model: Any, problem: problems.Problem) -> dict[str, Any]:
    """Solve again on the engine, as `KernelSVC.fit` does, to read its counters."""
    from rarebit import _core
    from rarebit._engine.arrays import engine_rows

    y = np.where(problem.y_train == 1, 1.0, -1.0)
    cost = np.full(len(y), problem.C)
    start = time.perf_counter()
    rows = engine_rows(problem.X_train)
    kernel = _core.Kernel("rbf", problem.gamma, 0.0, 3, rows)
    source = _core.DirectProvider(kernel, rows)
    solution = _core.solve(source, None, y, cost, None, TOLERANCE, -1, CACHE_MB << 20, None)
    seconds = time.perf_counter() - start
    support = np.flatnonzero(solution.alpha)
    if not (
        np.array_equal(support, model.support_)
        and np.array_equal(solution.alpha[support], model.dual_coef_[0])
    ):
        raise RuntimeError(
            f"The engine's solution differs from KernelSVC's on {problem.name}: the counters would "
            "belong to another fit. Call the engine here as KernelSVC.fit calls it."
        )
    return {
        "values_ratio": kernel.values_computed / (len(support) * len(y)),
        "kernel_share": kernel.seconds / seconds,
        "steps": solution.steps,
    }


def main() -> None:
    request = json.load(sys.stdin)
    facts = run(Job(**request["job"]), Path(request["folder"]))
    sys.stdout.write("\n" + json.dumps(facts) + "\n")


if __name__ == "__main__":
    main()
