"""Collections of papers, RIS and BibTeX: read as a table, and written with a decision added."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from rarebit._text import counted
from rarebit.tables._bibtex import Damage, read_bibtex, split_bibtex
from rarebit.tables._errors import ColumnsMismatchError, TableError
from rarebit.tables._frame_scan import FrameScan
from rarebit.tables._options import Options
from rarebit.tables._text_file import open_text

# Bytes of a collection, which is read as a whole.
_MOST = 1 << 30
_RIS = {
    "TI": "title", "T1": "title", "CT": "title", "AB": "abstract", "N2": "abstract",
    "AU": "authors", "A1": "authors", "PY": "year", "Y1": "year", "DA": "year",
    "JO": "journal", "JF": "journal", "T2": "journal", "JA": "journal", "KW": "keywords",
    "DO": "doi", "TY": "type", "ID": "key", "AN": "key", "UR": "url",
}  # fmt: skip
_BIBTEX = {
    "title": "title", "abstract": "abstract", "author": "authors", "year": "year",
    "date": "year", "journal": "journal", "journaltitle": "journal", "booktitle": "journal",
    "keywords": "keywords", "doi": "doi", "url": "url",
}  # fmt: skip
_COLUMNS = (
    "key", "title", "abstract", "authors", "year", "journal", "keywords", "doi", "url", "type",
)  # fmt: skip
_TAG = re.compile(r"^([A-Z][A-Z0-9]) {1,2}- ?(.*)$")
_YEAR = re.compile(r"\d{4}")
_BRACES = re.compile(r"[{}]")
TEXT = ("title", "abstract")
KEY = "key"
# A note that `with_decision` wrote: the decision, or the rank.
_NOTED = re.compile(r"rarebit( rank)?: (.*)$")
_OURS_RIS = re.compile(r"N1 {1,2}- rarebit( rank)?: (.*)$")
_OURS_BIBTEX = re.compile(
    r"(?:,\s*+|(?<!\s)\s++|(?<![\s,]))rarebit(-rank)?\s*=\s*\{([^{}]*)\}(?=\s*(?:,|[})]$))"
)
_OPENED = re.compile(r"@\s*\w+\s*\(")
# Papers that a note names.
_TOLD = 3
# Columns that name a paper: nothing is learned from them.
_NAMES = (KEY, "doi", "url")


def scan_ris(path: Path, options: Options) -> FrameScan:
    """Open a RIS file."""
    return _scan(path, options, "RIS", _papers_of_ris)


def scan_bibtex(path: Path, options: Options) -> FrameScan:
    """Open a BibTeX file."""
    return _scan(path, options, "BibTeX", _papers_of_bibtex)


class _Paper(NamedTuple):
    piece: str  # as the file has it
    found: dict[str, str]  # the columns that every collection has
    more: dict[str, str]  # other fields, by the names that the file gives them
    damage: Damage = ""


def _scan(
    path: Path, options: Options, form: str, papers_of: Callable[[str], list[_Paper]]
) -> FrameScan:
    file = open_text(path, options.encoding, options.max_unpacked)
    if file.path.stat().st_size > _MOST:
        raise TableError(f"{path.name} has more than 1 GB: give a smaller collection of papers.")
    papers = papers_of(file.path.read_text(encoding="utf-8-sig", errors="replace"))
    kept = [each for each in papers if _judged(each)]
    if not kept:
        raise TableError(
            f"{path.name} holds no paper with a title: check that it is a whole {form} file."
        )
    there = [name for name in _COLUMNS if any(name in each.found for each in kept)]
    columns: dict[str, Any] = {
        name: pl.Series([each.found.get(name) for each in kept], dtype=pl.String) for name in there
    }
    more = sorted({name for each in kept for name in each.more})
    fields = (*there, *more)
    for name in _named(options):
        # Fields of one program or one person are read where somebody asks for them.
        own = next((each for each in more if each.lower() == name.lower()), None)
        if name not in columns and own is not None:
            columns[name] = pl.Series([each.more.get(own) for each in kept], dtype=pl.String)
            more.remove(own)
    for wanted in (options.target, options.id):
        if wanted is not None and wanted not in columns:
            further = f"; further fields of this file are {', '.join(more)}" if more else ""
            raise ColumnsMismatchError(
                f"{path.name} has no field {wanted!r}: papers have {', '.join(there)}{further}; "
                "give one of them."
            )
    frame = pl.DataFrame(columns)
    texts = tuple(name for name in TEXT if name in there)
    given = options
    if options.text is None and options.schema is None:
        given = replace(options, text=texts)
    names = [each for each in _NAMES if each in there and each not in _named(options)]
    if KEY in names and options.schema is None:
        # An accession number is a name: it is not read as a number.
        given = replace(given, categorical=(*given.categorical, KEY))
    notes = [*file.notes, *_notes(path.name, papers, len(kept), more)]
    scan = FrameScan(path, given, lambda types: frame.lazy(), notes, frame.height)
    scan.raw = [each.piece for each in kept].__getitem__
    scan.fields = fields
    if options.schema is None:
        scan.left_out |= dict.fromkeys(names, "names the paper")
    return scan


def _named(options: Options) -> list[str]:
    """Columns that the caller names."""
    text = [options.text] if isinstance(options.text, str) else list(options.text or ())
    named = [options.target, options.id, *text, *options.aside, *options.categorical]
    named += [*options.columns, *(options.schema or {})]
    return list(dict.fromkeys(name for name in named if name is not None))


def _judged(paper: _Paper) -> bool:
    return any(name in paper.found for name in TEXT)


def _called(paper: _Paper) -> str:
    """Return what people find a record by, or how it begins."""
    name = paper.found.get("key") or paper.found.get("title") or " ".join(paper.piece.split())
    return name[:40]


def _first(papers: list[_Paper]) -> str:
    """Name the first few papers."""
    first, *others = [repr(_called(each)) for each in papers[:_TOLD]]
    return f"the first is {first}" + (f", then {' and '.join(others)}" if others else "")


def _notes(name: str, papers: list[_Paper], n_kept: int, more: list[str]) -> list[str]:
    said = []
    for damage, what, then in (
        ("braces", "braces that do not match",
         "an entry is then taken to end where the next one begins"),
        ("quotes", "a quote that is not closed",
         "each of its fields is then taken to begin a line"),
    ):  # fmt: skip
        if damaged := [each for each in papers if each.damage == damage]:
            said.append(
                f"{counted(len(damaged), 'entry has', 'entries have')} {what}, "
                f"{_first(damaged)}; {then}: check what was read of it."
            )
    if n_kept < len(papers):
        lost = [each for each in papers if not _judged(each)]
        many = "record has" if len(lost) == 1 else "records have"
        said.append(
            f"{len(lost):,} {many} neither a title nor an abstract and cannot be judged, "
            f"{_first(lost)}: left out here and in the files of papers that are written."
        )
    if more:
        shown = f"{', '.join(more[:8])}{', …' * (len(more) > 8)}"
        said.append(f"Further fields are not read: {shown}. --show, --target or --id reads one.")
    return said


def _papers_of_ris(text: str) -> list[_Paper]:
    # A record ends with ER; one that does not ends where the next one begins.
    pieces = re.split(r"(?m)^ER {1,2}-.*$|(?=^TY {1,2}- )", text)
    papers = []
    for piece in pieces:
        stripped = piece.strip("\r\n")
        if stripped.strip():
            found, more = _read_ris(stripped)
            if found:
                papers.append(_Paper(stripped, found, more))
    return papers


def _read_ris(piece: str) -> tuple[dict[str, str], dict[str, str]]:
    # Values in parts, which are joined at the end: a field may go over a million lines.
    found: dict[str, list[str]] = {}
    more: dict[str, list[str]] = {}
    part: list[str] | None = None
    for line in piece.splitlines():
        tag = _TAG.match(line)
        if tag is None:
            # A long field continues on the next line.
            if part is not None and line.strip():
                part += [" ", line.strip()]
            continue
        value = tag[2].strip()
        known = _RIS.get(tag[1])
        into, name = (more, tag[1]) if known is None else (found, known)
        if tag[1] == "N1" and (noted := _NOTED.match(value)) is not None:
            name, value = f"rarebit{noted[1] or ''}", noted[2].strip()
        several = name in ("authors", "keywords") or into is more
        if not value or (name in into and not several):
            part = None
            continue
        part = into.setdefault(name, [])
        part += ["; ", value] if part else [value]
    return _with_year({name: "".join(parts) for name, parts in found.items()}), {
        name: "".join(parts) for name, parts in more.items()
    }


def _papers_of_bibtex(text: str) -> list[_Paper]:
    papers = []
    for entry in split_bibtex(text):
        fields = read_bibtex(entry)
        found: dict[str, str] = {}
        more: dict[str, str] = {}
        for name, value in fields.items():
            column = name if name in ("type", "key") else _BIBTEX.get(name)
            if column is None:
                more[name] = value
            else:
                found.setdefault(column, value)
        if found:
            papers.append(_Paper(entry.piece, _with_year(found), more, entry.damage))
    return papers


def _with_year(found: dict[str, str]) -> dict[str, str]:
    if year := _YEAR.search(found.get("year", "")):
        found["year"] = year[0]
    return found


def decision_of(piece: str, suffix: str) -> str:
    r"""Return the decision that a record has from an earlier export, or the empty string.

    Parameters
    ----------
    piece : str
        The record as the file has it.
    suffix : {".ris", ".bib"}
        Format of the record.

    Examples
    --------
    >>> decision_of("TY  - JOUR\nTI  - A\nN1  - rarebit: relevant", ".ris")
    'relevant'
    """
    if suffix == ".ris":
        ours = [found for line in piece.splitlines() if (found := _OURS_RIS.match(line))]
    else:
        ours = list(_OURS_BIBTEX.finditer(piece.rstrip()))
    return next((found[2].strip() for found in ours if not found[1]), "")


def with_decision(piece: str, label: str | None, suffix: str, rank: str = "") -> str:
    r"""Return a record with a decision added, whole and ready to be written.

    Parameters
    ----------
    piece : str
        The record as the file has it.
    label : str or None
        What was decided; empty for a record whose decision was taken back. None keeps the
        decision that the record has, if it has one.
    suffix : {".ris", ".bib"}
        Format of the record.
    rank : str, default=""
        Its place in a ranked list, in words.

    Examples
    --------
    >>> with_decision("TY  - JOUR\nTI  - A", "relevant", ".ris", "3 of 40")
    'TY  - JOUR\nTI  - A\nN1  - rarebit: relevant\nN1  - rarebit rank: 3 of 40\nER  - \n\n'
    >>> with_decision("@article{a, title={A}}", "relevant", ".bib")
    '@article{a, title={A},\n  rarebit = {relevant}\n}\n\n'
    """
    said = {"rarebit": decision_of(piece, suffix) if label is None else label, "rarebit rank": rank}
    lines = {name: " ".join(value.split()) for name, value in said.items() if value.strip()}
    if suffix == ".ris":
        kept = [each for each in piece.splitlines() if not _OURS_RIS.match(each)]
        added = [f"N1  - {name}: {value}" for name, value in lines.items()]
        return "\n".join([*kept, *added, "ER  - ", "", ""])
    body = _OURS_BIBTEX.sub("", piece.rstrip())
    end = ")" if _OPENED.match(body) else "}"
    inner = body.removesuffix(end).rstrip().rstrip(",")
    added = [
        f"  {name.replace(' ', '-')} = {{{_BRACES.sub('', value)}}}"
        for name, value in lines.items()
    ]
    return ",\n".join([inner, *added]) + f"\n{end}\n\n" if lines else f"{body}\n\n"
