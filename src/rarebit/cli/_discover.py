"""``rarebit discover``: find the classes of a file that nobody has labelled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rarebit.cli._command import ExampleCommand
from rarebit.cli._labelling import (
    check_labels_name,
    collect_answers,
    export_answers,
    labelling_options,
    open_project,
    say_advice,
    say_found,
    summary,
    ways,
)
from rarebit.cli._reading import FILE, reading_options
from rarebit.cli._reporting import check_page, write_report
from rarebit.cli._terminal import Terminal


@click.command(
    cls=ExampleCommand,
    example="""\
rarebit discover transactions.csv --id transaction
rarebit discover transactions.csv --oracle class --max-labels 200 --report found.html
rarebit discover reviews.csv --text review --classes praise,complaint""",
)
@FILE
@labelling_options
@reading_options(target=False)
def discover(
    file: Path,
    store: str | None,
    export: Path | None,
    raw: bool,
    report_file: Path | None,
    given: dict[str, Any],
    reading: dict[str, Any],
    terminal: Terminal,
) -> None:
    """Find the classes in FILE, of which no row is labelled.

    rarebit shows rows that are likely to be of a class not seen yet, and you name their class with
    one key. Every answer is saved at once: after quitting, Ctrl-C or a power cut the same command
    continues where it stopped. With --oracle a column answers instead of you.
    """
    from rarebit.cli._output import check_writable

    check_page(report_file)
    if export is not None:
        check_writable(export)
        check_labels_name(export, file)
    settings = {"task": "discover", "reading": reading, **given}
    with open_project(file, store, settings, terminal) as project:
        collect_answers(project, terminal)
        if export is not None:
            export_answers(project, export, terminal, raw=raw)
        if report_file is not None:
            write_report(project.report(ways()), report_file)
        status = project.status()
        say_found(terminal, status)
        say_advice(terminal, status)
        terminal.say(f"Labels: {status.store}")
        if report_file is not None:
            terminal.say(f"Report: {report_file}")
        terminal.result(
            {
                **summary(status, project.settings),
                "report": None if report_file is None else str(report_file),
            }
        )
