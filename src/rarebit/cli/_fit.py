"""``rarebit fit``: a classifier from a labelled file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit._text import column_name, counted, tell_alike
from rarebit.cli._command import ExampleCommand
from rarebit.cli._model_place import check_model_place, model_place, replaced_model
from rarebit.cli._numbers import number_or_tuned
from rarebit.cli._rare import check_exclusive, rare_options
from rarebit.cli._reading import (
    FILE,
    MISSING,
    aside_columns,
    read_labelled,
    reading_options,
    split_options,
)
from rarebit.cli._reporting import REPORT, Lookout, check_page, decisions_page, write_report
from rarebit.cli._terminal import Terminal
from rarebit.models import method_names

if TYPE_CHECKING:
    from rarebit.tables import Table

_FAR_BELOW = 0.15  # precision that is lost against the break-even point and worth a word


@click.command(
    cls=ExampleCommand,
    example="""\
rarebit fit payments.csv --target fraud --out fraud.rarebit --report fraud.html
rarebit fit payments.parquet --target fraud --method border --threshold sensitivity=0.95
rarebit fit messages.csv --target label --text message --rare spam
rarebit fit parts.csv --target verdict --normal ok --threshold recall=0.95""",
)
@FILE
@reading_options()
@click.option(
    "-m",
    "--method",
    type=click.Choice(method_names()),
    default="auto",
    show_default=True,
    help="Classifier; auto is blend up to 20,000 rows and border, which reads few, beyond.",
)
@rare_options()
@click.option(
    "--threshold",
    default="auto",
    show_default=True,
    metavar="AIM",
    help="From which score on a row is rare: own (the classifier's border), g-mean, break-even "
    "(precision = recall), precision=RATE, recall=RATE, specificity=RATE or a number; auto is "
    "g-mean for border, own for the others.",
)
@click.option("--folds", type=int, metavar="N", help="Evaluate by N folds (5, up to 20,000 rows).")
@click.option(
    "--holdout", type=float, metavar="SHARE", help="Evaluate on a share held out (0.2, beyond)."
)
@split_options
@click.option("--no-validation", is_flag=True, help="Do not evaluate; the model has no figures.")
@click.option("--kernel", type=click.Choice(["rbf", "linear", "poly", "sigmoid"]),
              help="Kernel (that of the method; linear for texts).")  # fmt: skip
@click.option(
    "--cost",
    "C",
    type=number_or_tuned,
    metavar="C",
    help="Cost of an error, or tuned: chosen by cross-validation (tuned; 1 for bagged, boosted, "
    "pruned and border).",
)
@click.option(
    "--gamma",
    type=number_or_tuned,
    metavar="NUMBER",
    help="Kernel coefficient, or tuned [default: 1 / (number of features × variance); blend: "
    "tuned].",
)
@MISSING
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
    rare: tuple[str, ...] | None,
    normal: tuple[str, ...] | None,
    threshold: str,
    folds: int | None,
    holdout: float | None,
    group: str | None,
    time: str | None,
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
    out. The g-mean is the root of the product of the shares of each class that are recognised; the
    break-even point (PRBEP) is the precision at the score where it equals the recall.
    """
    import numpy as np

    from rarebit.cli._output import written_whole
    from rarebit.cli._show_report import show_report
    from rarebit.models import (
        count_fits,
        doubt_about_times,
        doubt_few,
        save_model,
        train_model,
    )
    from rarebit.projects import may_be_ids
    from rarebit.tables import TableEncoder, find_leaks, find_possible_ids

    check_exclusive(rare, normal)
    path = model_place(file, out, ".rarebit")
    check_model_place(path, out)
    check_page(report_file)
    if report_file is not None and no_validation:
        raise click.UsageError("--report shows rows held out: leave out --no-validation")
    table = read_labelled(file, terminal, **reading, aside=aside_columns(group, time))
    options = {name: value for name, value in parameters.items() if value is not None}
    n_fits = count_fits(table.n_rows, folds, holdout, not no_validation)
    encoder = TableEncoder(indicate_missing=missing == "indicate", random_state=seed)
    tell_classes(table, rare or normal, terminal)
    if time is not None and (doubt := doubt_about_times(table, time)):
        terminal.note(f"note: {doubt}")
    leaks, ids = find_leaks(table), find_possible_ids(table)
    # Rows held out are shown in the report; training may reorder those of the table.
    seen = table if report_file is not None else None
    with terminal.progress("training", n_fits) as advance:
        model = train_model(
            table,
            method=method,
            rare=rare,
            normal=normal,
            threshold=threshold,
            folds=folds,
            holdout=holdout,
            group=group,
            time=time,
            validate=not no_validation,
            random_state=seed,
            encoder=encoder,
            copy=seen is not None,
            advance=advance,
            **options,
        )
    model.manifest["image_size"] = reading["image_size"]
    manifest = model.manifest
    replaced = replaced_model(path, out, file, manifest["target"] or "")
    with written_whole(path) as partial:
        save_model(model, partial)
    if report_file is not None:
        held = model.judged
        assert held is not None  # the command was refused without validation
        title = f"Model of {file.name}"
        assert seen is not None
        assert seen.target is not None
        rows = np.flatnonzero(seen.target != "")[held.rows]
        lookout = Lookout()
        lookout.watch(
            seen.take(rows), held.truth, held.decided, held.scores, model.rare_class,
            seen.target[rows], held.named,
        )  # fmt: skip
        page = decisions_page(
            title, model, held, held.scores, manifest["metrics"], rows=lookout.rows
        )
        write_report(page, report_file)
    shown_report = None if report_file is None else str(report_file)
    told = {name: value for name, value in manifest.items() if name != "support_rows"}
    few = doubt_few(model)
    notes = [few] if few else []
    terminal.result({"model": str(path), **told, "report": shown_report, "notes": notes})
    if manifest["metrics"] is not None:
        show_report(terminal, manifest["metrics"], f"On unseen rows ({manifest['metrics']['how']})")
    for note in notes:
        terminal.note(f"note: {note}")
    if threshold == "auto":
        _tell_precision(terminal, manifest)
    _tell(terminal, manifest)
    tell_leaks(leaks, manifest["columns"], terminal)
    for sentence in may_be_ids(ids, manifest["columns"]):
        terminal.note(f"note: {sentence}")
    if report_file is not None:
        terminal.say(f"Report: {report_file}")
    if replaced is not None:
        terminal.note(f"note: {replaced}")
    terminal.say(f"Wrote {path}. Next: rarebit predict {path} NEW_FILE")


