"""``rarebit predict``: a model over a file."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit.cli._command import ExampleCommand
from rarebit.cli._reading import FILE, check_there, reading_options
from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    import polars as pl

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
_ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet")


@click.command(
    cls=ExampleCommand,
    example="""\
rarebit predict fraud.rarebit new.csv --id payment --out judged.csv
rarebit predict fraud.rarebit new.parquet --rare-only > alarms.csv""",
)
@MODEL
@FILE
@reading_options(columns=False, target=False)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE",
    help="Where predictions go (.csv, .tsv, .jsonl, .parquet); standard output without.",
)
@click.option("--rare-only", is_flag=True, help="Write the rows of the rare class only.")
@TRUST
def predict(
    model: Path,
    file: Path,
    reading: dict[str, Any],
    out: Path | None,
    rare_only: bool,
    trust: tuple[str, ...],
    terminal: Terminal,
) -> None:
    """Judge the rows of FILE with MODEL: the id, the class and the score of each.

    The score is higher the more a row looks like the rare class. FILE must have the columns that
    the model was trained on, in any order; it is read piece by piece and may be of any size. The id
    column of the training file is taken where FILE has it.
    """
    import polars as pl

    from rarebit.cli._judging import Judge, open_model
    from rarebit.cli._output import check_writable

    if out is not None and out.suffix.lower() not in _ENDINGS and not _is_device(out):
        raise click.UsageError(
            f"Predictions can be written to {', '.join(_ENDINGS)}, got {out.name!r}",
            click.get_current_context(),
        )
    if out is not None:
        check_writable(out)
    loaded = open_model(model, file, trust, terminal)
    judge = Judge(loaded, file, terminal, **reading)
    counts: Counter[str] = Counter()
    kept: list[dict[str, Any]] = []
    with _writer(out, terminal, kept) as write:
        for table, classes, scores in judge:
            counts.update(classes.tolist())
            frame = pl.DataFrame(
                {table.id_name: table.ids.tolist(), "predicted": classes, "score": scores}
            )
            if rare_only:
                frame = frame.filter(pl.col("predicted") == loaded.rare_class)
            write(frame)
    judge.tell_unknown()
    found = ", ".join(f"{label} {n:,}" for label, n in counts.most_common())
    terminal.note(f"{judge.n_rows:,} rows judged: {found}.")
    result: dict[str, Any] = {
        "rows": judge.n_rows,
        "predicted": dict(counts),
        "rare_class": loaded.rare_class,
        "unknown_categories": {name: dict(values) for name, values in judge.unknown.items()},
        "notes": judge.scan.notes,
        "file": None if out is None else str(out),
    }
    if out is None:
        result["predictions"] = kept
    terminal.result(result)


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def _writer(
    out: Path | None, terminal: Terminal, kept: list[dict[str, Any]]
) -> Iterator[Callable[[pl.DataFrame], None]]:
    """Yield what takes frames: a file, standard output, or a list for JSON."""
    from rarebit.cli._output import written_whole

    if out is None:
        if terminal.as_json:
            yield lambda frame: kept.extend(frame.to_dicts())
        else:
            yield _text_writer(sys.stdout.buffer, ".csv")
            sys.stdout.buffer.flush()
        return
    with written_whole(out) as partial:
        if out.suffix.lower() == ".parquet":
            with _parquet_writer(partial) as write:
                yield write
        else:
            with partial.open("wb") as stream:
                yield _text_writer(stream, out.suffix.lower())


def _text_writer(stream: Any, ending: str) -> Callable[[pl.DataFrame], None]:
    first = True

    def write(frame: pl.DataFrame) -> None:
        nonlocal first
        if ending == ".jsonl":
            text = frame.write_ndjson()
        else:
            text = frame.write_csv(
                include_header=first, separator="\t" if ending == ".tsv" else ","
            )
        # A pipe that was closed and a full disk show here and not inside polars.
        stream.write(text.encode())
        first = False

    return write


@contextmanager
def _parquet_writer(path: Path) -> Iterator[Callable[[pl.DataFrame], None]]:
    import pyarrow.parquet as pq

    writer: Any = None

    def write(frame: pl.DataFrame) -> None:
        nonlocal writer
        rows = frame.to_arrow()
        if writer is None:
            writer = pq.ParquetWriter(path, rows.schema)
        writer.write_table(rows.cast(writer.schema))

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()
