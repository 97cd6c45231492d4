"""Learning on the border: few labels beside all, loops of questions, the cost of one label."""

from __future__ import annotations

import math
import statistics
from pathlib import Path
from typing import Any

from benchmarks.contenders import BORDER, SVC
from benchmarks.exact import geometric_mean
from benchmarks.jobs import Job, Results
from benchmarks.labelling import USUAL
from benchmarks.settings import LOOP_LABELS, LOOPS, USUAL_LOOPS
from benchmarks.tables import Column, Table, number, seconds, times

_EXPLORE = 0.2  # the default of BorderSVC

_FIT_COLUMNS = (
    Column("set", "set"),
    Column("labels", "labels", number(0)),
    Column("share", "of all", lambda value: f"{100 * value:.1f} %"),
    Column("border_seconds", "seconds", seconds),
    Column("svc_seconds", "of SVC on all", seconds),
    Column("ratio", "speed, SVC = 1", times),
    Column("border_g_mean", "g-mean, %", number(2)),
    Column("svc_g_mean", "of SVC", number(2)),
    Column("border_support", "support vectors", number(0)),
    Column("svc_support", "of SVC", number(0)),
    Column("border_extra_mb", "memory, MB", number(0)),
    Column("svc_extra_mb", "of SVC", number(0)),
    Column("rounds", "rounds"),
    Column("fewest_labels"),
    Column("most_labels"),
    Column("border_worst"),
    Column("border_busy"),
)

_LOOP_COLUMNS = (
    Column("set", "set"),
    Column("rows", "rows", number(0)),
    Column("contender", "search"),
    Column("explore", "explore", lambda value: f"{value:g}"),
    Column("labels", "labels", number(0)),
    Column("seconds", "seconds", seconds),
    Column("ms", "ms per label", number(3)),
    Column("ratio", "speed, usual loop = 1", times),
    Column("over_pool", "time, pool = 1", times),
    Column("extra_mb", "memory, MB", number(0)),
    Column("peak_mb", "peak, MB", number(0)),
    Column("rounds", "rounds", number(0)),
    Column("busy"),
)

_LABEL_COLUMNS = (
    Column("contender", "search"),
    Column("explore", "explore", lambda value: f"{value:g}"),
    Column("rows", "rows of the pool", number(0)),
    Column("median_ms", "ms per label, median", number(3)),
    Column("percentile_ms", "99th percentile", number(3)),
    Column("longest_ms", "longest", number(1)),
    Column("growth", "10 times the rows", times),
    Column("support", "support vectors", number(0)),
    Column("start_seconds", "start, seconds", seconds),
    Column("start_mb", "memory of start, MB", number(0)),
    Column("extra_mb", "of the labels, MB", number(0)),
    Column("peak_mb", "peak, MB", number(0)),
    Column("rounds", "rounds", number(0)),
    Column("processor_median_ms"),
    Column("processor_percentile_ms"),
    Column("busy"),
)


def fit_jobs(name: str) -> dict[str, Job]:
    """Return the fits of one set: with the labels asked for, and with all."""
    return {label: Job("fit", name, label, score=True) for label in (BORDER, SVC)}


def loop_jobs(name: str) -> dict[str, Job]:
    """Return the loops of one set, in the order in which they take turns."""
    jobs = {
        f"{search} {explore:g}": Job(
            "loop", name, search, rows=LOOPS[name], labels=LOOP_LABELS, explore=explore
        )
        for explore in (_EXPLORE, 0.0)
        for search in ("pool", "full")
    }
    if name in USUAL_LOOPS:
        jobs[USUAL] = Job("loop", name, USUAL, rows=LOOPS[name], labels=LOOP_LABELS)
    return jobs


def label_jobs(sizes: tuple[int, ...]) -> dict[str, Job]:
    """Return the pools on which single questions are timed, the smallest first."""
    searches = {"pool": (_EXPLORE, 0.0), "full": (0.0,)}
    return {
        f"{search} {explore:g} {rows:.0e}": Job(
            "label", "made rows", search, rows=rows, explore=explore
        )
        for search, shares in searches.items()
        for explore in shares
        for rows in sizes
        # Following all rows of a large pool takes more memory than the cache that is given.
        if search == "pool" or rows <= 10**5
    }


def fit_table(fits: dict[str, dict[str, Results]]) -> Table:
    """Make one row per set, then the geometric mean over the sets."""
    result = Table("border", "BorderSVC to its own stop", _FIT_COLUMNS)
    for name, by_contender in fits.items():
        result.rows.append(_fit_row(name, by_contender[BORDER], by_contender[SVC]))
    mean = geometric_mean([row["ratio"] for row in result.rows])
    result.rows.append({"set": "geometric mean", "ratio": mean})
    return result


