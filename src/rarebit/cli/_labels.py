"""``rarebit labels``: answers in and out, earlier ones changed, damaged files saved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit._text import counted
from rarebit.cli._command import ExampleCommand, ExampleGroup
from rarebit.cli._exit import ExitCode
from rarebit.cli._label_answers import list_, set_, show
from rarebit.cli._label_export import export
from rarebit.cli._label_files import import_
from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    from rarebit.projects.stores import FileCheck

FILE = click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
# What is shown of a damaged line; --json has all of it.
_WIDTH = 300


@click.group(
    cls=ExampleGroup,
    example="""\
rarebit labels list payments.csv --search XK
rarebit labels set payments.csv p00017 normal
rarebit labels import payments.csv reviewed.csv --id payment
rarebit labels export payments.csv --out labels.csv
rarebit labels check payments.labels.db""",
)
def labels() -> None:
    """Look at earlier answers, change, import and export them; check and recover label files."""


for _command in (import_, export, list_, show, set_):
    labels.add_command(_command)


@labels.command(cls=ExampleCommand, example="rarebit labels check payments.labels.db")
@FILE
def check(file: Path, terminal: Terminal) -> int:
    """Look for damage in a store of labels, .db or .jsonl; exit code 3 if there is any.

    The data that the labels belong to is not needed, and nothing is changed.
    """
    from rarebit.projects.stores import check_label_file

    if _is_database(file):
        _check_database(file, terminal)
        return int(ExitCode.OK)
    found = check_label_file(file)
    _say_what_is_there(found, terminal)
    if not found.is_good:
        terminal.say(
            f"{counted(len(found.bad), 'bad line')}: rarebit labels recover saves all other "
            "answers."
        )
    terminal.result({**_as_result(found), "good": found.is_good})
    return int(ExitCode.OK if found.is_good else ExitCode.INPUT)


@labels.command(
    cls=ExampleCommand,
    example="""\
rarebit labels recover payments.labels.jsonl
rarebit labels recover payments.labels.jsonl --out saved.labels.jsonl""",
)
@FILE
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the good lines here, to a new file, and leave the damaged one where it is "
    "[default: in its place; the damaged one is kept as FILE.damaged].",
)
def recover(file: Path, out: Path | None, terminal: Terminal) -> None:
    """Save every good line of a damaged journal of labels (.jsonl), and say which are bad.

    No file is destroyed: without --out, what was in FILE is kept as FILE.damaged. A damaged
    database (.db) is restored from a copy, or with the command sqlite3 FILE .recover.
    """
    from rarebit.projects.stores import check_label_file, recover_label_file

    if _is_database(file):
        _check_database(file, terminal)  # says how a damaged one is recovered
        terminal.say("There is nothing to recover; the file was left as it is.")
        return
    found = check_label_file(file)
    if out is None and found.is_good:
        _say_what_is_there(found, terminal)
        terminal.say("There is nothing to recover; the file was left as it is.")
        terminal.result({**_as_result(found), "saved": found.n_answers, "file": str(file)})
        return
    saved = recover_label_file(file, out)
    _say_what_is_there(saved.check, terminal)
    for undo in saved.lost_undos:
        terminal.say(
            f"Left out: the undo of an answer for row {undo.row}, because that answer is damaged."
        )
    if not saved.knows_data:
        terminal.say(
            "The header is damaged: the next session matches rows by id, and takes any data that "
            "has them."
        )
    terminal.say(
        f"{counted(saved.n_answers, 'answer')} saved in {saved.path}; the file as it was "
        f"is {saved.kept}."
    )
    terminal.result(
        {
            **_as_result(saved.check),
            "saved": saved.n_answers,
            "file": str(saved.path),
            "damaged_file": str(saved.kept),
            "undos_left_out": [undo.row for undo in saved.lost_undos],
            "knows_data": saved.knows_data,
        }
    )


def _is_database(file: Path) -> bool:
    """Return whether a file is a database of labels, the default of labelling sessions."""
    return file.is_file() and file.suffix.lower() in (".db", ".sqlite", ".sqlite3")


def _check_database(file: Path, terminal: Terminal) -> None:
    """Read every event of a database, whose checksums are compared; damage is an error."""
    from rarebit.projects.stores import read_history

    history = read_history(file)
    standing = [event for event in history.standing() if event.what != "skip"]
    of = f" for {history.data_name}" if history.data_name else ""
    terminal.say(
        f"{file}: {counted(len(standing), 'answer')}{of}, of "
        f"{counted(len(history.events), 'event')} (questions, answers, undos, settings)."
    )
    terminal.say("No event is damaged.")
    terminal.result(
        {
            "file": str(file),
            "data": history.data_name,
            "answers": len(standing),
            "events": len(history.events),
            "bad": [],
            "good": True,
        }
    )


def _say_what_is_there(found: FileCheck, terminal: Terminal) -> None:
    version = "unknown version" if found.version is None else f"version {found.version}"
    of = f" for {found.source}" if found.source else ""
    others = len(found.events) - found.n_answers
    beside = f" and {counted(others, 'other line')} (questions, undos, settings)" if others else ""
    terminal.say(f"{found.path}: {counted(found.n_answers, 'answer')}{beside}{of}, {version}.")
    if found.n_unprotected:
        terminal.say(
            f"{counted(found.n_unprotected, 'answer')} of version 1 without a checksum: changes "
            "in them may go unnoticed."
        )
    for line in found.bad:
        saved = f" ({counted(line.n_saved, 'good line')} in it)" if line.n_saved else ""
        terminal.say(f"Line {line.number}: {line.problem}{saved}: {_legible(line.text)}")
    for number, reason in found.passed_over.items():
        terminal.say(f"Line {number} is passed over: {reason}")
    if found.unfinished:
        terminal.say(
            f"The last line was never finished, and the next session cuts it off: "
            f"{_legible(found.unfinished)}"
        )
    if found.is_good:
        terminal.say("No line is damaged.")


def _as_result(found: FileCheck) -> dict[str, Any]:
    bad: Sequence[dict[str, Any]] = [
        {
            "line": line.number,
            "problem": line.problem,
            "text": line.text.decode("utf-8", errors="backslashreplace"),
            "good_lines_in_it": line.n_saved,
        }
        for line in found.bad
    ]
    return {
        "file": str(found.path),
        "version": found.version,
        "data": found.source,
        "answers": found.n_answers,
        "other_lines": len(found.events) - found.n_answers,
        "without_checksum": found.n_unprotected,
        "bad": bad,
        "unfinished": found.unfinished.decode("utf-8", errors="backslashreplace"),
        "passed_over": [
            {"line": number, "reason": reason} for number, reason in found.passed_over.items()
        ],
    }


def _legible(text: bytes) -> str:
    r"""Return what can be read of a line; the terminal makes control characters visible.

    Examples
    --------
    >>> print(_legible(b'{"label": "\xff'))
    {"label": "\xff
    """
    letters = text[: 4 * _WIDTH].decode("utf-8", errors="backslashreplace")
    return letters[:_WIDTH] + ("…" if len(letters) > _WIDTH else "")
