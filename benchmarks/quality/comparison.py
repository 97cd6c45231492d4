"""`rarebit.compare` on three sets: the tables and plots of the documentation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.tables import Table
from rarebit import compare
from rarebit.datasets import load_task

SETS = ("glass-7", "ecoli-imU", "haberman-2")


def run(
    sets: tuple[str, ...] | None, quick: bool, out: Path, say: Callable[[str], None]
) -> list[Table]:
    """Write ``compare-<set>.md`` and ``.png``; the tables are the comparison's own."""
    out.mkdir(parents=True, exist_ok=True)
    for name in sets or SETS:
        task = load_task(name)
        found = compare(task.X_train, task.y_train, cv=2 if quick else None)
        (out / f"compare-{name}.md").write_text(found.markdown(), encoding="utf-8")
        found.plot(out / f"compare-{name}.png")
        print(f"{name}\n{found}")
        say(f"compare {name}: {found!r}")
    return []
