"""``rarebit compare``: every classifier and every rival on a labelled file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rarebit.cli._command import ExampleCommand
from rarebit.cli._fit import tell_leaks
from rarebit.cli._rare import check_exclusive, rare_options
from rarebit.cli._reading import FILE, read_labelled, reading_options
from rarebit.cli._reporting import REPORT, write_report
from rarebit.cli._terminal import Terminal


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
    help="Compare on N rows of a longer file: all of the rare class (half of N at most), the "
    "others drawn.",
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
    if report_file is not None:
        check_writable(report_file)
    check_exclusive(rare, normal)
    table, y, rare_class = labelled_rows(read_labelled(file, terminal, **reading), rare, normal)
    n_rows = table.n_rows
    if n_rows > rows:
        kept = sample_keeping_rare(y, rare_class, rows, seed)
        table, y = table.take(kept), y[kept]
        n_rare = int(np.sum(y == rare_class))
        terminal.note(
            f"note: {rows:,} of {n_rows:,} rows were drawn, with {n_rare:,} of {rare_class}; "
            "--rows changes that."
        )
    leaks = find_leaks(table)
    encoder = TableEncoder(random_state=seed)
    X = encoder.fit_transform(table)
    with terminal.progress("comparing", _count_folds(methods, folds)) as advance:
        found = compare_methods(
            X, y, methods or None, folds, random_state=seed, n_jobs=jobs, advance=advance
        )
    if out is not None:
        _write(found, out)
    if report_file is not None:
        from rarebit.report import Report

        title = f"Methods on {file.name}"
        page = Report(title, facts={"rows": len(y), "rare rows": int(np.sum(y == rare_class))})
        write_report(page.add_comparison(found), report_file)
    shown = ["g_mean", "sensitivity", "specificity", "prbep", "auc", "fit_seconds"]
    headings = ["method", "g-mean", "sensitivity", "specificity", "PRBEP", "AUC", "fit, s", "rank"]
    terminal.table(
        headings,
        [
            [name, *(f"{row[key]:.3f}" for key in shown), f"{row['rank']:.1f}"]
            for name, row in zip(found.marked(), found.rows(), strict=True)
        ],
    )
    tell_leaks(leaks, encoder.schema_, terminal)
    for failure in found.failure_notes():
        terminal.note(f"note: {failure}")
    terminal.result(
        {
            "rows": len(y),
            "rare_class": str(found.minority_class),
            "methods": found.rows(),
            "failures": found.failures,
            "file": None if out is None else str(out),
            "report": None if report_file is None else str(report_file),
        }
    )


_PICTURES = (".png", ".svg", ".pdf")
_ENDINGS = (".md", ".csv", *_PICTURES)


def _count_folds(methods: tuple[str, ...], folds: int | None) -> int:
    from rarebit.comparison import default_methods

    return len(methods or default_methods()) * (10 if folds is None else folds)


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
            partial.write_text(found.markdown(), encoding="utf-8")
