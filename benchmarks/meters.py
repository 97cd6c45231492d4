"""Clock and memory of the process that runs a measurement."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_STATUS = Path("/proc/self/status")
_CLEAR_REFS = Path("/proc/self/clear_refs")
_MB = 1 << 20


def _status(field: str) -> float | None:
    """Return a field of the process status in MB, where the system has one."""
    try:
        text = _STATUS.read_text(encoding="ascii")
    except OSError:
        return None
    for line in text.splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024 / _MB
    return None


def peak_mb() -> float:
    """Return the largest resident set since `reset_peak`, or since the start of the process."""
    peak = _status("VmHWM")
    if peak is not None:
        return peak
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / _MB


def resident_mb() -> float:
    """Return the resident set now; the peak so far where the system does not tell."""
    now = _status("VmRSS")
    return peak_mb() if now is None else now


def reset_peak() -> None:
    """Forget the peak so far, where the system can: loading data is not part of a fit."""
    try:
        _CLEAR_REFS.write_text("5", encoding="ascii")
    except OSError:
        return


@dataclass(frozen=True)
class Reading:
    """What one call took."""

    seconds: float
    cpu_seconds: float
    before_mb: float
    peak_mb: float

    def facts(self) -> dict[str, float]:
        return {
            "seconds": self.seconds,
            "busy": self.cpu_seconds / self.seconds,
            "peak_mb": self.peak_mb,
            "extra_mb": self.peak_mb - self.before_mb,
        }


def metered(call: Callable[[], Any]) -> Reading:
    """Run ``call`` once under the clock."""
    reset_peak()
    before = resident_mb()
    cpu = time.process_time()
    start = time.perf_counter()
    call()
    seconds = time.perf_counter() - start
    return Reading(seconds, time.process_time() - cpu, before, peak_mb())


def best_seconds(call: Callable[[], Any], at_least: float) -> float:
    """Return the fastest of the calls that fit into ``at_least`` seconds, three or more."""
    times: list[float] = []
    end = time.perf_counter() + at_least
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)
