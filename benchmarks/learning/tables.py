"""Curves over labels as tables, with the spread over pools and draws."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from benchmarks.learning.runs import ALL, Result
from benchmarks.tables import Column, Table, number

_METRICS = ("AP", "g-mean", "AUC")


def _text(value: Any) -> str:
    return f"{value[0]:.3f}" + (f" ± {value[1]:.3f}" if value[1] == value[1] else "")


def summary(values: dict[str, list[float]]) -> tuple[float, float]:
    """Return the mean over pools of the mean over draws, and its standard error over draws.

    Differences between pools are no uncertainty of a mean over these pools; draws are. Where a pool
    has a single draw the error is not known: NaN.
    """
    means = [float(np.mean(draws)) for draws in values.values()]
    errors = [
        float(np.var(draws, ddof=1) / len(draws)) if len(draws) > 1 else float("nan")
        for draws in values.values()
    ]
    return float(np.mean(means)), float(np.sqrt(np.sum(errors)) / len(errors))


def curve_table(name: str, title: str, results: list[Result], metric: str) -> Table:
    """Return one row per asker and judge, one column per number of labels."""
    budgets = sorted({r["labels"] for r in results if r["labels"] != ALL})
    groups: dict[tuple[str, str], dict[int, dict[str, list[float]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for result in results:
        if result["labels"] != ALL:
            pair = (result["asker"], result["judge"])
            groups[pair][result["labels"]][result["pool"]].append(result[metric])
    rows: list[dict[str, Any]] = []
    for (asker, judge), by_budget in groups.items():
        row: dict[str, Any] = {"asks": asker, "judges": judge}
        for budget in budgets:
            if by_budget[budget]:
                row[str(budget)] = summary(by_budget[budget])
        rows.append(row)
    counts = {b: len({r["pool"] for r in results if r["labels"] == b}) for b in budgets}
    columns = [
        Column("asks", "who asks"),
        Column("judges", "who judges"),
        *(Column(str(b), f"{b:,}", _text) for b in budgets),
    ]
    note = "Pools: " + ", ".join(f"{n} at {b:,} labels" for b, n in counts.items())
    return Table(
        name,
        title,
        columns,
        rows,
        [f"{note}. ± is one standard error over draws, where every pool has two or more."],
    )


def all_labels_table(name: str, results: list[Result]) -> Table:
    """Return one row per judge with all labels of the pool."""
    rows = []
    given = [r for r in results if r["labels"] == ALL]
    times: dict[str, dict[tuple[str, int], float]] = defaultdict(dict)
    for result in given:
        times[result["judge"]][result["pool"], result["seed"]] = result["seconds"]
    for judge in times:
        own = [r for r in given if r["judge"] == judge]
        row: dict[str, Any] = {"judge": judge}
        for metric in _METRICS:
            values: dict[str, list[float]] = defaultdict(list)
            for result in own:
                values[result["pool"]].append(result[metric])
            row[metric] = summary(values)
        row["seconds"] = float(np.sum(list(times[judge].values())))
        row["ratio"] = float(np.mean([r["seconds"] / r["one fit of LightGBM"] for r in own]))
        rows.append(row)
    columns = [
        Column("judge", "classifier"),
        *(Column(metric, metric, _text) for metric in _METRICS),
        Column("seconds", "processor seconds, sum", number(1)),
        Column("ratio", "fits of LightGBM, mean", number(1)),
    ]
    note = (
        "Rivals' seconds hold the cross-validation of their threshold (six fits); tuned SVC's "
        "that of its grid as well. The last column is the time in units of one LightGBM fit to the "
        "same rows, mean over pools."
    )
    return Table(name, "With all labels of the pool", columns, rows, [note])
