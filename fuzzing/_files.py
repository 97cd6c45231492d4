"""Good files of every format that the readers know, small, as bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import random
import zipfile
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image
from scipy import sparse

DELIMITED = (",", "\t", ";", "|")
ENCODINGS = ("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "latin-1", "cp1252")
IMAGES = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF", "PPM")


def rows(dice: random.Random, n: int = 40) -> list[dict[str, object]]:
    """Make rows with an id, numbers, a category, a date, a text and a class."""
    words = ["påse", "snow", "rain", "wind", "sun", "ice", "fog", "hail", "storm", "dew"]
    return [
        {
            "id": f"r{i}",
            "amount": round(dice.gauss(10, 4), 3) if dice.random() < 0.95 else None,
            "paid": f"£{dice.gauss(900, 400):,.2f}",
            "count": dice.randrange(100),
            "country": dice.choice(["SE", "NO", "FI", None]),
            "day": f"2024-{dice.randrange(1, 13):02}-{dice.randrange(1, 29):02}",
            "note": " ".join(dice.choices(words, k=8)),
            "class": "rare" if i % 7 == 0 else "usual",
        }
        for i in range(n)
    ]


def delimited(dice: random.Random) -> bytes:
    """Write delimited text, quoted or not, in some encoding, with some end of line."""
    delimiter, end = dice.choice(DELIMITED), dice.choice(["\n", "\r\n"])
    quoted = dice.random() < 0.5
    # Banks and mainframes fill cells with blanks to a fixed width.
    width = dice.choice([0, 0, 8, 60, 400])

    def cell(value: object) -> str:
        text = "" if value is None else str(value)
        if isinstance(value, float) and delimiter == ";":
            text = text.replace(".", ",")
        text = text.ljust(width) if isinstance(value, str) or not text else text.rjust(width)
        return f'"{text}"' if quoted and isinstance(value, str) else text

    made = rows(dice)
    if quoted:
        made[3]["note"] = f'a "" quote{delimiter} a{end}second line'
    lines = [delimiter.join(made[0]), *(delimiter.join(map(cell, r.values())) for r in made)]
    text = end.join(lines) + (end if dice.random() < 0.8 else "")
    return text.encode(dice.choice(ENCODINGS))


def json_lines(dice: random.Random) -> bytes:
    """Write one object per line."""
    return "".join(json.dumps(row) + "\n" for row in rows(dice)).encode()


def parquet(dice: random.Random) -> bytes:
    """Write a Parquet file, packed in one of its ways."""
    out = io.BytesIO()
    codec = dice.choice(["none", "snappy", "gzip", "zstd", "brotli"])
    table = pa.Table.from_pylist(rows(dice))
    pq.write_table(table, out, compression=codec, use_dictionary=dice.random() < 0.5)
    return out.getvalue()


def svmlight(dice: random.Random) -> bytes:
    """Write sparse rows with a comment here and there."""
    lines = []
    for i in range(40):
        places = sorted(dice.sample(range(1, 60), 6))
        cells = " ".join(f"{j}:{dice.gauss(0, 1):.4g}" for j in places)
        lines.append(f"{1 if i % 7 == 0 else -1} {cells}{' # note' if i % 9 == 0 else ''}\n")
    return "".join(lines).encode()


def array(values: np.ndarray, *, pickled: bool = False) -> bytes:
    """Write one array as NPY."""
    out = io.BytesIO()
    np.save(out, values, allow_pickle=pickled)
    return out.getvalue()


def npy(dice: random.Random) -> bytes:
    """Write an array of numbers, of pixels, or (rarely) of Python objects."""
    made = np.random.default_rng(dice.randrange(1 << 30))
    kind = dice.choice(["f8", "f4", "i4", "u1", "images", "object"])
    if kind == "object":
        return array(np.array([[{"a": 1}, "b"]], dtype=object), pickled=True)
    if kind == "images":
        return array(made.integers(0, 256, (20, 8, 8), dtype=np.uint8))
    return array((made.normal(size=(30, 4)) * 50).astype(kind))


def npz_members(dice: random.Random) -> dict[str, bytes]:
    """Return the arrays of an archive, dense or CSR, before they are packed."""
    made = np.random.default_rng(dice.randrange(1 << 30))
    if dice.random() < 0.5:
        return {
            "X.npy": array(made.normal(size=(30, 4))),
            "y.npy": array(np.where(np.arange(30) % 7, "usual", "rare")),
            "ids.npy": array(np.array([f"r{i}" for i in range(30)])),
        }
    rows_of = sparse.csr_array(made.normal(size=(30, 9)) * (made.random((30, 9)) < 0.3))
    parts = {
        "data": rows_of.data,
        "indices": rows_of.indices,
        "indptr": rows_of.indptr,
        "shape": np.array(rows_of.shape),
        "format": np.array(b"csr"),
    }
    if dice.random() < 0.5:  # values out of range rather than damaged bytes
        name = dice.choice(["indices", "indptr", "shape"])
        parts[name] = parts[name].copy()
        parts[name][dice.randrange(len(parts[name]))] = dice.choice(
            [-1, 9, 1 << 20, (1 << 31) - 1, -(1 << 31)]
        )
    if dice.random() < 0.1:
        parts["format"] = np.array(dice.choice([b"csc", b"coo", b"dia", b"bsr", b"xyz"]))
    if dice.random() < 0.1:
        parts["data"] = parts["data"][:-3]
    return {f"{name}.npy": array(values) for name, values in parts.items()}


def sheet(dice: random.Random) -> bytes:
    """Write a workbook with one sheet."""
    import polars as pl

    from rarebit.tables import SheetWriter

    out, writer = io.BytesIO(), SheetWriter()
    writer.append(pl.DataFrame(rows(dice)))
    writer.save(out)
    return out.getvalue()


def ris(dice: random.Random) -> bytes:
    """Write papers as RIS."""
    papers = [
        f"TY  - JOUR\nTI  - {row['note']}\nAB  - {row['note']}\nPY  - {row['day']}\nER  - \n"
        for row in rows(dice)
    ]
    return "\n".join(papers).encode(dice.choice(ENCODINGS))


def bibtex(dice: random.Random) -> bytes:
    """Write papers as BibTeX."""
    papers = []
    for row in rows(dice):
        opened, closed = dice.choice(("{}", "{}", "()"))
        key = dice.choice((f"{row['id']},", f"de {row['id']} (2),", "", row["id"]))
        papers.append(
            f'@article{opened}{key} title = {{{row["note"]}}}, abstract = "{row["note"]}",\n'
            f"  year = {row['count']}{closed}\n"
        )
    return "\n".join(papers).encode(dice.choice(ENCODINGS))


def zipped(members: dict[str, bytes]) -> bytes:
    """Put members into one zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def image(dice: random.Random) -> tuple[str, bytes]:
    """Return the format and the bytes of one small image."""
    made = np.random.default_rng(dice.randrange(1 << 30))
    shape = (12, 10, 3) if dice.random() < 0.5 else (12, 10)
    kind = dice.choice(IMAGES)
    out = io.BytesIO()
    Image.fromarray(made.integers(0, 256, shape, dtype=np.uint8)).save(out, kind)
    return kind.lower(), out.getvalue()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: bytes(pa.compress(data, "zstd", asbytes=True)),
    ".zip": lambda data: zipped({"inside.csv": data}),
}
WRITERS: dict[str, Callable[[random.Random], bytes]] = {
    ".csv": delimited,
    ".tsv": delimited,
    ".txt": delimited,
    ".jsonl": json_lines,
    ".parquet": parquet,
    ".svmlight": svmlight,
    ".npy": npy,
    ".npz": lambda dice: zipped(npz_members(dice)),
    ".xlsx": sheet,
    ".ris": ris,
    ".bib": bibtex,
}
