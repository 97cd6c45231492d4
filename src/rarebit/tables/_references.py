"""Collections of papers, RIS and BibTeX: read as a table, and written with a decision added."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from rarebit.tables._errors import TableError
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


def scan_ris(path: Path, options: Options) -> FrameScan:
    """Open a RIS file."""
    return _scan(path, options, _split_ris, _read_ris)


def scan_bibtex(path: Path, options: Options) -> FrameScan:
    """Open a BibTeX file."""
    return _scan(path, options, _split_bibtex, _read_bibtex)


def _scan(
    path: Path,
    options: Options,
    split: Callable[[str], list[str]],
    read: Callable[[str], dict[str, str]],
) -> FrameScan:
    file = open_text(path, options.encoding, options.max_unpacked)
    if file.path.stat().st_size > _MOST:
        raise TableError(f"{path.name} has more than 1 GB: give a smaller collection of papers.")
    pieces = split(file.path.read_text(encoding="utf-8-sig", errors="replace"))
    records = [(piece, read(piece)) for piece in pieces]
    records = [(piece, record) for piece, record in records if record.get("title")]
    if not records:
        raise TableError(
            f"{path.name} holds no paper with a title: check that it is a whole "
            f"{'RIS' if read is _read_ris else 'BibTeX'} file."
        )
    there = [name for name in _COLUMNS if any(name in record for _, record in records)]
    columns: dict[str, Any] = {
        name: pl.Series([record.get(name) for _, record in records], dtype=pl.String)
        for name in there
    }
    frame = pl.DataFrame(columns)
    texts = tuple(name for name in TEXT if name in there)
    given = options
    if options.text is None and options.schema is None:
        given = _with_text(options, texts)
    raw = [piece for piece, _ in records]
    scan = FrameScan(path, given, lambda types: frame.lazy(), list(file.notes), frame.height)
    scan.raw = raw.__getitem__
    return scan


def _with_text(options: Options, texts: tuple[str, ...]) -> Options:
    from dataclasses import replace

    return replace(options, text=texts)


def _split_ris(text: str) -> list[str]:
    pieces = re.split(r"(?m)^ER {1,2}-.*$", text)
    return [piece.strip("\r\n") for piece in pieces if piece.strip()]


def _read_ris(piece: str) -> dict[str, str]:
    found: dict[str, str] = {}
    last = None
    for line in piece.splitlines():
        tag = _TAG.match(line)
        if tag is None:
            # A long field continues on the next line.
            if last is not None and line.strip():
                found[last] += f" {line.strip()}"
            continue
        last = _RIS.get(tag[1])
        if last is None or not tag[2].strip():
            last = None
            continue
        value = tag[2].strip()
        if last in ("authors", "keywords"):
            found[last] = f"{found[last]}; {value}" if last in found else value
        elif last in found:
            last = None
        else:
            found[last] = value
    if year := _YEAR.search(found.get("year", "")):
        found["year"] = year[0]
    return found


def _split_bibtex(text: str) -> list[str]:
    """Cut entries at their braces; what stands between them is a comment."""
    pieces = []
    place = 0
    while (start := text.find("@", place)) >= 0:
        depth, place = 0, start + 1
        opened = text.find("{", start)
        if opened < 0:
            break
        for place in range(opened, len(text)):
            letter = text[place]
            depth += (letter == "{") - (letter == "}")
            if not depth:
                pieces.append(text[start : place + 1])
                break
        else:
            break
    return pieces


def _read_bibtex(piece: str) -> dict[str, str]:
    head = re.match(r"@\s*(\w+)\s*\{\s*([^,\s{}]*)\s*,", piece)
    if head is None or head[1].lower() in ("comment", "string", "preamble"):
        return {}
    found = {"type": head[1].lower()} | ({"key": head[2]} if head[2] else {})
    place = head.end()
    field = re.compile(r"\s*,?\s*(\w[\w-]*)\s*=\s*")
    while (name := field.match(piece, place)) is not None:
        value, place = _bibtex_value(piece, name.end())
        column = _BIBTEX.get(name[1].lower())
        plain = " ".join(_BRACES.sub("", value).split())
        if column is not None and column not in found and plain:
            found[column] = plain
    if year := _YEAR.search(found.get("year", "")):
        found["year"] = year[0]
    return found


def _bibtex_value(piece: str, place: int) -> tuple[str, int]:
    """Return a value in braces, in quotes or plain, and where it ends."""
    if piece[place : place + 1] == "{":
        depth = 0
        for end in range(place, len(piece)):
            depth += (piece[end] == "{") - (piece[end] == "}")
            if not depth:
                return piece[place + 1 : end], end + 1
        return piece[place + 1 :], len(piece)
    if piece[place : place + 1] == '"':
        end = piece.find('"', place + 1)
        end = len(piece) if end < 0 else end
        return piece[place + 1 : end], end + 1
    end = place
    while end < len(piece) and piece[end] not in ",}\n":
        end += 1
    return piece[place:end], end


def with_decision(piece: str, label: str, suffix: str) -> str:
    r"""Return a record with a decision added, whole and ready to be written.

    Parameters
    ----------
    piece : str
        The record as the file has it.
    label : str
        What was decided; empty for a record nobody has judged.
    suffix : {".ris", ".bib"}
        Format of the record.

    Examples
    --------
    >>> with_decision("TY  - JOUR\nTI  - A", "relevant", ".ris")
    'TY  - JOUR\nTI  - A\nN1  - rarebit: relevant\nER  - \n\n'
    >>> with_decision("@article{a, title={A}}", "relevant", ".bib")
    '@article{a, title={A},\n  rarebit = {relevant}\n}\n\n'
    """
    line = " ".join(label.split())
    if suffix == ".ris":
        kept = [each for each in piece.splitlines() if not each.startswith("N1  - rarebit: ")]
        added = [f"N1  - rarebit: {line}"] if line else []
        return "\n".join([*kept, *added, "ER  - ", "", ""])
    body = re.sub(r",?\s*rarebit\s*=\s*\{[^{}]*\}\s*(?=\}$)", "", piece.rstrip())
    if not line:
        return f"{body}\n\n"
    inner = body[:-1].rstrip().rstrip(",")
    return f"{inner},\n  rarebit = {{{_BRACES.sub('', line)}}}\n}}\n\n"
