"""Tables: printed, and written as Markdown and CSV."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Format = Callable[[Any], str]


def number(digits: int) -> Format:
    """Format with that many digits after the point."""
    return lambda value: f"{value:,.{digits}f}"


def significant(digits: int) -> Format:
    """Format with that many significant digits."""
    return lambda value: f"{value:.{digits}g}"


def seconds(value: float) -> str:
    """Format a time with three digits that count, down to a tenth of a millisecond."""
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:.{digits if value >= 0.1 else 4}f}"


def times(value: float) -> str:
    """Format a ratio of two times."""
    return f"{value:.1f}×" if value >= 9.95 else f"{value:.2f}×"


@dataclass(frozen=True)
class Column:
    """A figure and how it is shown; without a header it goes into the CSV file only."""

    key: str
    header: str | None = None
    show: Format = str


@dataclass
class Table:
    """A named table with remarks under it."""

    name: str
    title: str
    columns: Sequence[Column]
    rows: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def shown(self) -> list[Column]:
        return [column for column in self.columns if column.header is not None]

    def cells(self) -> list[list[str]]:
        """Return the text of every shown cell; a missing figure is empty."""
        return [
            ["" if row.get(c.key) is None else c.show(row[c.key]) for c in self.shown]
            for row in self.rows
        ]

    def is_text(self, column: Column) -> bool:
        return any(isinstance(row.get(column.key), str) for row in self.rows)

    def write(self, folder: Path, head: Mapping[str, str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.name}.md").write_text(self.markdown(head), encoding="utf-8")
        with (folder / f"{self.name}.csv").open("w", encoding="utf-8", newline="") as file:
            for key, value in head.items():
                file.write(f"# {key}: {value}\n")
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([column.key for column in self.columns])
            for row in self.rows:
                writer.writerow([_plain(row.get(column.key)) for column in self.columns])

    def markdown(self, head: Mapping[str, str]) -> str:
        rule = [":--" if self.is_text(column) else "--:" for column in self.shown]
        lines = [
            _markdown_row([str(column.header) for column in self.shown]),
            _markdown_row(rule),
            *(_markdown_row(cells) for cells in self.cells()),
            "",
            *(f"{note}\n" for note in self.notes),
            *(f"- {key}: {value}" for key, value in head.items()),
        ]
        return "\n".join(lines) + "\n"

    def show(self) -> None:
        """Print the table, with rich where it is installed."""
        try:
            from rich.console import Console
            from rich.table import Table as RichTable
        except ImportError:
            print(self.plain())
            return
        table = RichTable(title=self.title, title_justify="left")
        for column in self.shown:
            table.add_column(
                str(column.header), justify="left" if self.is_text(column) else "right"
            )
        for cells in self.cells():
            table.add_row(*cells)
        # A pipe or a file has no width; a table must not be cut to the usual 80 there.
        width = max(shutil.get_terminal_size((160, 24)).columns, 80)
        console = Console(width=width)
        console.print(table)
        for note in self.notes:
            console.print(note, markup=False)

    def plain(self) -> str:
        lines = [[str(column.header) for column in self.shown], *self.cells()]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.shown))]
        text = [
            "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
            for line in lines
        ]
        return "\n".join([self.title, *text, *self.notes])


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(value: Any) -> Any:
    return f"{value:.9g}" if isinstance(value, float) else value
