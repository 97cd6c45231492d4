"""``rarebit labels export``: labels out, without questions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit._text import counted
from rarebit.cli._command import ExampleCommand
from rarebit.cli._label_files import STORE, check_path, check_project, open_labels
from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    from rarebit.projects.stores import Event


@click.command(
    "export",
    cls=ExampleCommand,
    example="""\
rarebit labels export payments.csv --out labels.csv
rarebit labels export papers.ris --out screened.ris
rarebit labels export payments.labels.db --details --out answers.jsonl""",
)
@click.argument("place", metavar="DATA|STORE")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where they go: .csv, .tsv, .jsonl, .parquet or .xlsx; .ris or .bib of DATA in that "
    "format, every paper with its decision [default: as CSV to standard output].",
)
@click.option(
    "--details", is_flag=True, help="Every answer with annotator, reason, order, source and time."
)
@click.option("--raw", is_flag=True, help="Write text as it is, also what a spreadsheet would run.")
@STORE
def export(
    place: str,
    out: Path | None,
    details: bool,
    raw: bool,
    store: str | None,
    terminal: Terminal,
) -> None:
    """Write the labels of DATA, or of a store of labels: id and class of each row."""
    import polars as pl

    from rarebit.cli._output import check_writable
    from rarebit.cli._writing import check_ending, frame_writer

    if out is not None and out.suffix.lower() in (".ris", ".bib"):
        check_writable(out)
        _export_papers(place, store, out, terminal)
        return
    if out is not None:
        check_ending(out, "Labels")
        check_writable(out)
    id_name, events = standing_answers(place, store, terminal)
    rows = [event for event in events if details or event.what != "skip"]
    columns: dict[str, list[Any]] = {
        id_name: [event.id for event in rows],
        "label": [None if e.what == "skip" else e.label for e in rows],
    }
    if details:
        for name in ("annotator", "reason", "order", "source", "at", "note"):
            columns[name] = [getattr(event, name) for event in rows]
    n_skips = sum(event.what == "skip" for event in rows)
    kept: list[dict[str, Any]] = []
    with frame_writer(out, terminal, kept, raw=raw) as write:
        write(pl.DataFrame(columns, strict=False))
    if out is not None:
        also = f" and {counted(n_skips, 'skip')}" if n_skips else ""
        terminal.say(f"{counted(len(rows) - n_skips, 'label')}{also} written to {out}.")
    terminal.result(
        {
            "labels": len(rows) - n_skips,
            "skips": n_skips,
            "file": None if out is None else str(out),
            "rows": kept,
        }
    )


def _export_papers(place: str, store: str | None, out: Path, terminal: Terminal) -> None:
    """Write the papers of DATA back, those with a label with it."""
    from rarebit.cli._output import explained
    from rarebit.projects import export_labels, kept_decisions
    from rarebit.projects.stores import is_address

    if is_address(place):
        raise click.UsageError(f"{out.suffix} is written from the file of papers: give that")
    table, opened = open_labels(check_path(place), store, None, terminal)
    with opened, explained(out):
        labels, events = opened.labels(), opened.events()
        kept = kept_decisions(table, labels, events)
        n = export_labels(
            out, table, labels, opened.answers(), details=False, raw=True, events=events
        )
    others = "another keeps" if kept == 1 else f"{kept:,} others keep"
    has = "it has" if kept == 1 else "they have"
    also = f"; {others} the decision that {has} in {table.source}" if kept else ""
    terminal.say(f"{counted(table.n_rows, 'paper')} written to {out}, {counted(n, 'label')}{also}.")
    terminal.result({"labels": n, "kept": kept, "file": str(out), "rows": []})


def standing_answers(place: str, store: str | None, terminal: Terminal) -> tuple[str, list[Event]]:
    """Return the name of the id column and the answers that stand, ids as the data have them."""
    from rarebit.projects import with_written_ids
    from rarebit.projects.stores import default_address, is_address, read_history

    source = "" if is_address(place) else Path(place).name
    history = read_history(store or (default_address(place) if source else place), source)
    check_project(history, Path(place).name)
    if source and source not in history.data_name:  # data of another name may be other data
        open_labels(check_path(place), store, None, terminal)[1].close()
    reading, events = history.settings.get("reading", {}), history.standing()
    # Of a store alone the data may lie beside it.
    beside = Path(history.address.partition("#")[0]).parent
    file = Path(place) if source else beside / history.data_name
    return _id_name(file, reading), with_written_ids(events, file, reading)


def _id_name(data: Path, reading: Mapping[str, Any]) -> str:
    """Return what the ids of the data are called there; images of a folder are named by file."""
    return str(reading.get("id") or ("file" if data.is_dir() else "row"))
