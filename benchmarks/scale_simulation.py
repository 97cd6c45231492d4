"""Events of a cluster: workers of different speed, stragglers, a worker that dies.

``python -m benchmarks.scale_simulation --constants benchmarks/results/scale.json`` simulates a full
prediction and a pass over all features, task by task, where `benchmarks.scale` only divides.
"""

from __future__ import annotations

import argparse
import heapq
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.scale import RESULTS, Constants


@dataclass(frozen=True)
class Cluster:
    """What happens to the workers.

    Attributes
    ----------
    workers : int
        Number of processes, one processor each.
    spread : float
        Standard deviation of the logarithm of their speeds.
    slow : float
        Share of workers that take `factor` times as long.
    factor : float
        How much longer those take.
    deaths : int
        Workers that die halfway through the work.
    """

    workers: int
    spread: float = 0.1
    slow: float = 0.0
    factor: float = 3.0
    deaths: int = 0


def simulate(
    seconds: float,
    n_tasks: int,
    cluster: Cluster,
    *,
    dispatch: float,
    pinned: bool = False,
    again: float = 0.0,
    seed: int = 0,
) -> float:
    """Return the seconds until the last task is done.

    Parameters
    ----------
    seconds : float
        Time of a task on an ordinary worker.
    n_tasks : int
        Number of tasks.
    cluster : Cluster
        Who works.
    dispatch : float
        Seconds in which the scheduler sends one task: it sends one after the other.
    pinned : bool, default=False
        Whether a task waits for the worker that keeps its file; only those of a worker that died
        go to others.
    again : float, default=0.0
        Seconds more that a task takes on a worker that does not keep its file.
    seed : int, default=0
        Seed of the speeds and deaths.

    Returns
    -------
    float
        Seconds.

    Examples
    --------
    >>> simulate(2.0, 6, Cluster(3, spread=0.0), dispatch=0.0)
    4.0
    """
    rng = np.random.default_rng(seed)
    pace = np.exp(cluster.spread * rng.standard_normal(cluster.workers))
    pace[rng.random(cluster.workers) < cluster.slow] *= cluster.factor
    halfway = max(0.5 * seconds * n_tasks / cluster.workers, 0.5 * dispatch * n_tasks)
    dies = np.full(cluster.workers, np.inf)
    dies[rng.choice(cluster.workers, cluster.deaths, replace=False)] = halfway
    sent = dispatch * np.arange(1, n_tasks + 1)
    # Each worker's own tasks, and those that anybody may take, with the time they are ready.
    own: list[list[int]] = [[] for _ in range(cluster.workers)]
    anyone: list[tuple[float, float]] = []  # ready, seconds
    if pinned:
        for task in range(n_tasks):
            own[task % cluster.workers].append(task)
    else:
        anyone = [(float(at), seconds) for at in sent]
    end = 0.0
    free = [0.0] * cluster.workers
    for worker in range(cluster.workers):
        for task in own[worker]:
            begins = max(free[worker], float(sent[task]))
            finished = begins + seconds * float(pace[worker])
            if finished > dies[worker]:
                anyone.append((max(float(dies[worker]), float(sent[task])), seconds + again))
            else:
                free[worker], end = finished, max(end, finished)
    heapq.heapify(anyone)
    idle = [(at, worker) for worker, at in enumerate(free)]
    heapq.heapify(idle)
    while anyone:
        ready, cost = heapq.heappop(anyone)
        at, worker = heapq.heappop(idle)
        begins = max(at, ready)
        finished = begins + cost * float(pace[worker])
        if finished > dies[worker]:
            heapq.heappush(anyone, (max(ready, float(dies[worker])), cost))
            continue  # it does not come back
        heapq.heappush(idle, (finished, worker))
        end = max(end, finished)
    return end


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale_simulation")
    parser.add_argument("--constants", type=Path, default=RESULTS / "scale.json")
    parser.add_argument("--rows", type=float, default=1e9)
    parser.add_argument("--machines", type=int, default=100)
    parser.add_argument("--cores", type=int, default=8)
    parser.add_argument("--rows-per-file", type=float, nargs="*", default=[1e6, 2.5e5, 5e4])
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    c = Constants(**json.loads(given.constants.read_text()))
    workers = given.machines * given.cores
    cases = {
        "all alike": Cluster(workers, spread=0.0),
        "speeds differ by 10 %": Cluster(workers),
        "2 % stragglers, 3 times slower": Cluster(workers, slow=0.02),
        "stragglers, and a machine dies halfway": Cluster(workers, slow=0.02, deaths=given.cores),
    }
    print("| work | rows per file | workers | s, least to most of the seeds |\n|---|---|---|---|")
    for rows in given.rows_per_file:
        n_tasks = int(given.rows / rows)
        for work, cost, pinned in (
            ("full prediction", c.read + c.predict, False),
            ("a pass over the features", c.score, True),
        ):
            for name, cluster in cases.items():
                took = [
                    simulate(
                        rows * cost, n_tasks, cluster, dispatch=c.task, pinned=pinned,
                        again=rows * c.encode, seed=seed,
                    )
                    for seed in range(given.seeds)
                ]  # fmt: skip
                print(f"| {work} | {rows:,.0f} | {name} | {min(took):,.1f} to {max(took):,.1f} |")


if __name__ == "__main__":
    main()
