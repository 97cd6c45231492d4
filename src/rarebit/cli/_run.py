"""Start a command, and end it the way a shell expects."""

from __future__ import annotations

import json
import logging
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from rarebit._text import visible
from rarebit.cli._errors import explain
from rarebit.cli._exit import ExitCode
from rarebit.cli._group import rarebit

_SILENT = logging.NullHandler()


def run(arguments: Sequence[str] | None = None) -> ExitCode:
    """Run the command line; errors become one sentence on standard error.

    Parameters
    ----------
    arguments : sequence of str, optional
        As typed after ``rarebit``; those of the process when None.

    Returns
    -------
    ExitCode
        What to return to the shell.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if "_RAREBIT_COMPLETE" in os.environ:  # a shell asks what may follow
        from rarebit.cli._completion import prepare_shells

        prepare_shells()
    # Ctrl-C may come within a transaction: it is undone, and nobody needs to see where that was.
    logging.getLogger("sqlalchemy").addHandler(_SILENT)
    try:
        with _visible_warnings():
            code = rarebit.main(given, prog_name="rarebit", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return ExitCode(stop.exit_code)
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        _close_output()
        return ExitCode.UNEXPECTED
    except (Exception, KeyboardInterrupt) as error:
        return _report(error, given)
    return ExitCode(code or 0)


def _report(error: BaseException, given: Sequence[str]) -> ExitCode:
    code, message = explain(error)
    if "--traceback" in given:
        print(visible("".join(traceback.format_exception(error)), lines=True), file=sys.stderr)
    try:
        if "--json" in given:
            failure = {"error": message, "exit_code": int(code), "kind": type(error).__name__}
            print(json.dumps(failure))
        sys.stdout.flush()
    except OSError:  # standard output is what failed
        _close_output()
    if message:
        # Who presses Ctrl-C has made no error.
        kind = "" if code == ExitCode.INTERRUPTED else "error: "
        print(f"{kind}{visible(message)}", file=sys.stderr)
    return code


@contextmanager
def _visible_warnings() -> Iterator[None]:
    """Warnings may quote names from a file, as everything else that is printed."""
    plain = warnings.formatwarning
    warnings.formatwarning = lambda *given: visible(plain(*given), lines=True)
    try:
        with warnings.catch_warnings():
            # Sessions tell it as a note.
            warnings.filterwarnings("ignore", message=".* count as different classes")
            yield
    finally:
        warnings.formatwarning = plain


def _close_output() -> None:
    """Forget what standard output could not take, or Python complains of it when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return
