"""One line on standard error while a long fit runs with ``verbose``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

# A fit shorter than this stays silent even with verbose.
_QUIET_SECONDS = 1.0


def observer(
    verbose: bool | int, task: str, n_rows: int
) -> Callable[[int, float, int, int], None] | None:
    """Make the callback that the engine calls about ten times a second, or None.

    Parameters
    ----------
    verbose : bool or int
        Whether to report at all.
    task : str
        Word that opens the line.
    n_rows : int
        Rows in all.
    """
    if not verbose:
        return None
    start = time.monotonic()
    last = start

    def report(steps: int, gap: float, rows: int, active: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - start < _QUIET_SECONDS or now - last < 0.5:
            return
        last = now
        line = f"rarebit {task}: {now - start:.0f} s, rows {rows:,} of {n_rows:,}"
        if active:
            line += f", {active:,} active, {steps:,} steps, gap {gap:.2g}"
        end = "\r" if sys.stderr.isatty() else "\n"
        sys.stderr.write(f"{line:<78}{end}")
        sys.stderr.flush()

    return report
