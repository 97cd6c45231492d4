"""``rarebit evaluate``: how good a model is on a labelled file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from rarebit.cli._command import ExampleCommand
from rarebit.cli._predict import MODEL, TRUST
from rarebit.cli._reading import FILE, reading_options
from rarebit.cli._reporting import REPORT, decisions_page, write_report
from rarebit.cli._terminal import Terminal


@click.command(
    cls=ExampleCommand,
    example="""\
rarebit evaluate fraud.rarebit march.csv
rarebit evaluate fraud.rarebit march.csv --target outcome --json""",
)
@MODEL
@FILE
@reading_options(columns=False)
@REPORT
@TRUST
def evaluate(
    model: Path,
    file: Path,
    reading: dict[str, Any],
    report_file: Path | None,
    trust: tuple[str, ...],
    terminal: Terminal,
) -> None:
    """Compare the decisions of MODEL with the classes of FILE.

    The target is the column that the model was trained on, unless --target names another.
    """
    import numpy as np

    from rarebit.cli._judging import Judge, open_model
    from rarebit.cli._output import check_writable
    from rarebit.cli._show_report import show_report
    from rarebit.metrics import rare_report
    from rarebit.models._train import REST
    from rarebit.tables import TableError

    if report_file is not None:
        check_writable(report_file)
    loaded = open_model(model, file, trust, terminal)
    manifest = loaded.manifest
    if reading["target"] is None and file.suffix not in (".npy", ".npz"):
        reading["target"] = manifest["target"]
    judge = Judge(loaded, file, terminal, **reading)
    truths, decisions, scores = [], [], []
    for table, classes, values in judge:
        if table.target is None:
            raise TableError(
                f"{file.name} has no classes to compare with: name their column with --target."
            )
        known = table.target != ""
        truths.append(table.target[known])
        decisions.append(classes[known])
        scores.append(values[known])
    truth = np.concatenate(truths)
    if not len(truth):
        raise TableError(f"No row of {file.name} has a class: label some rows.")
    classes = list(manifest["classes"])
    if REST in classes:
        # The model knows one class and the rest.
        truth = np.where(np.isin(truth, classes), truth, REST)
    strange = sorted(set(truth.tolist()) - set(classes))
    report = rare_report(
        truth,
        np.concatenate(decisions),
        np.concatenate(scores),
        pos_label=loaded.rare_class,
        labels=np.array([*classes, *strange]),
        output="dict",
    )
    if report_file is not None:
        title, decided = f"{model.name} on {file.name}", np.concatenate(decisions)
        page = decisions_page(title, loaded, truth, decided, np.concatenate(scores), report)
        write_report(page, report_file)
    show_report(terminal, report, f"{len(truth):,} rows of {file.name}")
    judge.tell_unknown()
    if len(truth) < judge.n_rows:
        terminal.note(f"note: {judge.n_rows - len(truth):,} rows without a class were left out.")
    if strange:
        terminal.note(f"note: the model does not know the classes {', '.join(strange)}.")
    if _is_training_file(file, manifest["source"], judge.n_rows):
        terminal.note(
            f"note: the model was trained on {file.name}, so these figures flatter it; evaluate "
            "rows that it has not seen."
        )
    before = manifest["metrics"]
    if before is not None:
        terminal.say(f"At training ({before['how']}) the g-mean was {before['g_mean']:.3f}.")
    terminal.result(
        {
            **report,
            "rows_without_class": judge.n_rows - len(truth),
            "unknown_classes": strange,
            "unknown_categories": {name: dict(n) for name, n in judge.unknown.items()},
            "g_mean_at_training": None if before is None else before["g_mean"],
            "report": None if report_file is None else str(report_file),
        }
    )


def _is_training_file(file: Path, source: Mapping[str, Any], n_rows: int) -> bool:
    """Compare checksums, where as many rows make it likely enough to read a file again."""
    if n_rows != source["rows"] + source["rows_without_class"] or not file.is_file():
        return False
    from rarebit.tables._checksum import checksum_of

    return checksum_of(file) == source["sha256"]
