"""``rarebit fit``: a classifier from a labelled file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rarebit.cli._command import ExampleCommand
from rarebit.cli._reading import FILE, read_labelled, reading_options
from rarebit.cli._reporting import REPORT, decisions_page, write_report
from rarebit.cli._terminal import Terminal


@click.command(
    cls=ExampleCommand,
    example="""\
rarebit fit payments.csv --target fraud --out fraud.rarebit --report fraud.html
rarebit fit payments.parquet --target fraud --method border --threshold sensitivity=0.95
rarebit fit messages.csv --target label --text message --rare spam""",
)
@FILE
@reading_options()
@click.option(
    "-m",
    "--method",
    type=click.Choice(["auto", "border", "bagged", "boosted", "pruned", "kernel"]),
    default="auto",
    show_default=True,
    help="Classifier; auto is bagged up to 20,000 rows and border, which reads few, beyond.",
)
@click.option(
    "--rare",
    metavar="CLASS",
    help="The class of interest (the one with the fewest rows); others become 'rest'.",
)
@click.option(
    "--threshold",
    default="auto",
    show_default=True,
    metavar="AIM",
    help="From which score on a row is rare: own, g-mean, break-even, sensitivity=RATE, "
    "specificity=RATE or a number; auto is g-mean for border, own for the others.",
)
@click.option("--folds", type=int, metavar="N", help="Judge by N folds (5, up to 20,000 rows).")
@click.option(
    "--holdout", type=float, metavar="SHARE", help="Judge by a share held out (0.2, beyond)."
)
@click.option("--no-validation", is_flag=True, help="Do not judge; the model has no figures.")
@click.option("--kernel", type=click.Choice(["rbf", "linear", "poly", "sigmoid"]),
              help="Kernel (that of the method; linear for texts).")  # fmt: skip
@click.option("--cost", "C", type=float, metavar="C", help="Cost of an error (1).")
@click.option("--gamma", type=float, metavar="NUMBER", help="Width of the kernel (by the spread).")
@click.option(
    "--missing",
    type=click.Choice(["mean", "indicate"]),
    default="mean",
    show_default=True,
    help="A missing number takes the mean; indicate also adds a feature that says so.",
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Random seed.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, readable=False),
    metavar="MODEL",
    help="Where the model goes (FILE with the ending .rarebit, in this folder).",
)
@REPORT
def fit(
    file: Path,
    reading: dict[str, Any],
    method: str,
    rare: str | None,
    threshold: str,
    folds: int | None,
    holdout: float | None,
    no_validation: bool,
    missing: str,
    seed: int,
    out: Path | None,
    report_file: Path | None,
    terminal: Terminal,
    **parameters: Any,
) -> None:
    """Train a classifier on the labelled rows of FILE and write it to one file.

    The figures shown are of rows that the classifier had not seen. Rows without a class are left
    out.
    """
    from rarebit.cli._output import check_writable, written_whole
    from rarebit.cli._show_report import show_report
    from rarebit.models import save_model, train_model
    from rarebit.models._train import count_fits
    from rarebit.tables import TableEncoder

    path = out or Path(f"{file.name.split('.')[0]}.rarebit")
    for place in (path, report_file):
        if place is not None:
            check_writable(place)
    if report_file is not None and no_validation:
        raise click.UsageError("--report shows rows held out: leave out --no-validation")
    table = read_labelled(file, terminal, **reading)
    options = {name: value for name, value in parameters.items() if value is not None}
    n_fits = count_fits(table.n_rows, folds, holdout, not no_validation)
    encoder = TableEncoder(indicate_missing=missing == "indicate", random_state=seed)
    n_rows = table.n_rows
    with terminal.progress("training", n_fits) as advance:
        model = train_model(
            table,
            method=method,
            rare=rare,
            threshold=threshold,
            folds=folds,
            holdout=holdout,
            validate=not no_validation,
            random_state=seed,
            encoder=encoder,
            copy=False,
            advance=advance,
            **options,
        )
    model.manifest["image_size"] = reading["image_size"]
    with written_whole(path) as partial:
        save_model(model, partial)
    manifest = model.manifest
    if report_file is not None:
        held = model.judged
        assert held is not None  # the command was refused without validation
        title = f"Model of {file.name}"
        page = decisions_page(
            title, model, held.truth, held.decided, held.scores, manifest["metrics"]
        )
        write_report(page, report_file)
    shown_report = None if report_file is None else str(report_file)
    terminal.result({"model": str(path), **manifest, "report": shown_report})
    if manifest["metrics"] is not None:
        show_report(
            terminal, manifest["metrics"], f"On rows not seen ({manifest['metrics']['how']})"
        )
    _tell(terminal, manifest, n_rows)
    if report_file is not None:
        terminal.say(f"Report: {report_file}")
    terminal.say(f"Wrote {path}. Next: rarebit predict {path} NEW_FILE")


def _tell(terminal: Terminal, manifest: dict[str, Any], n_rows: int) -> None:
    """Say what became of columns and rows."""
    used, dropped, missing = manifest["columns"], manifest["dropped"], manifest["missing"]
    line = f"Method {manifest['method']}: {n_rows:,} rows, {len(used):,} columns used"
    if "labels_used" in manifest:
        line += f", {manifest['labels_used']:,} labels read"
    if manifest["threshold"] is not None:
        line += f", rare from a score of {manifest['threshold']:.4g}"
    terminal.say(line + ".")
    if dropped:
        names = [f"{name} ({why})" for name, why in list(dropped.items())[:5]]
        more = ", …" if len(dropped) > 5 else ""
        terminal.note(f"note: {len(dropped):,} columns not used: {', '.join(names)}{more}.")
    if missing:
        names = [f"{name} {n:,}" for name, n in list(missing.items())[:5]]
        more = ", …" if len(missing) > 5 else ""
        terminal.note(f"note: missing cells: {', '.join(names)}{more}.")
    without = manifest["source"]["rows_without_class"]
    if without:
        terminal.note(f"note: {without:,} rows without a class were left out.")
