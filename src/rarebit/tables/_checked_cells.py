"""Cells that do not fit the form of their column: words for missing ones, and all others."""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from rarebit.tables._column_choice import ColumnChoice
from rarebit.tables._forms import Form
from rarebit.tables._frame_errors import OtherFormError, UnparsableCellError, short
from rarebit.tables._missing import is_absent, tell_absent
from rarebit.tables._understanding import form_expressions, plain_expressions

_STRANGE = "\0strange "
# A number with a decimal comma beyond doubt: three digits after it may be thousands.
_COMMA = re.compile(r"[+-]?\d*,(\d{1,2}|\d{4,})")


@dataclass(eq=False)
class CheckedCells(ColumnChoice):
    """A file whose cells are compared with the forms of its columns; as `ColumnChoice`."""

    def __post_init__(self) -> None:
        # Cells that a person's word on a column left out: how many, and one of them.
        self._passed_over: dict[str, tuple[int, str]] = {}
        self._n_fitting: dict[str, int] = {}  # cells of such columns that were read
        self._absent: dict[str, Counter[str]] = {}  # words for missing cells, by column
        # Columns of plain numbers that turned out to have such words, or another decimal mark than
        # the file, and their decimal marks.
        self._worded: dict[str, str | None] = {}
        self._ends_early = False  # whether a line lacks its last cell
        super().__post_init__()

    def _forget_cells(self) -> None:
        """Begin to count anew."""
        self._passed_over.clear()
        self._n_fitting.clear()
        self._absent.clear()
        self._ends_early = False

    def _tell_short_lines(self) -> None:
        """Say which lines end before the last column."""
        count, first = (0, []) if self.find_short is None else self.find_short()
        if not count:
            return
        lines = ", ".join(f"{number:,}" for number in first) + (", …" if count > len(first) else "")
        said = (
            f"{'A line' if count == 1 else f'{count:,} lines'} of {self.path.name} "
            f"{'ends' if count == 1 else 'end'} before the last column, and what is missing counts "
            f"as empty: {'line' if count == 1 else 'lines'} {lines}."
        )
        self._tell(said)

    def _tell(self, said: str) -> None:
        """Note a sentence once, however many batches say it."""
        if said not in self.notes:
            self.notes.append(said)

    def _judge_passed_over(self) -> None:
        """Refuse a file that contradicts its model, or remember how many cells did not fit."""
        for name, (count, cell) in self._passed_over.items():
            form, n_cells = self.forms[name], count + self._n_fitting[name]
            if form.given:
                # Rounded up, so that a single cell of millions is not forgotten.
                share = min(math.ceil(1e6 * count / n_cells) / 1e6, 1.0)
                self.forms[name] = replace(form, passed=share)
            elif form.contradicted(count, n_cells):
                raise self._other_form(
                    name, cell, f"{count:,} of {n_cells:,} are not, such as {short(cell)!r}"
                )

    def _tell_passed_over(self) -> None:
        """Say which cells a person's word on their column left out."""
        for name, (count, cell) in self._passed_over.items():
            form = replace(self.forms[name], given=False, doubt="")
            likely = _likely_kind(form, cell)
            read_as = form.sentence()
            if form.role == "number" and form.decimal == "." and "," in cell:
                read_as += ", decimal point"  # goes without saying, but for such a cell
            hint = ""
            if form.kind == "date" and likely != "date":
                hint = f"; --as {shlex.quote(f'{short(name)}={likely}')} reads such cells"
            said = (
                f"{short(name)}: {count:,} {'cell' if count == 1 else 'cells'} such as "
                f"{short(cell)!r} cannot be read as {read_as} and "
                f"{'counts' if count == 1 else 'count'} as missing{hint}."
            )
            self._tell(said)

    def _tell_absent(self) -> None:
        """Say which words count as missing cells, and let the forms of their columns say it."""
        for name, words in self._absent.items():
            if name in self.forms:
                absent = tuple(words.most_common())
                self.forms[name] = replace(self.forms[name], absent=absent)
        found = {name: dict(words.most_common()) for name, words in self._absent.items()}
        for said in tell_absent(found):
            self._tell(said)

    def _formed(self, dtypes: Mapping[str, Any]) -> tuple[list[pl.Expr], dict[str, str]]:
        """Return columns that are read by their forms, and where their strange cells are."""
        wanted, strange = [], {}
        found = {
            name: form_expressions(name, dtypes[name], self.forms[name]) for name in self.forms
        }
        for name, decimal in self._worded.items():
            found[name] = found.get(name) or plain_expressions(name, decimal)
        for name, each in found.items():
            if each is not None:
                strange[name] = _STRANGE + name
                wanted += [each[0], each[1].alias(strange[name])]
        return wanted, strange

    def _takes_word(self, error: UnparsableCellError) -> bool:
        """Return whether a file to predict is to be read on, with a column of numbers as text.

        A number may have blanks around it; a word among numbers may stand for a missing cell; and
        where the columns of a file differ in their decimal marks, the one that does not fit the
        model must be blamed, not this one.
        """
        name, bare = error.column, error.cell.strip()
        comma = not self.typed and self.mark != "," and bool(_COMMA.fullmatch(bare))
        padded = bool(self._padded_numbers(pl.Series([error.cell])).item())
        if (
            self.options.schema is None
            or isinstance(error, OtherFormError)
            or self.roles.get(name) != "number"
            or name in self._worded
            or not (comma or padded or is_absent(pl.Series([error.cell])).item())
        ):
            return False
        # A file that is padded is so in many columns: one pass for each would take long.
        names = {name, *(self._padded_columns() if padded else ())}
        mark = None if self.typed else self.mark
        self._worded |= dict.fromkeys(names, mark) | {name: "," if comma else mark}
        self._forced |= dict.fromkeys(names, pl.String)
        return True

    def _padded_numbers(self, cells: pl.Series) -> pl.Series:
        """Return which cells are plain numbers with blanks around them."""
        bare = cells.str.strip_chars()
        commas = self.mark == "," and not self.typed
        digits = bare.str.replace(",", ".", literal=True) if commas else bare
        return (cells != bare) & digits.cast(pl.Float64, strict=False).is_not_null()

    def _padded_columns(self) -> list[str]:
        """Return columns of numbers that came as strings, and whose first rows show padding."""
        strings = [
            name
            for name, role in self.roles.items()
            if role == "number"
            and self.dtypes[name] == pl.String
            and name not in self.forms
            and name not in self._worded
        ]
        seen = self._cells(strings) if strings else {}
        # A mark that is not that of the file must be seen to be told.
        other = "." if self.mark == "," else ","
        return [
            name
            for name, cells in seen.items()
            if self._padded_numbers(cells).any()
            and not cells.str.contains(other, literal=True).any()
        ]

    def _check_cells(self, frame: pl.DataFrame, strange: Mapping[str, str]) -> None:
        """Refuse cells that do not fit the form of their column, or count them."""
        refused: dict[str, str] = {}  # a cell of each column that must be refused
        for name, alias in strange.items():
            cells, form = frame[alias].drop_nulls(), self.forms.get(name)
            lenient = form is not None and (form.given or form.passed > 0.0)
            if lenient:
                fitting = frame.height - frame[name].null_count()
                self._n_fitting[name] = self._n_fitting.get(name, 0) + fitting
            elif len(cells):
                cells = self._without_absent(name, cells)
            if not len(cells):
                continue
            cell = str(cells[0])
            if lenient:
                before = self._passed_over.get(name, (0, cell))
                self._passed_over[name] = (before[0] + len(cells), before[1])
                continue
            refused[name] = cell
        if refused:
            # All at once, so that a person need not correct one column per run.
            (name, cell), *others = refused.items()
            found = f"one is {short(cell)!r}"
            if others:
                listed = ", ".join(f"{short(each)!r} ({short(one)!r})" for each, one in others)
                found += f"; {listed} {'does' if len(others) == 1 else 'do'} not fit either"
            raise self._other_form(name, cell, found)

    def _without_absent(self, name: str, cells: pl.Series) -> pl.Series:
        """Count words for missing cells, and return the other cells."""
        absent = is_absent(cells)
        words = cells.filter(absent).str.strip_chars().to_list()
        if words:
            self._absent.setdefault(name, Counter()).update(words)
        return cells.filter(~absent)

    def _other_form(self, name: str, cell: str, found: str) -> OtherFormError:
        form = self.forms[name]
        return OtherFormError(
            f"Column {short(name)!r} of {self.path.name} must hold cells of the form "
            f"'{form.sentence()}', as the model was trained, and {found}",
            name,
            cell,
            _likely_kind(form, cell),
        )


def _likely_kind(form: Form, cell: str) -> str:
    """Return what a column is that holds a cell which does not fit its form."""
    if form.kind != "date":
        return "number"
    first, second = ([int(each) for each in re.findall(r"\d+", cell[:40])] + [0, 0])[:2]
    if form.pattern.startswith("%d") and first <= 12 < second <= 31:
        return "month-first"
    if form.pattern.startswith("%m") and second <= 12 < first <= 31:
        return "day-first"
    return "date"
