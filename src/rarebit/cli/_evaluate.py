"""``rarebit evaluate``: how good a model is on a labelled file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from rarebit._text import counted
from rarebit.cli._cluster import CLUSTER, evaluate_on_cluster
from rarebit.cli._command import ExampleCommand
from rarebit.cli._predict import MODEL, THRESHOLD, TRUST, find_threshold, told_threshold
from rarebit.cli._rare import check_exclusive, rare_options
from rarebit.cli._reading import FILE, aside_columns, reading_options
from rarebit.cli._reporting import REPORT, check_page, decisions_page, write_report
from rarebit.cli._terminal import Terminal


def part_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command ``--group`` and ``--time``, columns by which figures are told apart."""
    for option in (
        click.option("--time", metavar="COLUMN", help="Also show figures by period."),
        click.option("--group", metavar="COLUMN", help="Also show figures by group."),
    ):
        command = option(command)
    return command


@click.command(
    cls=ExampleCommand,
    example="""\
rarebit evaluate fraud.rarebit march.csv
rarebit evaluate fraud.rarebit march.csv --target outcome --json
rarebit evaluate fraud.rarebit march.csv --threshold recall=0.9 --report march.html""",
)
@MODEL
@FILE
@reading_options(columns=False)
@rare_options()
@THRESHOLD
@part_options
@REPORT
@CLUSTER
@TRUST
def evaluate(
    model: Path,
    file: Path,
    reading: dict[str, Any],
    rare: tuple[str, ...] | None,
    normal: tuple[str, ...] | None,
    threshold: str | None,
    group: str | None,
    time: str | None,
    report_file: Path | None,
    cluster: str | None,
    trust: tuple[str, ...],
    terminal: Terminal,
) -> None:
    """Compare the decisions of MODEL with the classes of FILE.

    The target is the column that the model was trained on, unless --target names another. The
    report has curves, the confusion matrix, and the rows to look at: misses and false alarms.
    """
    from rarebit.cli._evaluating import LabelledRows, limits_of
    from rarebit.cli._judging import Judge, open_model
    from rarebit.cli._parts import HEADINGS, as_cells
    from rarebit.cli._show_report import show_report
    from rarebit.models import measure_decisions

    check_exclusive(rare, normal)
    if cluster is not None:
        if report_file is not None or threshold is not None:
            raise click.UsageError("--report and --threshold cannot be combined with --cluster")
        evaluate_on_cluster(
            cluster, model, file, terminal, sought={"rare": rare, "normal": normal}, trust=trust,
            reading=reading,
        )  # fmt: skip
        return
    check_page(report_file)
    loaded = open_model(model, file, trust, terminal)
    manifest = loaded.manifest
    if reading["target"] is None and file.suffix not in (".npy", ".npz"):
        reading["target"] = manifest["target"]
    aside = aside_columns(group, time)
    if aside:
        reading["aside"] = aside
    sought: dict[str, Any] = {"rare": rare, "normal": normal}
    cut = find_threshold(loaded, file, threshold, sought, terminal, reading)
    judge = Judge(
        loaded, file, terminal, threshold=cut, as_written=report_file is not None, **sought,
        **reading,
    )  # fmt: skip
    judge.tell_second(threshold)
    union = loaded.name_of(**sought)
    others = tuple(name for name in loaded.classes if name not in loaded.rare_classes)
    if not loaded.takes_new_as_rare or union != loaded.rare_class:
        others = ()
    labelled = LabelledRows(loaded, file, union, aside, time, report_file is not None, others)
    for table, made in judge:
        labelled.add(table, made)
    truth = labelled.truth
    measured = measure_decisions(loaded, truth, labelled.decisions, **sought)
    report, strange = measured.report, measured.unknown
    parts = labelled.parts(measured)
    if aside:
        report["parts"] = parts
    if labelled.doubt:
        terminal.note(f"note: {labelled.doubt}")
    limits = limits_of(judge, truth, strange, manifest["source"])
    if report_file is not None:
        title = f"{model.name} on {file.name}"
        page = decisions_page(
            title, loaded, measured, labelled.scores, report, sought=sought,
            rows=labelled.lookout.rows, limits=limits,
            threshold="" if cut is None or threshold is None else told_threshold(cut, threshold),
        )  # fmt: skip
        if parts:
            page.add_table(
                f"By {aside[0]}",
                list(HEADINGS.values()),
                [list(part.values()) for part in parts],
                text="The largest groups." if time is None else "Periods of about as many rows.",
            )
        write_report(page, report_file)
    if cut is not None and threshold is not None:
        terminal.note(f"note: {told_threshold(cut, threshold)}")
    show_report(terminal, report, f"{counted(len(truth), 'row')} of {file.name}")
    if parts:
        terminal.table(list(HEADINGS.values()), [as_cells(part) for part in parts])
    judge.tell_unknown()
    for said in limits:
        terminal.note(f"note: {said[:1].lower()}{said[1:]}")
    before = manifest["metrics"]
    if before is not None and set(loaded.chosen(**sought)) == set(loaded.rare_classes):
        own = "" if cut is None else ", at the threshold of the model"
        terminal.say(f"At training ({before['how']}) the g-mean was {before['g_mean']:.3f}{own}.")
    if report_file is not None:
        terminal.say(f"Report: {report_file}")
    terminal.result(
        {
            **report,
            "rows_without_class": judge.n_rows - len(truth),
            "unknown_classes": strange,
            "unknown_categories": {name: dict(n) for name, n in judge.unknown.items()},
            "outside_range": judge.outside(),
            "empty_columns": judge.ranges.empty(),
            "g_mean_at_training": None if before is None else before["g_mean"],
            "report": None if report_file is None else str(report_file),
        }
    )