def _fit_row(name: str, border: Results, svc: Results) -> dict[str, Any]:
    own, other = border.median("seconds"), svc.median("seconds")
    reached = [100.0 * value for value in border.column("g_mean")]
    return {
        "set": name,
        "labels": statistics.fmean(border.column("labels")),
        "share": statistics.fmean(border.column("labels")) / border.first["rows"],
        "border_seconds": own,
        "svc_seconds": other,
        "ratio": other / own,
        "border_g_mean": statistics.fmean(reached),
        "svc_g_mean": 100.0 * svc.first["g_mean"],
        "border_support": border.median("support"),
        "svc_support": svc.first["support"],
        "border_extra_mb": border.median("extra_mb"),
        "svc_extra_mb": svc.median("extra_mb"),
        "rounds": f"{len(border.rounds)} + {len(svc.rounds)}",
        "fewest_labels": min(border.column("labels")),
        "most_labels": max(border.column("labels")),
        "border_worst": min(reached),
        "border_busy": max(border.column("busy")),
    }


def loop_table(loops: dict[str, dict[str, Results]]) -> Table:
    """Make one row per set and search."""
    result = Table("border-loop", "Loops of questions", _LOOP_COLUMNS)
    for name, by_loop in loops.items():
        usual = by_loop[USUAL].median("seconds") if USUAL in by_loop else None
        for job_name, results in by_loop.items():
            taken = results.median("seconds")
            search, _, explore = job_name.rpartition(" ")
            alone = job_name == USUAL
            pool = None if alone else by_loop[f"pool {explore}"].median("seconds")
            result.rows.append(
                {
                    "set": name,
                    "rows": results.first["rows"],
                    "contender": job_name if alone else search,
                    "explore": None if alone else float(explore),
                    "labels": results.first["labels"],
                    "seconds": taken,
                    "ms": 1e3 * taken / results.first["labels"],
                    "ratio": None if usual is None else usual / taken,
                    "over_pool": None if pool is None else taken / pool,
                    "extra_mb": results.median("extra_mb"),
                    "peak_mb": results.median("peak_mb"),
                    "rounds": len(results.rounds),
                    "busy": max(results.column("busy")),
                }
            )
    return result


def label_table(labels: dict[str, Results]) -> Table:
    """Make one row a search and pool."""
    result = Table("border-label", "Cost of one label", _LABEL_COLUMNS)
    before: dict[str, Any] | None = None
    for job_name, results in labels.items():
        search, explore, _ = job_name.split()
        row = {
            "contender": search,
            "explore": float(explore),
            "rows": results.first["rows"],
            **{
                figure: results.median(figure)
                for figure in (
                    "median_ms",
                    "percentile_ms",
                    "longest_ms",
                    "processor_median_ms",
                    "processor_percentile_ms",
                    "support",
                    "start_seconds",
                    "start_mb",
                    "extra_mb",
                    "peak_mb",
                )
            },
            "rounds": len(results.rounds),
            "busy": max(results.column("busy")),
        }
        if before and all(before[key] == row[key] for key in ("contender", "explore")):
            steps = math.log10(row["rows"] / before["rows"])
            row["growth"] = (row["median_ms"] / before["median_ms"]) ** (1.0 / steps)
        result.rows.append(row)
        before = row
    return result


def figure(labels: Table, path: Path) -> bool:
    """Draw the cost of a label against the pool; return False where matplotlib is missing."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot as plt
    except ImportError:
        return False
    drawing, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    searches = dict.fromkeys((row["contender"], row["explore"]) for row in labels.rows)
    for number_, (search, explore) in enumerate(searches):
        rows = [
            row for row in labels.rows if (row["contender"], row["explore"]) == (search, explore)
        ]
        sizes, colour = [row["rows"] for row in rows], f"C{number_}"
        name = f"{search}, explore={explore:g}"
        axes.plot(sizes, [row["median_ms"] for row in rows], "o-", color=colour, label=name)
        highest = [row["percentile_ms"] for row in rows]
        axes.plot(sizes, highest, ":", color=colour, label=f"{name}, 99th percentile")
    axes.set(xscale="log", yscale="log", xlabel="rows of the pool", ylabel="ms for ask and tell")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend()
    drawing.savefig(path, dpi=120, metadata={"Software": None})
    plt.close(drawing)
    return True
