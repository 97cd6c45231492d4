"""Strings that stand for missing cells, by one list for files and frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import polars as pl
import polars.selectors as cs

from rarebit._text import counted
from rarebit.tables._amounts import BLANK
from rarebit.tables._frame_errors import short
from rarebit.tables._options import MISSING

# Words that count as missing cells in a column whose other cells are numbers, dates or times, in
# any case; among words they are words.
ABSENT = frozenset({
    "?", "??", "???", "-", "--", "---", "n/a", "na", "n.a", "nan", "n/d", "nd", "n.d.", "n/v",
    "null", "(null)", "<null>", "none", "<none>", "(none)", "nil", "void", "blank", "(blank)",
    "empty", "(empty)", "missing", "(missing)", "unknown", "unkn", "unkn.", "unk", "not known",
    "not available", "not applicable", "not given", "not recorded", "not specified", "not stated",
    "unspecified", "undefined", "unavailable", "no data", "no value", "no entry", "no answer",
    "tbd", "t.b.d.", "tba", "tbc",
    "k.a", "ka", "k/a", "keine angabe", "keine angaben", "ohne angabe", "o.a.", "unbekannt",
    "nicht bekannt", "nicht verfügbar", "nicht vorhanden", "fehlt", "fehlend", "leer", "entfällt",
    "inconnu", "inconnue", "non connu", "non renseigné", "non renseignée", "non disponible",
    "manquant", "vide", "néant", "desconocido", "desconocida", "no disponible", "sin dato",
    "sin datos", "faltante", "vacío", "desconhecido", "desconhecida", "não disponível",
    "não informado", "sem dados", "sconosciuto", "sconosciuta", "non disponibile", "mancante",
    "assente", "onbekend", "ontbreekt", "n.v.t.", "niet bekend", "okänd", "okänt", "saknas",
    "ukendt", "ukjent", "mangler", "tuntematon", "puuttuu", "nieznany", "nieznane", "brak",
    "brak danych", "neznámý", "neznámé", "neuvedeno", "ismeretlen", "necunoscut", "bilinmiyor",
})  # fmt: skip
# Such words are few: of a column with more of them nobody knows what they mean.
_FEW = 0.05
_LOOKED_AT = 100

OpenFrame = Callable[[dict[str, Any]], pl.LazyFrame]
_NAMED = 5  # columns that a note names


def without_stand_ins(open_frame: OpenFrame) -> OpenFrame:
    """Return a reader whose strings such as N/A are missing cells, as those of text files are.

    Parameters
    ----------
    open_frame : function of dict
        Opens a frame whose columns have types of their own, by the types that are wanted.

    Returns
    -------
    function of dict
        The same, with null in the place of such strings.
    """
    strings = cs.string() | cs.categorical() | cs.enum()

    def opened(types: dict[str, Any]) -> pl.LazyFrame:
        return open_frame(types).with_columns(
            pl.when(~strings.cast(pl.String).is_in(MISSING)).then(strings).name.keep()
        )

    return opened


def without_padding(column: pl.Expr) -> pl.Expr:
    """Return strings without the blanks around them; those of blanks only are missing cells.

    Examples
    --------
    >>> pl.Series("memo", ["rent  ", "   ", "N/A "]).to_frame().select(
    ...     without_padding(pl.col("memo"))
    ... )["memo"].to_list()
    ['rent', None, None]
    """
    bare = column.str.strip_chars()
    return pl.when(~bare.is_in(MISSING)).then(bare)


def count_stand_ins(frame: pl.LazyFrame, name: str) -> dict[str, int]:
    """Count the strings of a column that stand for missing cells, but for empty ones.

    Parameters
    ----------
    frame : LazyFrame
        Its cells as they were given.
    name : str
        The column.

    Returns
    -------
    dict of str to int
        The most frequent string first; empty for columns that are no strings.

    Examples
    --------
    >>> count_stand_ins(pl.LazyFrame({"class": ["None", "", "fraud", "None"]}), "class")
    {'None': 2}
    """
    if frame.collect_schema().get(name) not in (pl.String, pl.Categorical, pl.Enum):
        return {}
    cell = pl.col(name).cast(pl.String)
    found = frame.select(cell).filter(cell.is_in([each for each in MISSING if each]))
    counts = found.group_by(name).len().collect(engine="streaming")
    return dict(sorted(counts.iter_rows(), key=lambda each: (-each[1], each[0])))


def tell_stand_ins(frame: pl.DataFrame, names: Iterable[str]) -> list[str]:
    """Say in which columns strings count as missing cells.

    Parameters
    ----------
    frame : DataFrame
        Its cells as they were given.
    names : iterable of str
        Columns of words; numbers and dates have no other way to say that a cell is missing.

    Returns
    -------
    list of str
        One sentence, or none.

    Examples
    --------
    >>> frame = pl.DataFrame({"country": ["DE", "N/A", "NA"]})
    >>> tell_stand_ins(frame, ["country"])
    ["Strings that stand for missing cells count as missing, as in files: 2 in country ('N/A')."]
    """
    found = []
    for name in names:
        if frame.schema[name] in (pl.String, pl.Categorical, pl.Enum):
            cells = frame[name].cast(pl.String)
            cells = cells.filter(cells.is_in(MISSING))
            if len(cells):
                found.append(f"{len(cells):,} in {name} ({cells[0]!r})")
    if not found:
        return []
    more = ", …" if len(found) > _NAMED else ""
    return [
        "Strings that stand for missing cells count as missing, as in files: "
        f"{', '.join(found[:_NAMED])}{more}."
    ]


def is_absent(cells: Any) -> Any:
    """Return which strings, of a series or of an expression, are words for a missing cell.

    Examples
    --------
    >>> is_absent(pl.Series(["Unknown", "k.A.", "12", "see note"])).to_list()
    [True, True, False, False]
    """
    known = cells.str.strip_chars()
    return known.str.to_lowercase().is_in(sorted(ABSENT)) | known.str.contains(BLANK)


def without_few_absent(cells: pl.Series, counts: pl.Series | None = None) -> pl.Series | None:
    """Return the cells of a column without words for missing ones; None if it has none, or many.

    Parameters
    ----------
    cells : Series of str
        Null where they are missing.
    counts : Series of int or None, default=None
        How often each of them stands in the column; None for once.
    """
    # Most columns of words are told apart by their first cells.
    first = cells.drop_nulls().head(_LOOKED_AT)
    if not len(first) or first.str.contains("[0-9]").mean() < 0.5:  # type: ignore[operator]
        return None
    says = cells.is_not_null() & ~cells.str.contains(BLANK)
    absent = says & is_absent(cells)
    if counts is None:
        n_absent, n_cells = int(absent.sum()), int(says.sum())
    else:
        n_absent, n_cells = int(counts.filter(absent).sum()), int(counts.filter(says).sum())
    return cells.filter(says & ~absent) if 0 < n_absent <= _FEW * n_cells else None


def tell_absent(found: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Say which words count as missing cells among numbers and dates.

    Parameters
    ----------
    found : mapping of str to mapping of str to int
        How often each word stands in each column.

    Returns
    -------
    list of str
        One sentence, or none.

    Examples
    --------
    >>> tell_absent({"fee": {"unknown": 3}})[0].partition(";")[0]
    "Words for missing cells among numbers and dates count as missing: 3 in fee ('unknown')"
    """
    told = []
    for name, words in found.items():
        shown = ", ".join(repr(word) for word in list(words)[:3]) + (
            ", …" if len(words) > 3 else ""
        )
        told.append(f"{sum(words.values()):,} in {short(name)} ({shown})")
    if not told:
        return []
    more = f" and {counted(len(told) - _NAMED, 'more column')}" if len(told) > _NAMED else ""
    return [
        "Words for missing cells among numbers and dates count as missing: "
        f"{', '.join(told[:_NAMED])}{more}; --as COLUMN=category takes a column as words."
    ]
