"""The option ``--report`` and the file it names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit.cli._show_report import SUMMARY

if TYPE_CHECKING:
    from rarebit.models import Model
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


def decisions_page(
    title: str, model: Model, truth: Any, decided: Any, scores: Any, figures: Mapping[str, Any]
) -> Report:
    """Make the report of what a model decided on rows whose classes are known."""
    import numpy as np

    from rarebit.report import Report

    rare = model.rare_class
    threshold = model.manifest["threshold"]
    if threshold is None and np.array_equal(decided == rare, scores > 0.0):
        threshold = 0.0  # the classifier's own border
    shown = {name: figures[key] for key, name in SUMMARY.items() if key in figures}
    unseen = f" that the classifier had not seen ({figures['how']})" if "how" in figures else ""
    report = Report(
        title,
        f"{len(truth):,} rows{unseen}; the rare class is {rare}, with "
        f"{int(np.sum(truth == rare)):,} of them.",
        {name: f"{value:.3f}" for name, value in shown.items()},
    )
    report.add_ranking(truth, {rare: scores}, threshold=threshold)
    return report.add_confusion(truth, decided)
