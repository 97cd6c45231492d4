"""What to say where a package of an extra is not installed."""

from __future__ import annotations

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
