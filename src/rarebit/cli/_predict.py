"""``rarebit predict``: a model over a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit._text import counted, name_counts, name_list
from rarebit.cli._cluster import CLUSTER, predict_on_cluster
from rarebit.cli._command import ExampleCommand
from rarebit.cli._rare import check_exclusive, rare_options
from rarebit.cli._reading import FILE, check_there, reading_options
from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    from rarebit.models import Model

MODEL = click.argument(
    "model",
    type=click.Path(path_type=Path, readable=False),
    metavar="MODEL",
    callback=check_there,
)
TRUST = click.option(
    "--trust",
    multiple=True,
    metavar="TYPE",
    help="A type in the model file that may be built, beside ours; repeatable.",
)
THRESHOLD = click.option(
    "--threshold",
    metavar="AIM",
    help="From which score on a row is rare: precision=RATE, recall=RATE (also called "
    "sensitivity=RATE) or break-even (precision = recall), as reached on the rows held out when "
    "the model was trained, or as estimated from the labels that rarebit learn asked for; "
    "alarms=NUMBER (that many rows of FILE), or a number [default: that of the model].",
)


@click.command(
    cls=ExampleCommand,
    example="""\
rarebit predict fraud.rarebit new.csv --id payment --out judged.csv
rarebit predict fraud.rarebit new.parquet --rare-only > alarms.csv
rarebit predict fraud.rarebit new.csv --threshold precision=0.8 --top 50 --out first.csv
rarebit predict defects.rarebit parts.csv --rare scratch,dent --rare-only
rarebit predict fraud.rarebit payments/ --cluster local --out judged/""",
)
@MODEL
@FILE
@reading_options(columns=False, target=False)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE",
    help="Where predictions go (.csv, .tsv, .jsonl, .parquet, .xlsx); standard output without.",
)
@click.option(
    "--rare-only",
    is_flag=True,
    help="Write the alarms only: rows of the rare classes, the highest score first, with their "
    "columns.",
)
@click.option(
    "--top",
    type=click.IntRange(1),
    metavar="N",
    help="Write the N rows with the highest scores, the highest first, with their columns.",
)
@rare_options()
@THRESHOLD
@click.option(
    "--probability",
    is_flag=True,
    help="Add the probability of the rare class; also its lower and upper end where no rows drawn "
    "at random tell how frequent the class is.",
)
@click.option(
    "--columns/--no-columns",
    default=None,
    help="Whether the columns of FILE follow, texts of --text last [default: with --rare-only and "
    "--top].",
)
@click.option(
    "--raw",
    is_flag=True,
    help="Write text as it is: no apostrophe before what a spreadsheet would run, and control "
    "characters unchanged on standard output.",
)
@click.option(
    "--explain",
    is_flag=True,
    help="Add what makes up each score: the columns that add most to it (because), and the "
    "training rows that it rests on (like). Takes longer: explain fewer rows with --top.",
)
@CLUSTER
@TRUST
def predict(
    model: Path,
    file: Path,
    reading: dict[str, Any],
    out: Path | None,
    rare_only: bool,
    top: int | None,
    rare: tuple[str, ...] | None,
    normal: tuple[str, ...] | None,
    threshold: str | None,
    probability: bool,
    columns: bool | None,
    raw: bool,
    explain: bool,
    cluster: str | None,
    trust: tuple[str, ...],
    terminal: Terminal,
) -> None:
    """Predict the rows of FILE with MODEL: the id, the class and the score of each.

    The score is higher the more a row looks like the rare class; of several rare classes each has a
    score of its own beside that of all. FILE must have the columns that the model was trained on,
    in any order; it is read in batches and may be of any size. The id column of the training
    file is taken where FILE has it.
    """
    import numpy as np

    from rarebit.cli._judging import Judge, open_model
    from rarebit.cli._output import check_writable
    from rarebit.cli._writing import check_ending, frame_writer, has_types
    from rarebit.models import doubt_few

    check_exclusive(rare, normal)
    if cluster is not None:
        if rare_only or top is not None or columns or explain:
            raise click.UsageError(
                "--rare-only, --top, --columns and --explain cannot be combined with --cluster"
            )
        loaded = open_model(model, file, trust, terminal)
        whole: dict[str, Any] = {"rare": rare, "normal": normal}
        if threshold is not None and threshold.startswith("alarms="):
            raise click.UsageError("--threshold alarms=N cannot be combined with --cluster")
        cut = find_threshold(loaded, file, threshold, whole, terminal, reading)
        predict_on_cluster(
            cluster, model, file, out, terminal, sought=whole, threshold=cut, trust=trust,
            reading=reading,
            doubt=lambda *n: _doubt(loaded, threshold, whole, cut)(*n) or doubt_few(loaded),
        )  # fmt: skip
        return
    if explain and (rare or normal):
        raise click.UsageError(
            "--explain explains the score of the rare class of training: leave out --rare and "
            "--normal"
        )
    if out is not None:
        check_ending(out, "Predictions")
        check_writable(out)
    loaded = open_model(model, file, trust, terminal)
    sought: dict[str, Any] = {"rare": rare, "normal": normal}
    if probability and set(loaded.chosen(**sought)) != set(loaded.rare_classes):
        raise click.UsageError(
            f"--probability is that of the rare class of training, {loaded.rare_class}: leave out "
            "--rare and --normal, or order rows by their score"
        )
    cut = find_threshold(loaded, file, threshold, sought, terminal, reading)
    is_sorted = rare_only or top is not None
    shown = is_sorted if columns is None else columns
    judge = Judge(
        loaded, file, terminal, threshold=cut, probability=probability, keep_rest=shown,
        as_written=shown, **sought, **reading,
    )  # fmt: skip
    judge.tell_second(threshold)

    from rarebit.cli._alarms import (
        Alarms,
        keeps_types,
        plain_days,
        same_types,
        tell_unreached,
    )
    from rarebit.cli._reasons import with_reasons
    from rarebit.models import decision_frame

    alarms = Alarms(top)
    counts: Counter[str] = Counter()
    kept: list[dict[str, Any]] = []
    n_alarms, n_written, highest = 0, 0, -np.inf
    typed = has_types(out, terminal)
    with frame_writer(out, terminal, kept, raw=raw) as write:
        for table, made in judge:
            counts.update(made.classes.tolist())
            n_alarms += int(made.rare.sum())
            highest = max(highest, float(made.scores.max(initial=-np.inf)))
            rows = np.flatnonzero(made.rare) if rare_only else None
            if rows is None and top is not None and table.n_rows > top:
                rows = np.sort(np.argsort(-made.scores, kind="stable")[:top])
            frame = decision_frame(table, made, rows, columns=shown, typed=typed)
            if explain:
                frame = with_reasons(frame, loaded, table if rows is None else table.take(rows))
            if is_sorted:
                alarms.add(frame)
            else:
                write(frame if keeps_types(table) else same_types(frame))
        if is_sorted:
            best = plain_days(alarms.sorted())
            n_written = best.height
            write(best)
    judge.tell_unknown()
    members = list(made.each)
    _tell_rare(loaded, members, rare or normal, rare_only, terminal)
    found = name_counts(dict(counts.most_common()))
    terminal.note(f"{counted(judge.n_rows, 'row')} predicted: {found}.")
    if top is not None and n_written < judge.n_rows:
        terminal.note(f"{n_written:,} of {judge.n_rows:,} written, the highest scores.")
    if threshold is not None and cut is not None and highest >= cut:
        terminal.note(f"note: {told_threshold(cut, threshold)}")
    told = "" if top is not None else _doubt(loaded, threshold, sought)(judge.n_rows, n_alarms)
    few = "" if told else doubt_few(loaded)  # who doubts the alarms says to label more, too
    if threshold is not None and cut is not None and highest < cut:
        told = tell_unreached(threshold, cut, highest, top=top is None)
    notes = [note for note in (judge.tell_repeated(), told, few) if note]
    for note in notes:
        terminal.note(f"note: {note}")
    result: dict[str, Any] = {
        "rows": judge.n_rows,
        "predicted": dict(counts),
        "rare_class": loaded.name_of(**sought),
        "rare_classes": members,
        "alarms": n_alarms,
        "threshold": loaded.manifest["threshold"] if cut is None else cut,
        "unknown_categories": {name: dict(values) for name, values in judge.unknown.items()},
        "outside_range": judge.outside(),
        "empty_columns": judge.ranges.empty(),
        "notes": [*judge.scan.notes, *notes],
        "file": None if out is None else str(out),
    }
    if out is None:
        result["predictions"] = kept
    else:
        terminal.note(f"Wrote {out}.")
    terminal.result(result)


def _doubt(
    model: Model, threshold: str | None, sought: dict[str, Any], cut: float | None = None
) -> Callable[[int, int], str]:
    """Return what says of rows and alarms that there are too many; nothing if people chose them.

    With the score that a threshold takes, also that no row reaches it.
    """
    from rarebit.cli._alarms import tell_unreached
    from rarebit.models import doubt_alarms

    if threshold is not None and cut is not None:
        too_many = _doubt(model, threshold, sought)
        none = tell_unreached(threshold, cut, top=False)
        return lambda n_rows, n_called: too_many(n_rows, n_called) if n_called else none
    aim, _, _ = (threshold or "").partition("=")
    chosen = threshold is not None and aim not in ("precision", "recall", "sensitivity")
    if chosen or set(model.chosen(**sought)) != set(model.rare_classes):
        return lambda n_rows, n_called: ""
    return partial(doubt_alarms, model)


def told_threshold(cut: float, threshold: str) -> str:
    """Return the sentence about a threshold that was asked for.

    Examples
    --------
    >>> told_threshold(1.4167, "alarms=20")
    'Rows with a score of 1.417 or more are called rare (alarms=20).'
    """
    return f"Rows with a score of {cut:.4g} or more are called rare ({threshold})."


def find_threshold(
    model: Model,
    file: Path,
    text: str | None,
    sought: dict[str, Any],
    terminal: Terminal,
    reading: dict[str, Any],
) -> float | None:
    """Return the score from which on rows are rare, None for that of the model."""
    if text is None:
        return None
    from rarebit.models import n_alarms

    name = text.partition("=")[0]
    try:
        wanted = n_alarms(text)
    except ValueError as error:
        raise click.UsageError(str(error).rstrip(".")) from error
    if wanted is not None:
        return _score_of_rank(model, file, wanted, sought, terminal, reading)
    as_trained = set(model.chosen(**sought)) == set(model.rare_classes)
    looked_up = name in ("precision", "recall", "sensitivity", "break-even")
    if looked_up and not as_trained:
        raise click.UsageError(
            f"{name} was measured for {model.rare_class} only, the rare class of training: leave "
            "out --rare and --normal, or give alarms=N or a number"
        )
    try:
        cut = model.threshold_for(text)
    except ValueError as error:
        raise click.UsageError(str(error).rstrip(".")) from error
    if looked_up and model.is_estimate:
        n_labels = counted(model.manifest["estimate"]["labels"], "label")
        terminal.note(
            f"note: {text} is an estimate from {n_labels} that the learner chose, not a "
            "measurement: rarebit evaluate measures it on labelled rows."
        )
    return cut


def _score_of_rank(
    model: Model,
    file: Path,
    rank: int,
    sought: dict[str, Any],
    terminal: Terminal,
    reading: dict[str, Any],
) -> float:
    """Predict the file once to see which score as many rows reach."""
    import numpy as np

    from rarebit.cli._judging import Judge
    from rarebit.models import score_of_rank

    judge = Judge(model, file, terminal.without_notes(), **sought, **reading)
    judge.what = f"1 of 2: ranking {file.name}"
    return score_of_rank(np.concatenate([made.scores for _, made in judge]), rank)


def _tell_rare(
    model: Model, members: list[str], named: Any, rare_only: bool, terminal: Terminal
) -> None:
    """Say what counts as rare, where people may mean more."""
    others = [name for name in model.classes if name not in members]
    if rare_only and not named and len(others) > 1:
        # Labels that a learner asks for are balanced on purpose: it counts the rows of the pool.
        learned = model.manifest["method"] == "learned"
        why = "which seems to have the fewest rows" if learned else "the class with the fewest rows"
        terminal.note(
            f"note: only {name_list(members)} counts as rare, {why} of "
            f"{len(others) + 1}; --rare A,B or --normal A changes that."
        )
