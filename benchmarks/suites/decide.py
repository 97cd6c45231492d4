"""Decision values of the test rows: KernelSVC beside scikit-learn's SVC."""

from __future__ import annotations

from typing import Any

from benchmarks.contenders import KERNEL, SVC
from benchmarks.exact import geometric_mean
from benchmarks.jobs import Facts, Job, Results
from benchmarks.tables import Column, Table, number, seconds, significant, times

_COLUMNS = (
    Column("set", "set"),
    Column("test_rows", "test rows", number(0)),
    Column("kernel_support", "support vectors", number(0)),
    Column("svc_support", "of SVC", number(0)),
    Column("kernel_seconds", "seconds", seconds),
    Column("svc_seconds", "of SVC", seconds),
    Column("ratio", "speed, SVC = 1", times),
    Column("difference", "difference", significant(2)),
    Column("kernel_error", "error", significant(2)),
    Column("svc_error", "of SVC", significant(2)),
    Column("rounds", "rounds"),
    Column("kernel_busy"),
    Column("svc_busy"),
)


def fit_jobs(name: str) -> dict[str, Job]:
    """Return the fits whose machines are to decide."""
    return {label: Job("fit", name, label, keep=True) for label in (KERNEL, SVC)}


def jobs(name: str) -> dict[str, Job]:
    """Return the decisions of one set, in the order in which they take turns."""
    return {label: Job("decide", name, label, check=True) for label in (KERNEL, SVC)}


def table(decisions: dict[str, dict[str, Results]], sets: dict[str, Facts]) -> Table:
    """Make one row per set, then the geometric mean over the sets."""
    result = Table("decide", "Decision values of the test rows", _COLUMNS)
    for name, by_contender in decisions.items():
        kernel, svc = by_contender[KERNEL], by_contender[SVC]
        result.rows.append(_row(name, kernel, svc, sets[name]["test_rows"]))
    mean = geometric_mean([row["ratio"] for row in result.rows])
    result.rows.append({"set": "geometric mean", "ratio": mean})
    return result


def _row(name: str, kernel: Results, svc: Results, test_rows: int) -> dict[str, Any]:
    own, other = kernel.median("seconds"), svc.median("seconds")
    differences = [r.first["difference"] for r in (kernel, svc) if "difference" in r.first]
    return {
        "set": name,
        "test_rows": test_rows,
        "kernel_support": kernel.first["support"],
        "svc_support": svc.first["support"],
        "kernel_seconds": own,
        "svc_seconds": other,
        "ratio": other / own,
        "difference": max(differences),
        "kernel_error": kernel.first["error"],
        "svc_error": svc.first["error"],
        "rounds": f"{len(kernel.rounds)} + {len(svc.rounds)}",
        "kernel_busy": max(kernel.column("busy")),
        "svc_busy": max(svc.column("busy")),
    }
