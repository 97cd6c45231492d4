"""Where results were measured."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path


def describe_machine() -> dict[str, str]:
    """Return what a reader needs to judge times and to repeat a run."""
    packages = ("rarebit", "numpy", "scipy", "scikit-learn")
    return {
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()}",
        "versions": ", ".join(
            [
                f"Python {platform.python_version()}",
                *(f"{name} {version(name)}" for name in packages),
            ]
        ),
        "threads": "1 an experiment",
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
