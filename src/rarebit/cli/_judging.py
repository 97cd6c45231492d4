"""A model over the rows of a file, batch by batch: shared by ``predict`` and ``evaluate``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit._text import counted
from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    from rarebit.models import Decisions, Model
    from rarebit.tables import Table


def open_model(path: Path, file: Path, trusted: tuple[str, ...], terminal: Terminal) -> Model:
    """Load a model and tell in what it differs from the packages here."""
    from rarebit.models import Model, ModelError, load_model

    try:
        model = load_model(path, trusted=trusted)
        if not isinstance(model, Model):
            raise ModelError(
                f"{path.name} holds an estimator of your own ({type(model).__name__}), which reads "
                "features and no files: load it with rarebit.models.load_model, or give a model "
                "that rarebit fit wrote."
            )
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
        Model that decides.
    file : Path
        The rows.
    terminal : Terminal
        For the bar and the notes.
    rare, normal, threshold, probability
        As in `rarebit.models.Model.decide`.
    **reading
        Options of `rarebit.tables.scan_table`.
    """

    def __init__(
        self,
        model: Model,
        file: Path,
        terminal: Terminal,
        *,
        rare: Sequence[str] | None = None,
        normal: Sequence[str] | None = None,
        threshold: float | None = None,
        probability: bool = False,
        **reading: Any,
    ) -> None:
        from rarebit.cli._reading import open_rows
        from rarebit.tables import RangeCheck

        self.model, self.file, self.terminal = model, file, terminal
        self.what = f"predicting {file.name}"
        self._choice: dict[str, Any] = {
            "rare": rare, "normal": normal, "threshold": threshold, "probability": probability,
        }  # fmt: skip
        model.chosen(rare, normal)  # a wrong name is told before the file is read
        self.unknown: dict[str, Counter[str]] = {}
        self.ranges = RangeCheck(model.encoder)
        self.n_rows = 0
        self.missing = 0
        self._ids: list[Any] = []  # eight bytes per row, whatever the size of the file
        self.scan = open_rows(file, terminal, **model.reading, **reading)

    def tell_second(self, threshold: str | None) -> None:
        """Name the pass as the second one, where a first one found the threshold."""
        from rarebit.models import n_alarms

        if threshold is not None and n_alarms(threshold) is not None:
            self.what = f"2 of 2: {self.what}"

    def __iter__(self) -> Iterator[tuple[Table, Decisions]]:
        """Yield rows and what the model says of them."""
        from rarebit.tables import TableError

        told = len(self.scan.notes)
        with self.terminal.progress(self.what, self.scan.n_expected) as advance:
            for table in self.scan.batches():
                self._count_unknown(table)
                yield table, self.model.decide(table, **self._choice)
                self.n_rows += table.n_rows
                advance(table.n_rows)
        for note in self.scan.notes[told:]:
            self.terminal.note(f"note: {note}")
        if not self.n_rows:
            raise TableError(f"{self.file.name} has no rows: give a file with rows.")

    def _count_unknown(self, table: Table) -> None:
        for column, values in self.model.encoder.unknown_categories(table).items():
            self.unknown.setdefault(column, Counter()).update(values)
        self.ranges.add(table)
        if not table.counts_rows:
            import polars as pl

            names = pl.Series([str(name) for name in table.ids.tolist()])
            self._ids.append(names.hash().to_numpy())
            self._id_name = table.id_name

    def tell_repeated(self) -> str:
        """Say how many rows have the id of an earlier one; nothing where all differ."""
        import numpy as np

        n_more = self.n_rows - len(np.unique(np.concatenate(self._ids))) if self._ids else 0
        if not n_more:
            return ""
        have = counted(n_more, "row has", "rows have")
        return (
            f"{have} an id in {self._id_name!r} that an earlier row of {self.file.name} has: "
            "results with the same id are different rows."
        )

    def tell_unknown(self) -> None:
        """Say which values the model has never seen, and which columns lie elsewhere."""
        for column, values in self.unknown.items():
            shown = ", ".join(repr(value) for value, _ in values.most_common(3))
            more = ", …" if len(values) > 3 else ""
            self.terminal.note(
                f"note: {counted(values.total(), 'row has a value', 'rows have values')} of "
                f"{column!r} that the model has not seen ({shown}{more}); they are treated as "
                "unknown."
            )
        if told := self.ranges.sentence():
            self.terminal.note(f"note: {told}")

    def outside(self) -> dict[str, dict[str, Any]]:
        """Return the columns that lie outside the training file, for machines."""
        return self.ranges.to_json()
