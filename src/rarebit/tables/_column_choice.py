"""What the columns of a frame are: their roles, their forms, and the types to read them in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from rarebit._text import counted
from rarebit.tables._embedding import embed_column, load_embedder
from rarebit.tables._errors import TableError
from rarebit.tables._forms import Form, check_wish
from rarebit.tables._frame_errors import short, translated_errors
from rarebit.tables._missing import without_stand_ins
from rarebit.tables._moments import may_be_moment
from rarebit.tables._options import Options
from rarebit.tables._puzzles import find_puzzle
from rarebit.tables._roles import (
    Role,
    check_names,
    check_schema,
    check_types,
    check_wishes,
    role_of,
)
from rarebit.tables._spans import check_spans, with_type
from rarebit.tables._understanding import (
    check_form,
    form_of_thousands,
    locale_of,
    padded_columns,
    sample_rows,
    understand_codes,
    understand_columns,
    understood,
    wants_cells,
)
from rarebit.tables._wide import JOINED, join_texts, spread_vectors, text_columns
from rarebit.tables._written import WrittenCells
from rarebit.tables._zones import fit_zones, tell_offsets

# Columns whose understanding is told; `rarebit look` shows all.
_TOLD = 8
# Guesses that are told in full: a person must see each, unless hundreds bury the others.
_DOUBTS_TOLD = 40
_MOST_CODES = 5000  # columns that are looked at for codes


@dataclass(eq=False)
class ColumnChoice:
    """A file whose rows come as frames, and what its columns are.

    Parameters
    ----------
    path : Path
        The file.
    options : Options
        How to read it.
    open_frame : function of dict
        Returns the lazy frame, some columns (by name) in a type of ours.
    notes : list of str
        What was guessed so far.
    n_expected : int
        About how many rows there are.
    whole_rows : bool
        Whether all cells of a row are parsed, needed or not: only then does polars notice a line
        with too many of them.
    find_line : function or None
        Returns the number of the first line with too many cells, or that is no JSON; of a text file
        with ``quote=True`` that of the line where a quote opens that is not closed.
    typed : bool
        Whether the file itself knows the types of its columns.
    """

    path: Path
    options: Options
    open_frame: Callable[[dict[str, Any]], pl.LazyFrame]
    notes: list[str] = field(default_factory=list)
    n_expected: int = 0
    whole_rows: bool = False
    find_line: Callable[..., int | None] | None = None
    typed: bool = True
    # Lines that end too early, which polars fills without a word: how many, and the first of them.
    find_short: Callable[[], tuple[int, list[int]]] | None = None
    # Text of a row as the file has it, where rows are records of their own.
    raw: Callable[[int], str] | None = None
    # Columns that can be named, where the file has more than are read.
    fields: tuple[str, ...] = ()
    # The cells as they are written; None where the frame has them.
    written: WrittenCells | None = None
    # Decimal mark that cells show beyond doubt, also where their columns are numbers by now.
    mark: str | None = None

    def __post_init__(self) -> None:
        given, schema = self.options, self.options.schema
        if self.written is None:
            self.written = WrittenCells(_opened(self.open_frame), self.typed)
        self._forced: dict[str, Any] = {}
        self._puzzles: list[str] = []  # on columns that are nearly of another kind
        self.embedded: tuple[str | None, str] | None = None
        if self.typed:  # text files are read so from the start
            self.open_frame = without_stand_ins(self.open_frame)
        with translated_errors(self.path, self.find_line):
            self.open_frame = spread_vectors(self.open_frame, self.path.name)
            types = dict(self.open_frame({}).collect_schema())
            names = list(types)
            texts = text_columns(self.options.text, names)
            if schema is not None and (len(texts) > 1 or self.options.embed is not None):
                self._check_texts(texts, schema, types)
            self.open_frame, text = join_texts(
                self.open_frame, self.options.text, names, self.path.name
            )
            self.options = replace(self.options, text=text)
            if self.options.embed is not None:
                self._embed(text, names)
            # A schema of very many columns takes long to collect.
            same = text is None and self.options.embed is None
            self.dtypes = types if same else dict(self.open_frame({}).collect_schema())
        if self.options.id is None and self.options.usual_id in self.dtypes:
            self.options = replace(self.options, id=self.options.usual_id)
        self._check_columns()
        self.roles: dict[str, Role] = {}
        self.left_out: dict[str, str] = {}  # columns that become no features, and why
        self.forms: dict[str, Form] = {}
        if schema is None:
            self._choose_roles()
            self._tell_forms()
        else:
            apart = self._apart()
            check_schema(schema, self.dtypes, self.path.name, apart)
            self.roles = dict(schema)
            self._take_forms(schema)
            check_types(
                {n: role for n, role in schema.items() if _unwritten(self.forms.get(n))},
                self.dtypes,
                self.path.name,
            )
            known = {*schema, *apart}
            extra = [name for name in self.dtypes if name not in known]
            if self.options.keep_rest:
                rest = [name for name in self.dtypes if name not in {*schema, self.options.id}]
                self.options = replace(self.options, aside=tuple(rest))
            elif extra:
                self.notes.append(
                    f"Columns of {self.path.name} that are not needed are left out: "
                    f"{_listed(extra)}."
                )
        said = [n for n in given.aside if given.columns.get(n, "drop") != "drop"]
        self.forms |= self._understand([name for name in said if name not in self.roles])
        self._force_types()

    def _apart(self) -> tuple[str | None, ...]:
        """Columns that are no features, and are named."""
        given = self.options
        return (given.target, given.id, *given.drop, *given.aside)

    def _check_texts(
        self, texts: list[str], schema: Mapping[str, Role], types: Mapping[str, Any]
    ) -> None:
        """Refuse a file without the columns of a text, of which the schema has what is made."""
        wanted: dict[str, Role] = dict.fromkeys(texts, "text")
        if self.options.embed is None:  # vectors are no columns of the file
            joined = JOINED.join(texts)
            wanted |= {name: role for name, role in schema.items() if name != joined}
        check_schema(wanted, types, self.path.name, (*schema, *self._apart()))

    def _embed(self, text: str | None, names: list[str]) -> None:
        """Put vectors of the text in its place; people still see it."""
        given = self.options
        assert given.embed is not None
        load_embedder(given.embed, "texts")
        if text is None:
            raise TableError(
                f"Which column of {self.path.name} is the text that {given.embed} reads? Give it "
                "as the text."
            )
        check_names([text], list(self.open_frame({}).collect_schema()), self.path.name, "text")
        self.open_frame = embed_column(self.open_frame, text, given.embed)
        self.embedded = (text, given.embed)
        self.options = replace(given, text=None, aside=tuple(dict.fromkeys((*given.aside, text))))

    def _check_columns(self) -> None:
        given, names, source = self.options, list(self.dtypes), self.path.name
        for what, name in (("", given.target), ("id", given.id)):
            if name is not None:
                check_names([name], names, source, what)
        check_names(given.aside, names, source, "shown or grouping")
        check_names(given.columns, names, source)
        for name, wish in given.columns.items():
            check_wish(name, wish)
        if given.schema is None:
            check_names([given.text] if isinstance(given.text, str) else [], names, source, "text")
            check_names(given.drop, names, source, "dropped")
            check_names(given.categorical, names, source, "categorical")

    def _choose_roles(self) -> None:
        given = self.options
        apart = {given.target, given.id, *given.drop, *given.aside}
        apart |= {name for name, wish in given.columns.items() if wish == "drop"}
        left = [name for name in self.dtypes if name not in apart]
        words = {given.text, *given.categorical}
        self.forms = self._understand([name for name in left if name not in words])
        for name in left:
            dtype = self.dtypes[name]
            form = self.forms.get(name) if name in words else with_type(dtype, self.forms.get(name))
            if form is not None:
                self.forms[name] = form
            role = "text" if name in words else role_of(dtype) if form is None else form.role
            if role is None:
                self.left_out[name] = f"cells of the type {dtype}"
            else:
                self.roles[name] = role
        if self.left_out:
            lost = [f"{name} ({self.dtypes[name]})" for name in self.left_out]
            self.notes.append(f"Columns that cannot become features are left out: {_listed(lost)}.")
        if not self.roles:
            raise TableError(
                f"{self.path.name} has no column left to learn from: give a file with at least one "
                "column beside the target and the id."
            )

    def _understand(self, names: list[str], *, whole: bool = False) -> dict[str, Form]:
        """Look at the first rows, or at the different cells of all rows."""
        wishes = {name: wish for name, wish in self.options.columns.items() if name in names}
        looked_at = [
            name
            for name in names
            if name in wishes
            or self.dtypes[name] == pl.String
            or (self.dtypes[name].is_integer() and may_be_moment(name))
        ]
        found = {} if whole else self._codes([name for name in names if name not in wishes])
        looked_at = [name for name in looked_at if name not in found]
        if looked_at:
            found |= self._understood(looked_at, wishes, whole=whole)
        if whole:
            return found
        return found | self._thousands([name for name in names if name not in wishes], found)

    def _understood(
        self, looked_at: list[str], wishes: Mapping[str, str], *, whole: bool
    ) -> dict[str, Form]:
        counts = self._counted_cells(looked_at) if whole else {}
        cells = {n: each[n] for n, each in counts.items()} if whole else self._cells(looked_at)
        if not self.typed:
            # What a person says of 1.234 is of the cell, not of the number that polars made of it.
            numeric = [n for n in wishes if cells[n].dtype.is_numeric()]
            texts = self._cells(numeric, text=True) if numeric else {}
            written = {n: t for n, t in texts.items() if t.dtype == pl.String}
            cells |= {n: t for n, t in written.items() if wants_cells(t, wishes[n])}
        # Every program writes decimal points: they say nothing of columns that people write.
        mark = "," if self.mark == "," else None
        often = {name: each["\0n"] for name, each in counts.items()}
        found = understand_columns(cells, wishes, self.path.name, mark, often)
        for name in () if whole else looked_at:
            if name not in found and (why := find_puzzle(name, cells[name])):
                self._puzzles.append(f"Column {short(name)!r} is {why}.")
        return found

    def _thousands(self, names: list[str], found: Mapping[str, Form]) -> dict[str, Form]:
        """Return columns of a text file that look like decimals, and may be thousands."""
        floats = [n for n in names if not self.typed and self.dtypes[n].is_float()]
        floats = floats[:_MOST_CODES]
        locale = locale_of(found.values()) or self.mark
        cells = self._cells(floats, text=True) if floats and locale != "." else {}
        # What was made of other columns, such as embeddings of texts, is not in the file.
        written = {name: column for name, column in cells.items() if column.dtype == pl.String}
        forms = {name: form_of_thousands(column, locale) for name, column in written.items()}
        return {name: form for name, form in forms.items() if form is not None}

    def _codes(self, names: list[str]) -> dict[str, Form]:
        """Return columns of a text file that look like whole numbers, and have zeros before them.

        Types are told by the first rows, and so are zeros: later on they are gone. Of very many
        columns, which hold measurements, the first are looked at: each takes memory as text.
        """
        whole = [name for name in names if not self.typed and self.dtypes[name].is_integer()]
        whole = whole[:_MOST_CODES]
        cells = self._cells(whole, text=True) if whole else {}
        codes = {name: understand_codes(cells[name]) for name in padded_columns(cells)}
        return {name: form for name, form in codes.items() if form is not None}

    def _counted_cells(self, names: list[str]) -> dict[str, pl.DataFrame]:
        """Return the different cells of all rows, and how many rows have each."""
        with translated_errors(self.path, self.find_line):
            frame = self.open_frame({} if self.typed else dict.fromkeys(names, pl.String))
            return {n: frame.group_by(n).agg(pl.len().alias("\0n")).collect() for n in names}

    def _cells(self, names: list[str], *, text: bool = False) -> dict[str, pl.Series]:
        """Return cells of the first rows as the file has them.

        Cells of a text file are read as strings: a later one need not be of the type of the first.
        """
        with translated_errors(self.path, self.find_line):
            frame = self.open_frame({} if self.typed else dict.fromkeys(names, pl.String))
            rows = frame.select(names).head(sample_rows(len(self.dtypes))).collect()
        types = {} if text else {name: self.dtypes[name] for name in names}
        return {
            name: rows[name].cast(types[name], strict=False)
            if name in types and types[name].is_numeric()
            else rows[name]
            for name in names
        }

    def _tell_forms(self) -> None:
        """Note what columns were taken for, guesses first."""
        doubted = [name for name, form in self.forms.items() if form.doubt]
        sure = [name for name, form in self.forms.items() if not (form.plain or form.doubt)]
        guesses = [*self._puzzles, *(understood(name, self.forms[name]) for name in doubted)]
        self.notes += guesses[:_DOUBTS_TOLD]
        if len(guesses) > _DOUBTS_TOLD:
            more = counted(
                len(guesses) - _DOUBTS_TOLD, "more column is a guess", "more columns are guesses"
            )
            self.notes.append(f"{more}; rarebit look {self.path.name} shows all.")
        self.notes += [understood(name, self.forms[name]) for name in sure[:_TOLD]]
        if len(sure) > _TOLD:
            self.notes.append(
                f"{counted(len(sure) - _TOLD, 'more column was', 'more columns were')} understood; "
                f"rarebit look {self.path.name} shows all."
            )

    def _take_forms(self, schema: Mapping[str, Role]) -> None:
        """Read columns as they were read when the schema was made."""
        given = self.options.forms
        known = {} if given is None else {
            name: check_form(form if isinstance(form, Form) else Form.from_json(form))
            for name, form in given.items()
            if name in schema
        }  # fmt: skip
        anew = [
            name
            for name, role in schema.items()
            if name in self.options.columns
            or (role == "date" and _unwritten(known.get(name)) and self.dtypes[name] == pl.String)
            or (role == "number" and given is None and self.dtypes[name] == pl.String)
        ]
        wishes = {n: w for n, w in self.options.columns.items() if n not in self.options.aside}
        check_wishes(wishes, schema, self.path.name)
        own = {n: form for n, form in self._understand(anew).items() if form.role == schema[n]}
        texts = [n for n in known if n not in own and self.dtypes[n] == pl.String]
        texts = [n for n in texts if known[n].kind == "date"]
        seen = self._cells(texts) if texts else {}
        self.notes += [s for n in texts if (s := tell_offsets(n, known[n], seen[n]))]
        self.notes += [
            f"{short(name)}: in {form.listed_units}, and the model learned from "
            f"{known[name].listed_units}; numbers are taken as they are, not converted."
            for name, form in own.items()
            if (was := known.get(name)) and was.currencies and {*form.currencies} - {*was.units}
        ]
        known = {name: replace(form, given=False) for name, form in known.items()}
        self.forms = fit_zones(known, own, self.dtypes, self.path.name)
        if given is not None:
            check_spans(self.forms, schema, self.dtypes, self.path.name)

    def _force_types(self) -> None:
        """Tell the reader which types we want, so that no later cell surprises it."""
        for name, role in self.roles.items():
            form = self.forms.get(name)
            if form is not None and self._must_be_seen(name, form):
                self._forced[name] = pl.String
                continue
            if role == "number" and self.dtypes[name] != pl.Boolean:
                self._forced[name] = pl.Float64
            elif role == "text":
                self._forced[name] = pl.String
        for apart in (self.options.target, self.options.id, *self.options.aside):
            if apart is not None and apart not in self.roles:
                self._forced[apart] = pl.String

    def _must_be_seen(self, name: str, form: Form) -> bool:
        """Return whether cells are needed as they are written, to be read by their form."""
        if self.dtypes[name] == pl.String:
            return form.role != "text"
        if self.typed or form.role == "text" or form.pattern in ("s", "ms"):
            return False
        # Numbers that are plain in this file may yet mean others under a decimal comma.
        return replace(form, doubt="", given=True) != Form("number", given=True)

    @property
    def columns(self) -> dict[str, Role]:
        """Columns that can become features, and what they are."""
        return self.roles


def _opened(open_frame: Callable[[dict[str, Any]], pl.LazyFrame]) -> Callable[[], pl.LazyFrame]:
    return lambda: open_frame({})


def _unwritten(form: Form | None) -> bool:
    """Whether nobody knows how texts of a column of dates are written."""
    return form is None or (form.kind == "date" and not form.pattern and bool(form.zone))


def _listed(names: list[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
