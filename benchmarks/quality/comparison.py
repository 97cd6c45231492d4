"""`rarebit.compare` on a set: a table and a plot of the documentation."""

from __future__ import annotations

from pathlib import Path

from rarebit import compare
from rarebit.datasets import load_task

SETS = ("glass-7", "ecoli-imU", "haberman-2")


def run(name: str, quick: bool, out: Path) -> str:
    """Write ``compare-<set>.md`` and ``.png``, print the table and return its summary."""
    out.mkdir(parents=True, exist_ok=True)
    task = load_task(name)
    found = compare(task.X_train, task.y_train, cv=2 if quick else None)
    (out / f"compare-{name}.md").write_text(found.markdown(), encoding="utf-8")
    found.plot(out / f"compare-{name}.png")
    print(f"{name}\n{found}")
    return repr(found)
