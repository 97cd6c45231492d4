"""Exact fits: KernelSVC beside scikit-learn's SVC and scikit-learn-intelex."""

from __future__ import annotations

from typing import Any

from benchmarks.contenders import INTELEX, KERNEL, SVC, intelex_is_here
from benchmarks.exact import geometric_mean
from benchmarks.jobs import Job, Results
from benchmarks.tables import Column, Table, number, seconds, significant, times

_COLUMNS = (
    Column("set", "set"),
    Column("contender", "contender"),
    Column("seconds", "seconds", seconds),
    Column("fastest"),
    Column("slowest"),
    Column("over_svc", "speed, SVC = 1", times),
    Column("over_intelex", "speed, intelex = 1", times),
    Column("support", "support vectors", number(0)),
    Column("objective", "dual objective", significant(9)),
    Column("below_best", "below the best", lambda value: f"{value:.0e}" if value else "0"),
    Column("extra_mb", "memory, MB", number(0)),
    Column("peak_mb", "peak, MB", number(0)),
    Column("rounds", "rounds", number(0)),
    Column("backend"),
    Column("busy"),
)


def jobs(name: str) -> dict[str, Job]:
    """Return the fits of one set, in the order in which they take turns."""
    contenders = [KERNEL, SVC, *([INTELEX] if intelex_is_here() else [])]
    return {label: Job("fit", name, label, check=True) for label in contenders}


def table(fits: dict[str, dict[str, Results]]) -> Table:
    """Make one row per set and contender, then the geometric means over the sets."""
    result = Table("fit", "Exact fits", _COLUMNS)
    for name, by_contender in fits.items():
        result.rows += _rows(name, by_contender)
    result.rows += _means(result.rows)
    result.notes = _notes(result.rows)
    return result


def _rows(name: str, by_contender: dict[str, Results]) -> list[dict[str, Any]]:
    contenders = [label for label in (KERNEL, SVC, INTELEX) if label in by_contender]
    best = max(by_contender[label].first["objective"] for label in contenders)
    svc = by_contender[SVC].median("seconds")
    intelex = by_contender[INTELEX].median("seconds") if INTELEX in by_contender else None
    rows = []
    for label in contenders:
        results = by_contender[label]
        taken = results.median("seconds")
        first = results.first
        rows.append(
            {
                "set": name,
                "contender": label,
                "seconds": taken,
                "fastest": min(results.column("seconds")),
                "slowest": max(results.column("seconds")),
                "over_svc": svc / taken,
                "over_intelex": None if intelex is None else intelex / taken,
                "support": first["support"],
                "objective": first["objective"],
                "below_best": (best - first["objective"]) / abs(best),
                "extra_mb": results.median("extra_mb"),
                "peak_mb": results.median("peak_mb"),
                "rounds": len(results.rounds),
                "backend": first["backend"],
                "busy": max(results.column("busy")),
            }
        )
    return rows


def _means(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    means = []
    for label in dict.fromkeys(row["contender"] for row in rows):
        own = [row for row in rows if row["contender"] == label]
        mean: dict[str, Any] = {"set": "geometric mean", "contender": label}
        for ratio in ("over_svc", "over_intelex"):
            values = [row[ratio] for row in own if row[ratio] is not None]
            mean[ratio] = geometric_mean(values) if values else None
        means.append(mean)
    return means


def _notes(rows: list[dict[str, Any]]) -> list[str]:
    intelex = [row for row in rows if row["contender"] == INTELEX and "backend" in row]
    fallen = [row["set"] for row in intelex if row["backend"] != "oneDAL"]
    if not intelex:
        return ["intelex is not installed here."]
    if not fallen:
        return ["intelex: oneDAL made every fit, none was handed over to scikit-learn."]
    return [
        f"intelex handed over to scikit-learn on {', '.join(fallen)}; "
        "on the other sets oneDAL made the fit."
    ]
