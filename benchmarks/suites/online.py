"""One online pass: OnlineSVC beside scikit-learn's SVC, in time and in g-mean."""

from __future__ import annotations

import statistics
from typing import Any

from benchmarks.contenders import ONLINE, SVC
from benchmarks.exact import geometric_mean
from benchmarks.jobs import Job, Results
from benchmarks.tables import Column, Table, number, seconds, times

_POINTS = number(2)


def _signed(value: float) -> str:
    return f"{value:+.2f}"


_COLUMNS = (
    Column("set", "set"),
    Column("online_seconds", "seconds", seconds),
    Column("svc_seconds", "of SVC", seconds),
    Column("ratio", "speed, SVC = 1", times),
    Column("online_g_mean", "g-mean, %", _POINTS),
    Column("online_worst", "worst", _POINTS),
    Column("svc_g_mean", "of SVC", _POINTS),
    Column("difference", "difference", _signed),
    Column("worst_difference", "worst", _signed),
    Column("online_support", "support vectors", number(0)),
    Column("svc_support", "of SVC", number(0)),
    Column("online_extra_mb", "memory, MB", number(0)),
    Column("svc_extra_mb", "of SVC", number(0)),
    Column("rounds", "rounds"),
    Column("online_objective"),
    Column("svc_objective"),
    Column("online_busy"),
)


def jobs(name: str) -> dict[str, Job]:
    """Return the fits of one set, in the order in which they take turns."""
    return {label: Job("fit", name, label, check=True, score=True) for label in (ONLINE, SVC)}


def table(fits: dict[str, dict[str, Results]]) -> Table:
    """Make one row per set, then the geometric mean over the sets."""
    result = Table("online", "One online pass", _COLUMNS)
    for name, by_contender in fits.items():
        result.rows.append(_row(name, by_contender[ONLINE], by_contender[SVC]))
    mean: dict[str, Any] = {"set": "geometric mean"}
    mean["ratio"] = geometric_mean([row["ratio"] for row in result.rows])
    result.rows.append(mean)
    return result


def _row(name: str, online: Results, svc: Results) -> dict[str, Any]:
    own, other = online.median("seconds"), svc.median("seconds")
    reached = [100.0 * value for value in online.column("g_mean")]
    wanted = 100.0 * svc.first["g_mean"]
    return {
        "set": name,
        "online_seconds": own,
        "svc_seconds": other,
        "ratio": other / own,
        "svc_g_mean": wanted,
        "online_g_mean": statistics.fmean(reached),
        "online_worst": min(reached),
        "difference": statistics.fmean(reached) - wanted,
        "worst_difference": min(reached) - wanted,
        "online_support": online.median("support"),
        "svc_support": svc.first["support"],
        "online_extra_mb": online.median("extra_mb"),
        "svc_extra_mb": svc.median("extra_mb"),
        "rounds": f"{len(online.rounds)} + {len(svc.rounds)}",
        "online_objective": statistics.fmean(online.column("objective")),
        "svc_objective": svc.first["objective"],
        "online_busy": max(online.column("busy")),
    }
