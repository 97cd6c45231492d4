"""The page that holds a report: its parts as plain values, and the template that shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from rarebit._extras import naming_extras
from rarebit._text import visible
from rarebit.report._svg import as_svg
from rarebit.report._theme import DARK, WIDTH, color_name


@dataclass(frozen=True)
class Cell:
    """Text of a table, and whether it is a number."""

    text: str
    number: bool


@dataclass(frozen=True)
class Grid:
    """A table; ``folded`` is what to click on where it is not shown at once."""

    caption: str
    headings: Sequence[Cell]
    lines: Sequence[Sequence[Cell]]
    folded: str = ""


@dataclass(frozen=True)
class Picture:
    """A figure, what it shows in words, and its name in the page."""

    name: str
    svg: Any
    caption: str
    wide: bool = False


@dataclass(frozen=True)
class Advice:
    """Whether to continue, and why."""

    enough: bool
    headline: str
    reasons: Sequence[str]


@dataclass
class Section:
    """One part of the page under its heading."""

    name: str
    title: str
    text: list[str] = field(default_factory=list)
    advice: Advice | None = None
    figures: list[Picture] = field(default_factory=list)
    tables: list[Grid] = field(default_factory=list)

    @property
    def beside(self) -> int:
        """How many tables stand beside the figures: one narrow one beside a single figure."""
        narrow = self.tables and len(self.tables[0].headings) <= 6 and not self.tables[0].folded
        return 1 if narrow and len(self.figures) == 1 and not self.wide else 0

    @property
    def wide(self) -> bool:
        """Whether the figures take the whole width of the page."""
        return any(figure.wide for figure in self.figures)


def make_picture(figure: Any, name: str, caption: str, alternative: str) -> Picture:
    """Turn a figure into a picture of the page; ``alternative`` is read instead of seen."""
    from markupsafe import Markup, escape

    described = f'role="img" aria-label="{escape(visible(alternative))}">'
    # The drawing is markup that matplotlib has escaped.
    drawn = visible(as_svg(figure, name), lines=True).replace('role="img">', described, 1)
    return Picture(name, Markup(drawn), caption, figure.get_figwidth() > 1.5 * WIDTH)


def make_grid(
    caption: str, headings: Sequence[str], rows: Sequence[Sequence[Any]], folded: str = ""
) -> Grid:
    """Turn values into a table: whole numbers with separators, others with three digits."""
    scores = [_is_score([row[i] for row in rows]) for i in range(len(headings))]
    lines = [
        [_cell(value, score) for value, score in zip(row, scores, strict=True)] for row in rows
    ]
    numeric = [bool(lines) and all(line[i].number for line in lines) for i in range(len(headings))]
    named = [Cell(text, number) for text, number in zip(headings, numeric, strict=True)]
    return Grid(caption, named, lines, folded)


def _is_score(column: Sequence[Any]) -> bool:
    """Whether a column holds rates between 0 and 1, which are written with as many digits each."""
    known = [value for value in column if value is not None and value == value]
    fractions = all(isinstance(value, float) and 0.0 <= value <= 1.0 for value in known)
    return bool(known) and fractions and min(v for v in [1.0, *known] if v) >= 0.001


def _cell(value: Any, score: bool = False) -> Cell:
    value = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value
    if isinstance(value, bool):
        return Cell("yes" if value else "no", number=False)
    if isinstance(value, int):
        return Cell(f"{value:,}", number=True)
    if isinstance(value, float):
        shown = f"{value:,.0f}" if abs(value) >= 1000.0 else f"{value:{'.3f' if score else '.3g'}}"
        return Cell("–" if value != value else shown, number=True)
    if value is None:
        return Cell("–", number=True)  # stands in the column of numbers, if it is one
    return Cell(str(value), number=False)


def render(
    title: str,
    summary: Sequence[str],
    facts: Sequence[tuple[str, str]],
    sections: Sequence[Section],
    made: str,
) -> str:
    """Write the page; everything but the drawings is escaped."""
    colors = [(color_name(color), color, dark) for color, dark in DARK.items()]
    page: str = _template().render(
        version=version("rarebit"),
        title=title,
        summary=summary,
        facts=facts,
        sections=sections,
        made=made,
        light=[(name, light) for name, light, _ in colors],
        dark=[(name, dark) for name, _, dark in colors],
    )
    return page


@cache
def _template() -> Any:
    with naming_extras("Reports need", "report"):
        from jinja2 import Environment

    source = files("rarebit.report").joinpath("_page.html.j2").read_text(encoding="utf-8")
    # No style but the page's own, no script, nothing from elsewhere: see the policy in its head.
    return Environment(autoescape=True, trim_blocks=False, finalize=_shown).from_string(source)


def _shown(value: Any) -> Any:
    """Return a value of the page with its control characters visible; markup is done already."""
    plain = isinstance(value, str) and not hasattr(value, "__html__")
    return visible(value, lines=True) if plain else value
