"""Where results were measured."""

from __future__ import annotations

import os
import platform
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

# What a change of marks earlier results as old.
EDITION = "edition of the code"
LEARNING = ("metrics", "statistics", "svm", "classifiers", "rivals", "active", "datasets")


def describe_machine() -> dict[str, str]:
    """Return what a reader needs to judge times and to repeat a run."""
    packages = ("rarebit", "numpy", "scipy", "scikit-learn", "imbalanced-learn")
    return {
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()}",
        "versions": ", ".join(
            [
                f"Python {platform.python_version()}",
                *(f"{name} {version(name)}" for name in packages),
            ]
        ),
        "threads": "1 per experiment",
        EDITION: _edition(),
    }


@lru_cache(maxsize=1)
def _edition() -> str:
    """Return a mark of the code that learns: between releases the version says too little."""
    package = Path(__file__).resolve().parents[1]
    files = [*package.glob("_*.py"), *package.glob("_core*")]
    for part in LEARNING:
        files += (package / part).rglob("*.py")
    mark = sha256()
    for path in sorted(files):
        mark.update(path.read_bytes())
    return mark.hexdigest()[:12]


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
