"""``--cluster``: a command over a folder of files, on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit._text import counted, name_counts
from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    from rarebit.distributed import PooledTable
    from rarebit.projects import Project, Settings

CLUSTER = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Run on a Dask cluster: 'local' for processes of this computer, or the address of a "
    "scheduler. FILE is then a folder of Parquet, CSV or JSON-lines files, or one of them. Use "
    "clusters that you trust only.",
)


@contextmanager
def table_on_cluster(
    address: str, source: Path, settings: dict[str, Any], terminal: Terminal
) -> Iterator[PooledTable]:
    """Have the workers encode a folder of files, for the page."""
    from rarebit.distributed import open_cluster, open_pooled_table

    with open_cluster(address) as client:
        terminal.note(f"Dashboard: {client.dashboard_link}")
        with open_pooled_table(client, source, settings, progress=terminal.progress) as table:
            yield table


@contextmanager
def project_on_cluster(
    address: str, source: Path, store: str | None, settings: Settings, terminal: Terminal
) -> Iterator[Project]:
    """Open the project of a folder of files, whose rows stay with the workers."""
    from rarebit.distributed import open_cluster, open_project

    with open_cluster(address) as client:
        terminal.note(f"Dashboard: {client.dashboard_link}")
        with open_project(
            client, source, store=store, settings=settings, progress=terminal.progress
        ) as project:
            yield project


def predict_on_cluster(
    address: str,
    model: Path,
    source: Path,
    out: Path | None,
    terminal: Terminal,
    *,
    sought: dict[str, Any],
    threshold: float | None,
    trust: Sequence[str],
    reading: dict[str, Any],
    doubt: Callable[[int, int], str],
) -> None:
    """Predict all files of a folder into a folder of Parquet files."""
    from rarebit.distributed import list_files, open_cluster, predict_files

    if out is None or out.is_file() or out.suffix:
        raise click.UsageError(
            "With --cluster, --out must name a folder: a file is written for each file read",
            click.get_current_context(),
        )
    files = list_files(source)
    with open_cluster(address) as client:
        terminal.note(f"Dashboard: {client.dashboard_link}")
        with terminal.progress(f"predicting {source.name}", len(files)) as advance:
            done = predict_files(
                client, model, source, out, advance=advance, threshold=threshold,
                trusted=trust, **sought, **reading,
            )  # fmt: skip
    found = name_counts(dict(sorted(done.predicted.items())))
    terminal.note(
        f"{counted(done.n_rows, 'row')} of {counted(len(files), 'file')} predicted: {found}."
    )
    told = doubt(done.n_rows, done.n_alarms)
    notes = [*done.notes, *([told] if told else [])]
    for note in notes:
        terminal.note(f"note: {note}")
    terminal.note(f"Wrote {counted(len(done.files), 'file')} to {out}.")
    terminal.result(
        {
            "rows": done.n_rows,
            "predicted": done.predicted,
            "alarms": done.n_alarms,
            "outside_range": done.outside_range,
            "notes": notes,
            "files": [str(path) for path in done.files],
        }
    )


def evaluate_on_cluster(
    address: str,
    model: Path,
    source: Path,
    terminal: Terminal,
    *,
    sought: dict[str, Any],
    trust: Sequence[str],
    reading: dict[str, Any],
) -> None:
    """Compare decisions with the classes of all files of a folder."""
    from rarebit.cli._show_report import show_report
    from rarebit.distributed import evaluate_files, list_files, open_cluster

    files = list_files(source)
    with open_cluster(address) as client:
        terminal.note(f"Dashboard: {client.dashboard_link}")
        with terminal.progress(f"predicting {source.name}", len(files)) as advance:
            report = evaluate_files(
                client, model, source, advance=advance, trusted=trust, **sought, **reading
            )
    show_report(terminal, report, f"{counted(len(files), 'file')} of {source.name}")
    if report["rows_without_class"]:
        left = counted(report["rows_without_class"], "row without a class was",
                       "rows without a class were")  # fmt: skip
        terminal.note(f"note: {left} left out.")
    terminal.result(report)
