"""The option ``--report`` and the file it names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rarebit.report import Report

REPORT = click.option(
    "--report",
    "report_file",
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE",
    help="Write an HTML report.",
)


def write_report(report: Report, path: Path) -> None:
    """Write a report as a whole or not at all, with the errors of every other result."""
    from rarebit.cli._output import written_whole

    page = report.html()
    with written_whole(path) as partial:
        partial.write_text(page, encoding="utf-8")
