"""Tables of text, for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class ResultTable:
    """A titled table with remarks under it; the first column is text, the others are figures.

    Examples
    --------
    >>> from rarebit.papers import ResultTable
    >>> table = ResultTable("Scores", ["set", "g-mean"], [["letter-A", "99.5"]], ["In percent."])
    >>> print(table.plain())
    Scores
    set       g-mean
    letter-A    99.5
    In percent.
    """

    title: str
    columns: Sequence[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)

    def plain(self) -> str:
        """As text with aligned columns."""
        lines = [list(self.columns), *self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        text = [
            "  ".join(
                cell.rjust(width) if i else cell.ljust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        return "\n".join([self.title, *text, *self.notes])

    def markdown(self) -> str:
        """As Markdown, its title in bold above it."""
        rule = [":--", *["--:"] * (len(self.columns) - 1)]
        lines = [f"| {' | '.join(line)} |" for line in [list(self.columns), rule, *self.rows]]
        return "\n\n".join([f"**{self.title}**", "\n".join(lines), *self.notes]) + "\n"
