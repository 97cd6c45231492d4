"""What full search costs beside pool search, per label and in processor time."""

from __future__ import annotations

from typing import Any

from benchmarks.jobs import Job, Results
from benchmarks.tables import Column, Table, number, times

SIZES = (10**4, 10**5, 10**6)
QUICK_SIZES = (10**4,)
# Labels known before the clock starts: few enough for the columns of a million rows to be kept.
KNOWN = 200

_COLUMNS = (
    Column("rows", "rows of the pool", number(0)),
    Column("search", "search"),
    Column("mean_ms", "processor ms per label, mean", number(3)),
    Column("median_ms", "median", number(3)),
    Column("percentile_ms", "99th percentile", number(1)),
    Column("over_pool", "mean, pool = 1", times),
    Column("support", "support vectors", number(0)),
    Column("extra_mb", "memory of the labels, MB", number(0)),
    Column("peak_mb", "peak, MB", number(0)),
    Column("rounds", "rounds", number(0)),
    Column("busy"),
)


def jobs(quick: bool) -> dict[str, Job]:
    """Return the pools, the smallest first, both searches on each."""
    return {
        f"{search} {rows}": Job("label", "made rows", search, rows=rows, labels=KNOWN)
        for rows in (QUICK_SIZES if quick else SIZES)
        for search in ("pool", "full")
    }


def table(measured: dict[str, Results]) -> Table:
    """Make one row per pool and search."""
    result = Table("border-full", "Full search beside pool search", _COLUMNS)
    for name, results in measured.items():
        search, rows = name.split()
        mean = results.median("processor_mean_ms")
        row: dict[str, Any] = {
            "rows": results.first["rows"],
            "search": search,
            "mean_ms": mean,
            "median_ms": results.median("processor_median_ms"),
            "percentile_ms": results.median("processor_percentile_ms"),
            "over_pool": mean / measured[f"pool {rows}"].median("processor_mean_ms"),
            "support": results.median("support"),
            "extra_mb": results.median("extra_mb"),
            "peak_mb": results.median("peak_mb"),
            "rounds": len(results.rounds),
            "busy": max(results.column("busy")),
        }
        result.rows.append(row)
    return result