def tell_classes(table: Table, named: Any, terminal: Terminal) -> list[str]:
    """Say which class is taken as the rare one, and which look like one class written twice."""
    if table.target is None:
        return []
    counts = Counter(str(name) for name in table.target.tolist() if name)
    said = tell_alike(counts)
    if len(counts) > 2 and not named:
        rarest = min(sorted(counts, reverse=True), key=counts.__getitem__)
        said.append(
            f"Of {len(counts):,} classes {rarest!r}, which has the fewest rows, is taken as "
            "the rare one; --rare A,B names others, --normal A makes all but A rare."
        )
    for sentence in said:
        terminal.note(f"note: {sentence[:1].lower()}{sentence[1:]}")
    return said


def tell_leaks(leaks: dict[str, str], used: Iterable[str], terminal: Terminal) -> None:
    """Say which columns that are learned from tell a class by themselves."""
    learned = set(used)
    for name, remark in leaks.items():
        if name in learned:
            terminal.note(f"note: {column_name(name)}: {remark}.")


def _tell_precision(terminal: Terminal, manifest: dict[str, Any]) -> None:
    """Say that fewer false alarms can be had where the default threshold makes many."""
    metrics = manifest["metrics"]
    own = {} if metrics is None else metrics["classes"].get(manifest["rare_class"], {})
    if not own or "prbep" not in metrics:
        return
    precision, even = own["precision"], metrics["prbep"]
    if own["predicted"] and even - precision >= _FAR_BELOW:
        terminal.note(
            f"note: at the threshold of the model the precision of {manifest['rare_class']!r} is "
            f"{precision:.2f}; at another one precision and recall would both be {even:.2f}: "
            "--threshold break-even gives fewer false alarms and more misses."
        )


def _tell(terminal: Terminal, manifest: dict[str, Any]) -> None:
    """Say what became of columns and rows."""
    from rarebit.projects import left_out

    used, dropped, missing = manifest["columns"], manifest["dropped"], manifest["missing"]
    line = f"Method {manifest['method']}: {counted(manifest['source']['rows'], 'row')}, "
    line += f"{counted(len(used), 'column')} used"
    if "labels_used" in manifest:
        line += f", {counted(manifest['labels_used'], 'label')} read"
    terminal.say(line + ".")
    if "reason" in manifest:
        terminal.say(manifest["reason"])
    if manifest["threshold"] is not None:
        terminal.say(
            f"A row is called {manifest['rare_class']} when its score is "
            f"{manifest['threshold']:.4g} or more (chosen for {manifest['threshold_aim']})."
        )
    for sentence in left_out(dropped):
        terminal.note(f"note: {sentence}")
    if missing:
        names = [f"{name} {n:,}" for name, n in list(missing.items())[:5]]
        more = ", …" if len(missing) > 5 else ""
        terminal.note(f"note: missing cells: {', '.join(names)}{more}.")
    without = manifest["source"]["rows_without_class"]
    if without:
        left = counted(without, "row without a class was", "rows without a class were")
        terminal.note(f"note: {left} left out.")
