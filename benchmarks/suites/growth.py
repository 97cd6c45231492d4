"""How the time and memory of KernelSVC grow with the rows, and how far the physical limit is."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from benchmarks.contenders import KERNEL
from benchmarks.jobs import Job, Results
from benchmarks.tables import Column, Table, number, seconds, times

_COLUMNS = (
    Column("set", "set"),
    Column("rows", "rows", number(0)),
    Column("seconds", "seconds", seconds),
    Column("exponent", "exponent", number(2)),
    Column("support", "support vectors", number(0)),
    Column("values_ratio", "kernel values", number(2)),
    Column("kernel_share", "time in kernel", lambda value: f"{100 * value:.0f} %"),
    Column("limit_seconds", "limit, seconds", seconds),
    Column("over_limit", "above limit", times),
    Column("extra_mb", "memory, MB", number(0)),
    Column("peak_mb", "peak, MB", number(0)),
    Column("rounds", "rounds", number(0)),
    Column("steps"),
    Column("gflops"),
    Column("gexp"),
    Column("busy"),
)


def jobs(name: str, sizes: tuple[int | None, ...]) -> dict[str, Job]:
    """Return the fits of one set, the smallest first."""
    return {
        "all rows" if rows is None else f"{rows} rows": Job(
            "growth", name, KERNEL, rows=rows, check=True
        )
        for rows in sizes
    }


def table(growths: dict[str, dict[str, Results]]) -> Table:
    """Make one row per set and size."""
    result = Table("growth", "Growth of KernelSVC with the rows", _COLUMNS)
    for name, by_size in growths.items():
        rows: list[dict[str, Any]] = []
        for results in by_size.values():
            rows.append(_row(name, results, rows[-1] if rows else None))
        result.rows += rows
    rates = [f"{r['gflops']:.0f} GFLOP/s on {r['set']}" for r in _last_of_each_set(result.rows)]
    result.notes = [
        f"Measured for the limit: matrix product {', '.join(rates)}; "
        f"{max(row['gexp'] for row in result.rows):.2f} billion exponentials a second."
    ]
    return result


def _row(name: str, results: Results, before: dict[str, Any] | None) -> dict[str, Any]:
    first = results.first
    taken = results.median("seconds")
    exponent = None
    if before is not None:
        exponent = math.log(taken / before["seconds"]) / math.log(first["rows"] / before["rows"])
    return {
        "set": name,
        "rows": first["rows"],
        "seconds": taken,
        "exponent": exponent,
        "support": first["support"],
        "values_ratio": first["values_ratio"],
        "kernel_share": first["kernel_share"],
        "limit_seconds": first["limit_seconds"],
        "over_limit": taken / first["limit_seconds"],
        "extra_mb": results.median("extra_mb"),
        "peak_mb": results.median("peak_mb"),
        "rounds": len(results.rounds),
        "steps": first["steps"],
        "gflops": first["gflops"],
        "gexp": first["gexp"],
        "busy": max(results.column("busy")),
    }


def _last_of_each_set(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({row["set"]: row for row in rows}.values())


def figure(growth: Table, path: Path) -> bool:
    """Draw times and memory against rows; return False where matplotlib is missing."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot as plt
    except ImportError:
        return False
    drawing, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for number_, name in enumerate(dict.fromkeys(row["set"] for row in growth.rows)):
        rows = [row for row in growth.rows if row["set"] == name]
        sizes = [row["rows"] for row in rows]
        colour = f"C{number_}"
        left.plot(sizes, [row["seconds"] for row in rows], "o-", color=colour, label=name)
        limits = [row["limit_seconds"] for row in rows]
        left.plot(sizes, limits, ":", color=colour, label=f"{name}, physical limit")
        right.plot(sizes, [row["extra_mb"] for row in rows], "o-", color=colour, label=name)
    for axes, label in ((left, "seconds of KernelSVC.fit"), (right, "memory of the fit, MB")):
        axes.set(xscale="log", yscale="log", xlabel="training rows", ylabel=label)
        axes.grid(True, which="major", alpha=0.3)
        axes.legend()
    drawing.savefig(path, dpi=120, metadata={"Software": None})
    plt.close(drawing)
    return True
