"""What to say where a package of an extra is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

# Packages that no other extra brings; all others come with the command line.
_EXTRA_OF = {
    "fastapi": "server",
    "starlette": "server",
    "uvicorn": "server",
    "argon2": "server",
    "openpyxl": "excel",
    "psycopg": "postgres",
    "dask": "dask",
    "distributed": "dask",
}


def how_to_install(extra: str) -> str:
    """Return what to run for an extra; rarebit is on no package index yet.

    Examples
    --------
    >>> how_to_install("cli")
    "run pip install '.[cli]' in a checkout of rarebit"
    """
    return f"run pip install '.[{extra}]' in a checkout of rarebit"


def extra_of(module: str) -> str:
    """Return the extra that brings a module.

    Examples
    --------
    >>> extra_of("fastapi.staticfiles"), extra_of("polars")
    ('server', 'cli')
    """
    return _EXTRA_OF.get(module.partition(".")[0], "cli")


@contextmanager
def naming_extras(who: str, extra: str | None = None) -> Iterator[None]:
    """Say what to install where an import inside fails for want of a package.

    Parameters
    ----------
    who : str
        What needs the package, with its verb.
    extra : str or None, default=None
        The extra that brings all that is needed here; None for that of the package.

    Examples
    --------
    >>> with naming_extras("The server needs"):
    ...     raise ModuleNotFoundError("No module named 'fastapi'", name="fastapi")
    Traceback (most recent call last):
    ModuleNotFoundError: The server needs the package fastapi, which is not installed: run pip ...
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        # A part of our own cannot be installed, and another package may have said it already.
        said = extra is None and "which is not installed" in str(error)
        if package in ("", "rarebit") or said:
            raise
        raise ModuleNotFoundError(
            f"{who} the package {package}, which is not installed: "
            f"{how_to_install(extra or extra_of(package))}.",
            name=error.name,
        ) from error
