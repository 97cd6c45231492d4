"""Where the figures were measured, for the head of every table."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.settings import CACHE_MB, TOLERANCE

_PACKAGES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "scikit-learn-intelex",
    "imbalanced-learn",
    "rarebit",
)


def cpu_model() -> str:
    """Return the processor's name as the system gives it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def memory_gb() -> float | None:
    """Return the memory of the machine, where the system tells."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / (1 << 30)
    except (ValueError, OSError):
        return None


def versions() -> str:
    """Return Python's version and those of the packages that matter."""
    found = [f"Python {platform.python_version()}"]
    for name in _PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} not installed")
    return ", ".join(found)


def describe_machine() -> dict[str, str]:
    """Return what a reader needs to judge or repeat a measurement."""
    from rarebit import _core

    memory = memory_gb()
    facts = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": f"{cpu_model()}, {os.cpu_count()} cores"
        + (f", {memory:.0f} GB" if memory else "")
        + f", {platform.system()} {platform.machine()}",
        "instruction set of rarebit": _core.instruction_set(),
        "threads": "1",
        "versions": versions(),
        "tolerance": f"{TOLERANCE:g}",
        "kernel cache": f"{CACHE_MB} MB",
    }
    if hasattr(os, "getloadavg"):
        facts["load of the machine at the start"] = f"{os.getloadavg()[0]:.1f}"
    return facts


def machine_lines(**facts: str) -> list[str]:
    """Return `describe_machine` as a Markdown list; call it before anything is measured.

    Parameters
    ----------
    **facts : str
        What takes the place of facts of that name.
    """
    return [f"- {name}: {value}" for name, value in (describe_machine() | facts).items()]
