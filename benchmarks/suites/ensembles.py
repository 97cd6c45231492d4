"""Ensembles: bags beside imbalanced-learn, pruning beside refits, boosting beside one machine."""

from __future__ import annotations

from benchmarks.exact import geometric_mean
from benchmarks.jobs import Job, Results, Session
from benchmarks.settings import PRUNE_CALLS
from benchmarks.tables import Column, Table, number, seconds, significant, times

BAG_SETS = ("satimage-4", "letter-A", "a9a")
# Bags of the rival that are measured; its time is in proportion to their number.
RIVAL_BAGS = {"a9a": 2, "letter-A": 50, "satimage-4": 50}
RIVAL = "imbalanced-learn"
VOTE, BALANCED = "BaggedSVC vote", "BaggedSVC balanced"
PRUNE_SET, BOOST_SET = "yeast-ME3", "letter-D"

Measured = dict[str, dict[str, Results]]

_BAG_COLUMNS = (
    Column("set", "set"),
    Column("contender", "contender"),
    Column("fit", "fit, s", seconds),
    Column("fit_ratio", "speed", times),
    Column("predict", "predict, s", seconds),
    Column("predict_ratio", "speed", times),
    Column("g_mean", "g-mean", number(4)),
    Column("steps", "steps a bag", number(0)),
    Column("kernel_share", "of the fit in kernel values", number(2)),
    Column("values", "kernel values / n²", significant(3)),
    Column("union", "support vectors of all bags", number(0)),
    Column("busy"),
)
_OTHER_COLUMNS = (
    Column("set", "set"),
    Column("contender", "contender"),
    Column("seconds", "seconds", seconds),
    Column("ratio", "times the first line", significant(3)),
    Column("work", "work"),
)


def measure(session: Session) -> dict[str, Measured]:
    """Take the measurements; sets come as tasks, so that nothing is prepared."""
    bags: Measured = {}
    for name in BAG_SETS:
        jobs = {label: Job("bag", name, label) for label in (VOTE, BALANCED)}
        jobs[RIVAL] = Job("bag", name, RIVAL, rows=RIVAL_BAGS[name])
        bags[name] = session.alternate(jobs)
    prune = session.alternate(
        {label: Job("prune", PRUNE_SET, label) for label in ("PrunedSVC", "SVC refits")}
    )
    boost = session.alternate(
        {label: Job("boost", BOOST_SET, label) for label in ("KernelSVC", "BoostedSVC")}
    )
    return {"bag": bags, "prune": {PRUNE_SET: prune}, "boost": {BOOST_SET: boost}}


def tables(measured: dict[str, Measured]) -> list[Table]:
    """Make the tables of bags, pruning and boosting."""
    return [_bag_table(measured["bag"]), _prune_table(measured["prune"]),
            _boost_table(measured["boost"])]  # fmt: skip


def _bag_table(measured: Measured) -> Table:
    result = Table("bag", "A hundred balanced bags", _BAG_COLUMNS)
    for name, by_contender in measured.items():
        rival = by_contender[RIVAL]
        for label, results in by_contender.items():
            result.rows.append(
                {
                    "set": name,
                    "contender": label,
                    "fit": results.median("seconds"),
                    "fit_ratio": rival.median("seconds") / results.median("seconds"),
                    "predict": results.median("predict"),
                    "predict_ratio": rival.median("predict") / results.median("predict"),
                    "busy": max(results.column("busy")),
                    **{
                        key: results.median(key)
                        for key in ("g_mean", "steps", "kernel_share", "values", "union")
                        if key in results.first
                    },
                }
            )
    for label in (VOTE, BALANCED):
        own = [row for row in result.rows if row["contender"] == label]
        result.rows.append(
            {
                "set": "geometric mean",
                "contender": label,
                "fit_ratio": geometric_mean([row["fit_ratio"] for row in own]),
                "predict_ratio": geometric_mean([row["predict_ratio"] for row in own]),
            }
        )
    counts = ", ".join(f"{count} on {name}" for name, count in RIVAL_BAGS.items())
    result.notes.append(
        "The same kernel, C, gamma and tolerance. `vote` trains on all rows, as the rival does; "
        "`balanced` sets a fifth aside and weighs its machines on them. The rival was measured "
        f"with fewer bags ({counts}) and its times multiplied: its bags are independent."
    )
    return result


def _prune_table(measured: Measured) -> Table:
    result = Table("prune", "Pruning all majority support vectors but one", _OTHER_COLUMNS)
    for name, by_contender in measured.items():
        first = by_contender["PrunedSVC"]
        for label, results in by_contender.items():
            same = 0
            for own, other in zip(first.first["removed"], results.first["removed"], strict=False):
                if own != other:
                    break
                same += 1
            result.rows.append(
                {
                    "set": name,
                    "contender": label,
                    "seconds": results.median("seconds"),
                    "ratio": results.median("seconds") / first.median("seconds"),
                    "work": f"{results.first['trials']:,} machines tried"
                    + ("" if results is first else f"; the first {same} rows removed agree"),
                }
            )
    result.notes.append(
        f"`PrunedSVC`: the median of {PRUNE_CALLS} calls in each process, because one is shorter "
        "than the noise of the machine."
    )
    return result


def _boost_table(measured: Measured) -> Table:
    result = Table("boost", "Forty rounds of boosting beside one machine", _OTHER_COLUMNS)
    for name, by_contender in measured.items():
        one = by_contender["KernelSVC"].median("seconds")
        for label, results in by_contender.items():
            result.rows.append(
                {
                    "set": name,
                    "contender": label,
                    "seconds": results.median("seconds"),
                    "ratio": results.median("seconds") / one,
                    "work": f"{results.first['rounds']} linear machines",
                }
            )
    return result
