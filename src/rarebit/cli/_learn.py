"""``rarebit learn``: from no label to a model, with as few answers as possible."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit._text import counted
from rarebit.cli._cluster import CLUSTER
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
from rarebit.cli._learning_options import learning_options
from rarebit.cli._model_place import (
    check_model_place,
    labels_name,
    model_place,
    replaced_model,
)
from rarebit.cli._reading import FILE, reading_options
from rarebit.cli._reporting import check_page, write_report
from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    from rarebit.projects import Conclusion, Project


@dataclass(frozen=True)
class _Files:
    """What the command reads and writes."""

    data: Path
    out: Path | None  # where the model was said to go
    model: Path
    export: Path | None
    ranked: Path | None
    report: Path | None
    raw: bool


@click.command(
    cls=ExampleCommand,
    example="""\
rarebit learn transactions.csv --id transaction --classes ok,fraud
rarebit learn transactions.csv --oracle class --holdout 0.3 --report learned.html
rarebit learn reviews.csv --text review --out complaints.rarebit
rarebit learn papers.csv --text abstract --known 10.1000/182=relevant --normal irrelevant
rarebit learn payments/ --id payment --cluster local""",
)
@FILE
@CLUSTER
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="MODEL",
    help="Where the model goes [default: NAME.learned.rarebit here, with the name of FILE, or of "
    "the labels where --labels is given].",
)
@click.option(
    "--export-ranked",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write all rows with their columns: those found to be rare, then those without a "
    "label by decreasing score (.csv, .tsv, .jsonl, .parquet, .xlsx; papers also in the format of "
    "their file, .ris or .bib).",
)
@labelling_options
@reading_options(target=False)
@learning_options
def learn(
    file: Path,
    cluster: str | None,
    out: Path | None,
    export_ranked: Path | None,
    store: str | None,
    export: Path | None,
    raw: bool,
    report_file: Path | None,
    learning: dict[str, Any],
    given: dict[str, Any],
    reading: dict[str, Any],
    terminal: Terminal,
) -> None:
    """Learn to distinguish the classes of FILE, starting without any label.

    rarebit looks for the classes and asks for the rows on the border between them, which teach
    most; you name their class with one key. It says when further labels would change nothing, and
    writes a model for `rarebit predict`. Every answer is saved at once, also those of `rarebit
    discover`: the same command continues where it stopped. With --oracle a column answers. With
    --recall it asks until that share of the rare rows is proved to be found.
    """
    model = model_place(file, out, ".learned.rarebit", store)
    files = _Files(file, out, model, export, export_ranked, report_file, raw)
    _check_files(files, cluster)
    settings = {"task": "learn", "reading": reading, **learning, **given}
    with open_project(file, store, settings, terminal, cluster) as project:
        collect_answers(project, terminal)
        if export is not None:
            export_answers(project, export, terminal, raw=raw)
        status = project.status()
        say_found(terminal, status)
        from rarebit.projects import conclude

        with terminal.progress("Fitting the final classifier"):
            found = conclude(project, "Name them by --rare A,B or --normal X")
        replaced = _write_files(project, found, files, terminal)
        _say_figures(found, terminal)
        say_advice(terminal, status)
        terminal.say(f"Labels: {status.store}")
        if report_file is not None:
            terminal.say(f"Report: {report_file}")
        _say_model(found, files, replaced, terminal)
        terminal.result(
            {
                **summary(status, project.settings),
                **_as_json(found, replaced),
                "model": None if found.model is None else str(files.model),
                "report": None if report_file is None else str(report_file),
                "ranked": None if found.model is None or not export_ranked else str(export_ranked),
            }
        )


def _check_files(files: _Files, cluster: str | None) -> None:
    """Refuse places that cannot be written before anybody labels."""
    from rarebit.cli._output import check_writable
    from rarebit.projects import ProjectError, check_ranked_name

    places = {
        "the model (--out)": files.model,
        "the labels (--export)": files.export,
        "the ranked rows (--export-ranked)": files.ranked,
        "the report (--report)": files.report,
    }
    taken: dict[Path, str] = {}
    for what, path in places.items():
        if path is None:
            continue
        check_writable(path)
        other = taken.setdefault(path.absolute(), what)
        if other != what:
            raise click.UsageError(f"{path} would hold both {other} and {what}: give two names")
    check_model_place(files.model, files.out, "rows with their labels go to --export FILE")
    check_page(files.report)
    if files.export is not None:
        check_labels_name(files.export, files.data)
    if files.ranked is None:
        return
    try:
        check_ranked_name(files.ranked, files.data.name)
    except ProjectError as error:
        raise click.UsageError(str(error).rstrip(".")) from error
    if cluster is not None:
        raise click.UsageError(
            "--export-ranked needs all rows on one computer: leave it out, and rank them with "
            "rarebit predict --cluster"
        )


def _write_files(
    project: Project, found: Conclusion, files: _Files, terminal: Terminal
) -> str | None:
    """Write model, report and ranked list; return a sentence on a model that was replaced."""
    from rarebit.cli._output import explained, written_whole
    from rarebit.models import save_model

    replaced = None
    if found.model is not None:
        labels = labels_name(project.status().store)
        replaced = replaced_model(files.model, files.out, files.data, None, labels)
        found.model.manifest["labels"] = labels
        with written_whole(files.model) as partial:
            save_model(found.model, partial)
    if files.report is not None:
        with terminal.progress("Computing the figures of the report"):
            write_report(project.report(ways()), files.report)
    if files.ranked is not None and found.model is not None:
        with explained(files.ranked):
            n_lines = project.export_ranked(files.ranked, raw=files.raw)
        terminal.say(f"Ranked: {counted(n_lines, 'row')} in {files.ranked}, those found first.")
    return replaced


def _say_figures(found: Conclusion, terminal: Terminal) -> None:
    """Print what was measured and estimated of the model, and what makes that doubtful."""
    if found.metrics is not None:
        from rarebit.cli._show_report import show_report

        show_report(terminal, found.metrics, f"On unseen rows ({found.metrics['how']})")
    for sentence in found.sentences():
        terminal.say(sentence)
    for note in found.notes:
        terminal.note(f"note: {note}")


def _say_model(found: Conclusion, files: _Files, replaced: str | None, terminal: Terminal) -> None:
    """Print where the model is, or why there is none."""
    if found.model is None:
        terminal.say(f"No model yet: {found.missing}.")
        if files.ranked is not None:
            terminal.note(
                f"note: {files.ranked} was not written, because a ranked list needs a model."
            )
        return
    if "reason" in found.model.manifest:
        terminal.say(found.model.manifest["reason"])
    if replaced is not None:
        terminal.note(f"note: {replaced}")
    terminal.say(f"Wrote {files.model}. Next: rarebit predict {files.model} NEW_FILE")


def _as_json(found: Conclusion, replaced: str | None) -> dict[str, Any]:
    values = found.to_json()
    if replaced is not None:
        values["notes"] = [*values["notes"], replaced]
    return values
