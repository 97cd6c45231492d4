"""``rarebit compare``: every classifier and every rival on a labelled file."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit._text import name_list, rough_percent
from rarebit.cli._command import ExampleCommand
from rarebit.cli._fit import tell_classes, tell_leaks
from rarebit.cli._rare import check_exclusive, rare_options
from rarebit.cli._reading import FILE, read_labelled, reading_options
from rarebit.cli._reporting import REPORT, check_page, write_report
from rarebit.cli._terminal import Terminal
from rarebit.exceptions import InputError

if TYPE_CHECKING:
    from rarebit.tables import TableEncoder


@click.command(
    cls=ExampleCommand,
    example="""\
rarebit compare payments.csv --target fraud
rarebit compare payments.csv --target fraud -m BaggedSVC -m SMOTE --folds 3 --out table.md""",
)
@FILE
@reading_options()
@click.option(
    "-m", "--method", "methods", multiple=True, metavar="NAME",
    help="A method to compare, repeatable (all); a wrong name lists them.",
)  # fmt: skip
@rare_options()
@click.option("--folds", type=int, metavar="N", help="Folds (5, twice).")
@click.option(
    "--rows",
    type=click.IntRange(10),
    default=5000,
    show_default=True,
    metavar="N",
    help="Compare on N rows of a longer file: all of the rare class (half of N at most) and of "
    "other small classes, the others drawn.",
)
@click.option(
    "--jobs", type=int, default=1, show_default=True, metavar="N", help="Folds at a time."
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Random seed.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE",
    help="Also write the table (.md, .csv) or a picture of the folds (.png, .svg, .pdf).",
)
@REPORT
def compare(
    file: Path,
    reading: dict[str, Any],
    methods: tuple[str, ...],
    rare: tuple[str, ...] | None,
    normal: tuple[str, ...] | None,
    folds: int | None,
    rows: int,
    jobs: int,
    seed: int,
    out: Path | None,
    report_file: Path | None,
    terminal: Terminal,
) -> None:
    """Measure classifiers and rivals on the labelled rows of FILE, all on the same folds.

    Sorted by g-mean, the root of the shares of each class that are recognised; methods that failed
    come last. PRBEP is the precision at the score where it equals the recall, AUC the area under
    the ROC curve. Times are comparable with one job only.
    """
    import numpy as np

    from rarebit.cli._output import check_writable
    from rarebit.comparison import compare as compare_methods
    from rarebit.comparison import sample_keeping_rare
    from rarebit.models import labelled_rows
    from rarebit.tables import TableEncoder, find_leaks

    if out is not None:
        if out.suffix.lower() not in _ENDINGS:
            raise click.UsageError(
                f"A comparison can be written to {', '.join(_ENDINGS)}, got {out.name!r}",
                click.get_current_context(),
            )
        check_writable(out)
    check_page(report_file)
    check_exclusive(rare, normal)
    whole = read_labelled(file, terminal, **reading)
    classes_told = tell_classes(whole, rare or normal, terminal)
    table, y, rare_class = labelled_rows(whole, rare, normal)
    n_rows, drawn = table.n_rows, ""
    if n_rows > rows:
        of_file = y
        kept = sample_keeping_rare(y, rare_class, rows, seed)
        table, y = table.take(kept), y[kept]
        drawn = _tell_sample(Counter(y.tolist()), Counter(of_file.tolist()), rare_class)
        terminal.note(f"note: {drawn} --rows changes that.")
    leaks = find_leaks(table)
    encoder = TableEncoder(random_state=seed)
    X = encoder.fit_transform(table)
    left_out = _check_dense(methods, encoder, file.name) if encoder.sparse_ else ""
    if left_out:
        terminal.note(f"note: {left_out[:1].lower()}{left_out[1:]}")
    notes = [said for said in (drawn, left_out, *classes_told) if said]
    n_steps = _count_folds(methods, folds, encoder.sparse_)
    with terminal.progress("comparing", n_steps) as advance:
        found = compare_methods(
            X, y, methods or None, folds,
            pos_label=rare_class, random_state=seed, n_jobs=jobs, advance=advance,
        )  # fmt: skip
    if out is not None:
        _write(found, out)
    if report_file is not None:
        from rarebit.report import Report

        title = f"Methods on {file.name}"
        page = Report(title, facts={"rows": len(y), "rare rows": int(np.sum(y == rare_class))})
        write_report(page.add_comparison(found, note=" ".join(notes)), report_file)
    shown = ["g_mean", "sensitivity", "specificity", "prbep", "auc", "fit_seconds"]
    headings = ["method", "g-mean", "sensitivity", "specificity", "PRBEP", "AUC", "fit, s", "rank"]
    terminal.table(
        headings,
        [
            [name, *(f"{row[key]:.3f}" for key in shown), f"{row['rank']:.1f}"]
            for name, row in zip(found.marked(), found.rows(), strict=True)
        ],
    )
    terminal.say(found.rare_note())
    tell_leaks(leaks, encoder.schema_, terminal)
    for failure in found.failure_notes():
        terminal.note(f"note: {failure}")
    terminal.result(
        {
            "rows": len(y),
            "rows_of_file": n_rows,
            "notes": notes,
            "rare_class": str(found.minority_class),
            "methods": found.rows(),
            "failures": found.failures,
            "file": None if out is None else str(out),
            "report": None if report_file is None else str(report_file),
        }
    )


_PICTURES = (".png", ".svg", ".pdf")
_ENDINGS = (".md", ".csv", *_PICTURES)


def _tell_sample(drawn: Counter[str], of_file: Counter[str], rare: str) -> str:
    """Say how the rows that are compared differ from those of the file, and what that changes."""
    n_drawn, n_rows = drawn.total(), of_file.total()
    said = f"{n_drawn:,} of {n_rows:,} rows were drawn, with {drawn[rare]:,} of {rare}"
    share, own = drawn[rare] / n_drawn, of_file[rare] / n_rows
    if rough_percent(share) != rough_percent(own):
        than = "lower" if share > own else "higher"
        said += (
            f", which are {rough_percent(share)} of these rows and {rough_percent(own)} of the "
            f"file: PRBEP, a precision, is that of the rows drawn, and {than} on the whole file"
        )
    more = [
        f"{name!r} ({drawn[name]:,} of {n:,})"
        for name, n in sorted(of_file.items(), key=lambda each: (each[1], each[0]))
        if name != rare and drawn[name] > n / n_rows * n_drawn + 1
    ]
    if not more:
        return f"{said}."
    return (
        f"{said}. Of other small classes more than their share was drawn, too: "
        f"{', '.join(more[:5])}{', …' if len(more) > 5 else ''}."
    )


def _check_dense(methods: tuple[str, ...], encoder: TableEncoder, source: str) -> str:
    """Refuse methods that cannot learn from words, and name the column that makes the words.

    Where no method is named, return a sentence on those that are left out.
    """
    from rarebit.comparison import default_methods

    able = default_methods(sparse=True)
    dense = [name for name in default_methods() if name not in able]
    asked = [name for name in methods or dense if name in dense]
    if not asked:
        return ""
    texts = dict.fromkeys(name for name, word in encoder.feature_sources() if word is not None)
    columns = "columns" if len(texts) > 1 else "column"
    named = " and ".join(map(repr, texts))
    why = f"has the text {columns} {named}" if texts else "has many categories"
    drop = " ".join(f"--drop {shlex.quote(name)}" for name in texts) or "--drop COLUMN"
    if methods:
        raise InputError(
            f"The method {asked[0]!r} needs dense features, and {source} {why}: leave out the "
            f"method, or the {columns} ({drop})."
        )
    need, them = ("needs", "it") if len(asked) == 1 else ("need", "them")
    return (
        f"Left out: {name_list(asked)}, which {need} dense features, and {source} {why}, "
        f"which makes them sparse: leave out the {columns} ({drop}) to "
        f"compare {them} too."
    )


def _count_folds(methods: tuple[str, ...], folds: int | None, sparse: bool) -> int:
    from rarebit.comparison import default_methods

    return len(methods or default_methods(sparse=sparse)) * (10 if folds is None else folds)


def _write(found: Any, path: Path) -> None:
    from rarebit.cli._output import written_whole

    with written_whole(path) as partial:
        ending = path.suffix.lower()
        if ending in _PICTURES:
            found.plot(partial)
        elif ending == ".csv":
            import polars as pl

            pl.DataFrame(found.rows()).write_csv(partial)
        else:
            partial.write_text(f"{found.markdown()}\n{found.rare_note()}\n", encoding="utf-8")
