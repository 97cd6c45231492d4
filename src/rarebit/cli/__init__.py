"""The command ``rarebit``: thin over the library, one file per command."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rarebit.cli._exit import ExitCode

__all__ = ["ExitCode", "main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        As typed after ``rarebit``; those of the process when None.

    Returns
    -------
    int
        One of `ExitCode`.

    Examples
    --------
    >>> from rarebit.cli import main
    >>> main(["--version"])  # doctest: +ELLIPSIS
    rarebit ...
    0
    """
    try:
        from rarebit.cli._run import run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"click", "rich"}:
            raise
        from rarebit._extras import how_to_install

        print(
            f"error: The command line needs {error.name}, which is not installed: "
            f"{how_to_install('cli')}.",
            file=sys.stderr,
        )
        return int(ExitCode.MISSING_PACKAGE)
    return int(run(arguments))
