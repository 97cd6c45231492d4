"""``rarebit doctor``: versions, and what is missing."""

from __future__ import annotations

import platform
import sys
from typing import Any

import click

from rarebit.cli._command import ExampleCommand
from rarebit.cli._exit import ExitCode
from rarebit.cli._terminal import Terminal

_NEEDED = ("numpy", "scipy", "scikit-learn", "imbalanced-learn", "joblib", "threadpoolctl")
# Extra, its packages, and what they are for.
_EXTRAS: dict[str, tuple[tuple[str, ...], str]] = {
    "cli": (
        ("click", "rich", "polars", "pyarrow", "skrub", "skops", "matplotlib", "jinja2",
         "sqlalchemy", "pillow"),
        "the command line, files, models, reports and stores",
    ),
    "excel": (("openpyxl",), "spreadsheets"),
    "server": (("fastapi", "uvicorn", "argon2-cffi"), "the page in the browser and the services"),
    "postgres": (("psycopg",), "labels in PostgreSQL"),
    "dask": (("dask", "distributed"), "clusters"),
}  # fmt: skip


@click.command(cls=ExampleCommand, example="rarebit doctor\nrarebit doctor --json")
def doctor(terminal: Terminal) -> int:
    """Show which versions are installed, and what is missing for which feature.

    The exit code is 5 where rarebit itself cannot work. Include the output in bug reports.
    """
    from importlib.metadata import version

    python = platform.python_version()
    terminal.say(f"rarebit {version('rarebit')}, Python {python}, {platform.platform()}")
    engine = _engine()
    terminal.say(f"Compiled engine: {engine['what']}")
    groups: dict[str, Any] = {"needed": _look_up(_NEEDED)}
    lines = [["needed", name, found or "missing"] for name, found in groups["needed"].items()]
    for extra, (packages, _) in _EXTRAS.items():
        groups[extra] = _look_up(packages)
        lines += [[f"[{extra}]", name, found or "missing"] for name, found in groups[extra].items()]
    terminal.table(["for", "package", "version"], lines)
    missing = {
        extra: [name for name, found in groups[extra].items() if found is None] for extra in groups
    }
    for extra, names in missing.items():
        if names:
            use = "rarebit itself" if extra == "needed" else _EXTRAS[extra][1]
            terminal.say(f"Missing for {use}: {', '.join(names)}. Run {_install(extra)}.")
    if not any(missing.values()):
        terminal.say("Nothing is missing.")
    broken = bool(missing["needed"]) or not engine["works"]
    terminal.result(
        {
            "rarebit": version("rarebit"),
            "python": python,
            "platform": platform.platform(),
            "executable": sys.executable,
            "engine": engine,
            "packages": groups,
            "missing": missing,
        }
    )
    return int(ExitCode.MISSING_PACKAGE if broken else ExitCode.OK)


def _install(extra: str) -> str:
    wanted = "." if extra == "needed" else f"'.[{extra}]'"
    return f"pip install {wanted} in a checkout of rarebit"


def _look_up(packages: tuple[str, ...]) -> dict[str, str | None]:
    from importlib.metadata import PackageNotFoundError, version

    found: dict[str, str | None] = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def _engine() -> dict[str, Any]:
    """Solve a problem of four rows, so that an engine for another processor shows here."""
    try:
        import numpy as np

        from rarebit.svm import KernelSVC

        X = np.array([[0.0], [1.0], [2.0], [3.0]])
        right = KernelSVC(kernel="linear").fit(X, [0, 0, 1, 1]).predict(X).tolist() == [0, 0, 1, 1]
    except Exception as error:  # whatever keeps it from working is what people want to know
        return {"works": False, "what": f"does not work ({type(error).__name__}: {error})"}
    what = "works" if right else "gives wrong answers: build it again"
    return {"works": right, "what": what}
