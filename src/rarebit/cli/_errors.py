"""From an exception to one sentence and an exit code; the one place that decides."""

from __future__ import annotations

import errno

import click

from rarebit._extras import extra_of, how_to_install
from rarebit.cli._exit import ExitCode
from rarebit.exceptions import NoRoomError, RarebitError


class OutputError(RarebitError, OSError):
    """A result could not be written; the message is for people."""


def explain(error: BaseException) -> tuple[ExitCode, str]:
    """Return the exit code of an exception and the sentence to show.

    Parameters
    ----------
    error : BaseException
        What ended the command.

    Returns
    -------
    tuple of ExitCode and str
        The sentence is empty where there is nothing to say.

    Examples
    --------
    >>> explain(ValueError("The target has one class."))
    (<ExitCode.INPUT: 3>, 'The target has one class.')
    """
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return ExitCode.INTERRUPTED, "Interrupted: nothing was left half-written."
    if isinstance(error, click.UsageError):
        return ExitCode.USAGE, _usage(error)
    if isinstance(error, click.ClickException):
        return ExitCode.USAGE, error.format_message()
    if isinstance(error, BrokenPipeError):
        return ExitCode.UNEXPECTED, ""
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("rarebit"):
        return ExitCode.MISSING_PACKAGE, (
            f"This needs {error.name}, which is not installed: "
            f"{how_to_install(extra_of(error.name or ''))}."
        )
    if isinstance(error, (OutputError, NoRoomError)):
        return ExitCode.OUTPUT, str(error)
    if isinstance(error, OSError) and error.errno is not None:
        return _system(error)
    if isinstance(error, MemoryError):
        return ExitCode.INPUT, (
            "There is not enough memory for this file: keep fewer columns (--drop), or use a file "
            "that can be read in place (.parquet, .npy)."
        )
    # The library raises these with a sentence that names the next step.
    if isinstance(error, (RarebitError, ValueError, TypeError, OSError)) and str(error):
        said = error.message_for("command") if isinstance(error, RarebitError) else str(error)
        return ExitCode.INPUT, _first_paragraph(said)
    return ExitCode.UNEXPECTED, (
        f"Unexpected {type(error).__name__}: {_first_paragraph(str(error)) or 'no message'}; run "
        "again with --traceback and report what it shows."
    )


def _usage(error: click.UsageError) -> str:
    where = error.ctx.command_path if error.ctx else "rarebit"
    message = _missing_choice(error) or error.format_message().rstrip(".")
    return f"{message}; see {where} --help."


def _missing_choice(error: click.UsageError) -> str:
    """Return what to name where one of a few words is missing; click lists them line by line."""
    parameter = error.param if isinstance(error, click.MissingParameter) else None
    if parameter is None or not isinstance(parameter.type, click.Choice):
        return ""
    *others, last = map(str, parameter.type.choices)
    is_option = isinstance(parameter, click.Option)
    name = f"with {parameter.opts[-1]}" if is_option else f"the {parameter.name}"
    choices = f"{', '.join(others)} or {last}" if others else last
    return f"Name {name}: {choices}"


def _system(error: OSError) -> tuple[ExitCode, str]:
    name = repr(str(error.filename)) if error.filename is not None else "A file"
    if error.errno == errno.ENOENT:
        return ExitCode.INPUT, f"{name} does not exist: check the path."
    if error.errno in (errno.EACCES, errno.EPERM):
        return ExitCode.INPUT, (
            f"{name} may not be read or written by you: change its permissions or choose another "
            "path."
        )
    if error.errno == errno.ENOSPC:
        return ExitCode.OUTPUT, (
            "The disk is full, and nothing half-written was left: free some space, or write to "
            "another disk."
        )
    return ExitCode.INPUT, f"{name}: {error.strerror or error}; check the path and the disk."


def _first_paragraph(message: str) -> str:
    return " ".join(message.split("\n\n")[0].split())
