"""``rarebit learn``: from no label to a model, with as few answers as possible."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rarebit._text import counted
from rarebit.cli._aims import aim_options
from rarebit.cli._cluster import CLUSTER
from rarebit.cli._command import ExampleCommand
from rarebit.cli._labelling import (
    collect_answers,
    export_answers,
    labelling_options,
    open_project,
    say_advice,
    say_found,
    summary,
    ways,
)
from rarebit.cli._model_place import labels_name, model_place, replaced_model
from rarebit.cli._numbers import Share, number_or_tuned
from rarebit.cli._rare import USUAL, check_exclusive, rare_options
from rarebit.cli._reading import FILE, MISSING, aside_columns, reading_options, split_options
from rarebit.cli._reporting import write_report
from rarebit.cli._terminal import Terminal
from rarebit.models import method_names


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
    "--stop",
    type=click.Choice(["auto", "support", "margin", "never"]),
    default="auto",
    show_default=True,
    help="When there are enough labels; never asks until you quit.",
)
@click.option(
    "--holdout",
    type=Share(),
    metavar="SHARE",
    help="With --oracle: evaluate on a share of the rows that is never asked for.",
)
@click.option(
    "--method",
    type=click.Choice(method_names(learns=True)),
    default="auto",
    show_default=True,
    help="Final classifier: blend combines kernel SVMs and trees, weighted by cross-validation; "
    "bagged is kernel SVMs on balanced samples alone; border is the SVM that chose the questions; "
    "auto is blend.",
)
@click.option(
    "--kernel",
    type=click.Choice(["rbf", "linear", "poly", "sigmoid"]),
    help="Kernel [default: rbf; linear for texts].",
)
@click.option(
    "--cost",
    "C",
    type=number_or_tuned,
    default=1.0,
    show_default=True,
    metavar="C",
    help="Cost of an error in the SVM that chooses the questions, or tuned: chosen by "
    "cross-validation, again whenever labels have grown by half.",
)
@click.option(
    "--gamma",
    type=number_or_tuned,
    metavar="NUMBER",
    help="Kernel coefficient of the SVM that chooses the questions, or tuned [default: 1 / (number "
    "of features × variance)].",
)
@MISSING
@click.option(
    "--export-ranked",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write all rows with their columns: those found to be rare, then those without a "
    "label by decreasing score (.csv, .tsv, .jsonl, .parquet, .xlsx; papers also in the format of "
    "their file, .ris or .bib).",
)
@split_options
@aim_options
@rare_options(USUAL)
@labelling_options
@reading_options(target=False)
def learn(
    file: Path,
    cluster: str | None,
    out: Path | None,
    stop: str,
    holdout: float | None,
    method: str,
    kernel: str | None,
    C: float | str,
    gamma: float | str | None,
    missing: str,
    export_ranked: Path | None,
    group: str | None,
    time: str | None,
    aim: dict[str, Any],
    rare: tuple[str, ...] | None,
    normal: tuple[str, ...] | None,
    store: str | None,
    export: Path | None,
    raw: bool,
    report_file: Path | None,
    given: dict[str, Any],
    reading: dict[str, Any],
    terminal: Terminal,
) -> None:
    """Learn to tell the classes of FILE apart, starting without any label.

    rarebit looks for the classes and asks for the rows on the border between them, which teach
    most; you name their class with one key. It says when further labels would change nothing, and
    writes a model for `rarebit predict`. Every answer is saved at once, also those of `rarebit
    discover`: the same command continues where it stopped. With --oracle a column answers. With
    --recall it asks until that share of the rare rows is proved to be found.
    """
    check_exclusive(rare, normal)
    if holdout is not None and given["oracle"] is None:
        raise click.UsageError("--holdout needs --oracle, which knows the classes of rows held out")
    from rarebit.cli._output import check_writable, explained, written_whole

    model_file = model_place(file, out, ".learned.rarebit", store)
    for path in (model_file, export, export_ranked, report_file):
        if path is not None:
            check_writable(path)
    if export_ranked is not None:
        from rarebit.projects import ProjectError, check_ranked_name

        try:
            check_ranked_name(export_ranked, file.name)
        except ProjectError as error:
            raise click.UsageError(str(error).rstrip(".")) from error
    reading["aside"] = tuple(dict.fromkeys((*reading["aside"], *aside_columns(group, time))))
    settings = {
        "group": group, "time": time,
        "task": "learn", "stop": stop, "holdout": holdout, "method": method, "kernel": kernel,
        "C": C, "gamma": gamma, "missing": missing,
        "rare": rare or (), "normal": normal or (), "reading": reading,
        **aim, **given,
    }  # fmt: skip
    if cluster is not None and export_ranked is not None:
        raise click.UsageError(
            "--export-ranked needs all rows on one computer: leave it out, and rank them with "
            "rarebit predict --cluster"
        )
    with open_project(file, store, settings, terminal, cluster) as project:
        collect_answers(project, terminal)
        if export is not None:
            export_answers(project, export, terminal, raw=raw)
        status = project.status()
        say_found(terminal, status)
        result = {**summary(status, project.settings), "model": None, "report": None}
        if missing := project.why_no_model():
            if project.settings.oracle is not None and len(status.classes) < 2:
                project.finish()  # a column that shows one class is a mistake: this says so
            if report_file is not None:
                write_report(project.report(ways()), report_file)
                result["report"] = str(report_file)
            say_advice(terminal, status)
            terminal.say(f"Labels: {status.store}")
            if report_file is not None:
                terminal.say(f"Report: {report_file}")
            terminal.say(f"No model yet: {missing}.")
            if export_ranked is not None:
                terminal.note(
                    f"note: {export_ranked} was not written, because a ranked list needs a model."
                )
            terminal.result(result)
            return
        from rarebit.cli._show_report import show_report
        from rarebit.models import estimate_sentences, save_model

        with terminal.progress("Fitting the final classifier"):
            model = project.finish()
        labels = labels_name(status.store)
        replaced = replaced_model(model_file, out, file, None, labels)
        model.manifest["labels"] = labels
        with written_whole(model_file) as partial:
            save_model(model, partial)
        if report_file is not None:
            with terminal.progress("Computing the figures of the report"):
                write_report(project.report(ways()), report_file)
        if export_ranked is not None:
            with explained(export_ranked):
                n_lines = project.export_ranked(export_ranked, raw=raw)
            terminal.say(
                f"Ranked: {counted(n_lines, 'row')} in {export_ranked}, those found first."
            )
        metrics = model.manifest["metrics"]
        if metrics is not None:
            show_report(terminal, metrics, f"On unseen rows ({metrics['how']})")
        proves = project.settings.recall is not None
        for sentence in estimate_sentences(model.manifest, proves=proves):
            terminal.say(sentence)
        called = project.called_rare()
        notes = [called.doubt] if called is not None and called.doubt else []
        if one_class := project.one_class_note("Name them by --rare A,B or --normal X"):
            notes.append(one_class)
        if called is not None and called.rows:
            terminal.say(called.sentence(model.rare_class, status.n_held_out))
        for note in notes:
            terminal.note(f"note: {note}")
        say_advice(terminal, status)
        terminal.say(f"Labels: {status.store}")
        if report_file is not None:
            terminal.say(f"Report: {report_file}")
        if "reason" in model.manifest:
            terminal.say(model.manifest["reason"])
        if replaced is not None:
            notes.append(replaced)
            terminal.note(f"note: {replaced}")
        terminal.say(f"Wrote {model_file}. Next: rarebit predict {model_file} NEW_FILE")
        result |= {
            "model": str(model_file),
            "rare_class": model.rare_class,
            "rare_classes": list(model.rare_classes),
            "metrics": metrics,
            "estimate": {
                name: value
                for name, value in (model.manifest.get("estimate") or {}).items()
                if name != "points"
            }
            or None,
            "called_rare": None
            if called is None
            else {"rows": called.rows, "called": called.called, "exact": called.exact},
            "notes": notes,
            "report": None if report_file is None else str(report_file),
            "ranked": None if export_ranked is None else str(export_ranked),
        }
        terminal.result(result)
