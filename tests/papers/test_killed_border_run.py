"""A run of a real plan, killed in the middle, ends with the results of one that was not."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

# Times are measured, so two runs never share them: what was finished before the kill must keep its
# own to the digit, and the rest may have any. All other columns must be equal.
TIMES = {"seconds", "processor_seconds"}
TASKS = ("letter-A", "usps-0")
N_EXPERIMENTS = len(TASKS) * (3 * 5 + 1)

SCRIPT = f"""
import sys
from pathlib import Path
from sklearn.datasets import make_classification
from rarebit.datasets import Task
from rarebit.papers import reproduce
from rarebit.papers.border import _table3, _tasks

X, y = make_classification(2600, n_features=8, weights=[0.9], class_sep=0.8, random_state=3)
_tasks.whole_task = lambda name: Task(
    name, X[:2000], y[:2000], X[2000:], y[2000:], "1", 10.0, 0.1, "rbf", ""
)
_table3.TASKS = {TASKS!r}
if __name__ == "__main__":
    sys.exit(reproduce(["border.table3"], seeds=3, folder=Path(sys.argv[1])))
"""


def read(path: Path) -> list[dict[str, str]]:
    """Return the finished rows; a line that was cut short is none."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    lines = [line for line in text[: text.rfind("\n") + 1].splitlines() if line[:1] != "#"]
    return list(csv.DictReader(lines))


def test_a_killed_table_goes_on_where_it_was(tmp_path: Path) -> None:
    script = tmp_path / "plan.py"
    script.write_text(SCRIPT, encoding="utf-8")

    def command(folder: str) -> list[str]:
        return [sys.executable, str(script), str(tmp_path / folder)]

    subprocess.run(command("whole"), check=True, capture_output=True)
    whole = read(tmp_path / "whole" / "border.table3.csv")
    assert len(whole) == N_EXPERIMENTS

    path = tmp_path / "killed" / "border.table3.csv"
    process = subprocess.Popen(
        command("killed"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 300.0
    while len(read(path)) < N_EXPERIMENTS // 3:
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = read(path)
    assert N_EXPERIMENTS // 3 <= len(before) < N_EXPERIMENTS

    second = subprocess.run(command("killed"), check=True, capture_output=True, text=True)
    left = N_EXPERIMENTS - len(before)
    assert f"{len(before)} of {N_EXPERIMENTS} are finished already" in second.stderr
    assert f"border.table3: {left} experiments" in second.stderr
    after = read(path)
    assert after[: len(before)] == before  # their seconds too: not one was run again
    assert [_without_times(row) for row in after] == [_without_times(row) for row in whole]


def _without_times(row: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in row.items() if name not in TIMES}
