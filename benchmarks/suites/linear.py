"""Linear machines: KernelSVC(kernel="linear") beside liblinear, each fit in a process of its own.

``python -m benchmarks.suites.linear`` prints the table and writes it to ``benchmarks/results``.
liblinear penalises the bias and ends at its limit of rounds, converged or not; the objective tells.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import warnings
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.svm import LinearSVC

from benchmarks.machine import machine_lines
from benchmarks.meters import peak_mb
from benchmarks.settings import ROOT, TOLERANCE
from rarebit import KernelSVC
from rarebit.datasets import load_task

SETS = ("reuters-crude", "reuters-corn", "a9a", "dense-4000x1500", "dense-2500x6000")
COSTS = (1.0, 10.0)
CONTENDERS = ("KernelSVC", "liblinear", "liblinear, 100,000 rounds")
ROUNDS = 3


def load(name: str) -> tuple[Any, Any]:
    """Return rows and sides (±1) of a set."""
    if not name.startswith("dense"):
        task = load_task(name)
        return task.X_train, np.where(task.y_train == 1, 1.0, -1.0)
    rows, columns = (int(part) for part in name.removeprefix("dense-").split("x"))
    X, y = make_classification(
        rows, columns, n_informative=columns // 20, weights=[0.8], flip_y=0.03, random_state=0
    )
    return X / np.sqrt(columns), np.where(y == 1, 1.0, -1.0)


def measure(contender: str, name: str, C: float) -> dict[str, float]:
    """Fit once; processor seconds, hinge objective with a free bias, peak memory."""
    X, y = load(name)
    machine: Any
    if contender == "KernelSVC":
        machine = KernelSVC("linear", C=C, tol=TOLERANCE)
    else:
        limit = 1000 if contender == "liblinear" else 100_000
        machine = LinearSVC(loss="hinge", C=C, tol=TOLERANCE, max_iter=limit, random_state=0)
    warnings.simplefilter("ignore")
    machine.fit(X[:200], y[:200])
    before = time.process_time()
    machine.fit(X, y)
    spent = time.process_time() - before
    if contender == "KernelSVC":
        w = np.asarray(machine.support_vectors_.T @ machine.dual_coef_[0]).ravel()
    else:
        w = machine.coef_.ravel()
    slack = np.maximum(0.0, 1.0 - y * machine.decision_function(X))
    objective = 0.5 * float(w @ w) + C * float(slack.sum())
    return {"seconds": spent, "objective": objective, "peak_mb": peak_mb()}


def main() -> None:
    """Measure every contender on every set, taking turns."""
    machine = machine_lines()
    lines = [
        f"Processor seconds of one thread, median of {ROUNDS}, tolerance {TOLERANCE:g}; objective "
        "of the hinge loss.", "",
        "| set | C | " + " | ".join(f"{c}: seconds | objective | MB" for c in CONTENDERS)
        + " | speed, liblinear = 1 |",
        "|---" * (3 + 3 * len(CONTENDERS)) + "|",
    ]  # fmt: skip
    for name in SETS:
        for C in COSTS:
            found: dict[str, list[dict[str, float]]] = {c: [] for c in CONTENDERS}
            for _ in range(ROUNDS):
                for contender in CONTENDERS:
                    command = [sys.executable, "-m", __spec__.name, contender, name, str(C)]
                    done = subprocess.run(command, check=True, capture_output=True, text=True)
                    found[contender].append(json.loads(done.stdout))
            middle = {c: sorted(found[c], key=lambda f: f["seconds"])[ROUNDS // 2] for c in found}
            cells = " | ".join(
                f"{m['seconds']:.3f} | {m['objective']:.6g} | {m['peak_mb']:.0f}"
                for m in middle.values()
            )
            ratio = middle["liblinear"]["seconds"] / middle["KernelSVC"]["seconds"]
            lines.append(f"| {name} | {C:g} | {cells} | {ratio:.2f} |")
            print(lines[-1], flush=True)
    lines += ["", *machine]
    out = ROOT / "benchmarks" / "results" / "linear.md"
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        print(json.dumps(measure(sys.argv[1], sys.argv[2], float(sys.argv[3]))))
    else:
        main()
