"""A model over the rows of a file, batch by batch: shared by ``predict`` and ``evaluate``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    from rarebit.models import Model
    from rarebit.tables import Table


def open_model(path: Path, file: Path, trusted: tuple[str, ...], terminal: Terminal) -> Model:
    """Load a model and tell in what it differs from the packages here."""
    from rarebit.models import ModelError, load_model

    try:
        model = load_model(path, trusted=trusted)
    except ModelError:
        if file.suffix == ".rarebit" and path.suffix != ".rarebit":
            raise click.UsageError(
                f"The model comes first, then the file: give {file} before {path}",
                click.get_current_context(),
            ) from None
        raise
    for warning in model.warnings:
        terminal.note(f"note: {warning}")
    return model


class Judge:
    """Reads a file as the model needs it and judges its rows.

    Parameters
    ----------
    model : Model
        Who judges.
    file : Path
        The rows.
    terminal : Terminal
        For the bar and the notes.
    **reading
        Options of `rarebit.tables.scan_table`.
    """

    def __init__(self, model: Model, file: Path, terminal: Terminal, **reading: Any) -> None:
        from rarebit.cli._reading import open_rows

        manifest = model.manifest
        self.model, self.file, self.terminal = model, file, terminal
        self.unknown: dict[str, Counter[str]] = {}
        self.n_rows = 0
        self.missing = 0
        self.scan = open_rows(
            file,
            terminal,
            schema=model.encoder.schema_,
            text=manifest["text"],
            usual_id=manifest["id"],
            image_size=manifest.get("image_size", 32),
            # Columns that are known and not missed need no note.
            drop=[*manifest["dropped"], *filter(None, (manifest["target"], manifest["id"]))],
            **reading,
        )

    def __iter__(self) -> Iterator[tuple[Table, Any, Any]]:
        """Yield rows, their classes and their scores."""
        from rarebit.tables import TableError

        what = f"judging {self.file.name}"
        with self.terminal.progress(what, self.scan.n_expected) as advance:
            for table in self.scan.batches():
                self._count_unknown(table)
                yield table, *self.model.judge(table)
                self.n_rows += table.n_rows
                advance(table.n_rows)
        if not self.n_rows:
            raise TableError(f"{self.file.name} has no rows: give a file with rows.")

    def _count_unknown(self, table: Table) -> None:
        for column, values in self.model.encoder.unknown_categories(table).items():
            self.unknown.setdefault(column, Counter()).update(values)

    def tell_unknown(self) -> None:
        """Say which values the model has never seen."""
        for column, values in self.unknown.items():
            shown = ", ".join(repr(value) for value, _ in values.most_common(3))
            more = ", …" if len(values) > 3 else ""
            self.terminal.note(
                f"note: {values.total():,} rows have values of {column!r} that the model has not "
                f"seen ({shown}{more}); they count as none of the known ones."
            )
