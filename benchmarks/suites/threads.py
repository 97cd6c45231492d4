"""Fit and decide on one and two threads: KernelSVC, scikit-learn-intelex and libsvm.

``python -m benchmarks.suites.threads [SETS]`` prints the table and writes it to
``benchmarks/results``. Each measurement has a process of its own. Wall-clock seconds need a quiet
machine; processor seconds beside them tell how quiet it was.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks.contenders import INTELEX, KERNEL, SVC, intelex_is_here
from benchmarks.machine import machine_lines
from benchmarks.meters import peak_mb
from benchmarks.settings import (
    CACHE_MB,
    ONE_THREAD,
    ROOT,
    ROUNDS,
    SETS,
    SLOW_ROUNDS,
    SLOW_SECONDS,
    TOLERANCE,
)
from rarebit.datasets import load_task


def make(contender: str, threads: int, C: float, gamma: float) -> Any:
    """Return the machine, not fitted; libsvm has one thread only."""
    common: dict[str, Any] = {"C": C, "gamma": gamma, "tol": TOLERANCE, "cache_size": CACHE_MB}
    if contender == KERNEL:
        from rarebit import KernelSVC

        return KernelSVC(**common, n_jobs=threads)
    if contender == INTELEX:
        import daal4py
        from sklearnex.svm import SVC as OneDAL

        daal4py.daalinit(threads)
        return OneDAL(**common, n_jobs=threads)
    from sklearn.svm import SVC as LibSVM

    return LibSVM(**common)


def measure(contender: str, threads: int, name: str) -> dict[str, float]:
    """Seconds on the wall and of the processors for fit and decide, and the peak memory."""
    task = load_task(name)
    machine = make(contender, threads, float(task.C or 1.0), float(task.gamma or 1.0))
    found: dict[str, float] = {}
    with threadpool_limits(threads):
        # Rows of both classes, to start the threads before the clock.
        machine.fit(task.X_train[:1000], task.y_train[:1000])
        for what, call in (
            ("fit", lambda: machine.fit(task.X_train, task.y_train)),
            ("decide", lambda: machine.decision_function(task.X_test)),
        ):
            wall, processor = time.perf_counter(), time.process_time()
            call()
            found[what] = time.perf_counter() - wall
            found[f"{what}_processor"] = time.process_time() - processor
    return {**found, "peak_mb": peak_mb()}


def ratios(lines: list[str]) -> list[str]:
    """How many times as long the others take as KernelSVC with as many threads, and its gain."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    seconds = {
        (cell[0], cell[1], cell[2]): (float(cell[3]), float(cell[5]))
        for cell in cells
        if len(cell) == 8 and cell[2].isdigit()
    }
    head = ("set", "threads", "fit: intelex", "libsvm", "own 1 thread", "decide: intelex", "libsvm",
            "own 1 thread")  # fmt: skip
    made = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name, contender, threads in seconds:
        if contender != KERNEL:
            continue
        own = seconds[name, KERNEL, threads]
        rivals = [(name, INTELEX, threads), (name, SVC, "1"), (name, KERNEL, "1")]
        found = [
            f"{seconds[rival][i] / own[i]:.2f}×" if rival in seconds else ""
            for i in (0, 1)
            for rival in rivals
        ]
        made.append("| " + " | ".join([name, threads, *found]) + " |")
    return made


def main(sets: tuple[str, ...]) -> None:
    """Measure all contenders on all sets, taking turns."""
    machine = machine_lines(threads="1 and 2")
    contenders = [(KERNEL, 1), (KERNEL, 2), (SVC, 1)]
    if intelex_is_here():
        contenders += [(INTELEX, 1), (INTELEX, 2)]
    head = ("set", "contender", "threads", "fit s", "processor s", "decide s", "processor s", "MB")
    lines = [
        f"Seconds on the wall and of the processors, medians of {ROUNDS} measurements "
        f"({SLOW_ROUNDS} where one takes more than {SLOW_SECONDS:g} s); {os.cpu_count()} "
        "processors.", "",
        "| " + " | ".join(head) + " |", "|---" * len(head) + "|",
    ]  # fmt: skip
    environment = {name: value for name, value in os.environ.items() if name not in ONE_THREAD}
    for name in sets:
        found: dict[tuple[str, int], list[dict[str, float]]] = {c: [] for c in contenders}
        for turn in range(ROUNDS):
            for contender, threads in contenders:
                known = found[contender, threads]
                if turn >= SLOW_ROUNDS and known[0]["fit"] > SLOW_SECONDS:
                    continue
                command = [sys.executable, "-m", __spec__.name, contender, str(threads), name]
                done = subprocess.run(
                    command, check=True, capture_output=True, text=True, env=environment
                )
                known.append(json.loads(done.stdout.splitlines()[-1]))
        for (contender, threads), runs in found.items():
            middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
            lines.append(
                f"| {name} | {contender} | {threads} | {middle['fit']:.3f} | "
                f"{middle['fit_processor']:.3f} | {middle['decide']:.4f} | "
                f"{middle['decide_processor']:.4f} | {middle['peak_mb']:.0f} |"
            )
            print(lines[-1], flush=True)
    lines += ["", *ratios(lines)]
    print("\n".join(lines[-len(sets) * 2 - 3 :]))
    lines += ["", *machine]
    out = ROOT / "benchmarks" / "results" / "threads.md"
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[2].isdigit():
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), sys.argv[3])))
    else:
        main(tuple(sys.argv[1:]) or SETS)
