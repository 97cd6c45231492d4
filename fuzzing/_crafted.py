"""Hostile input that no random damage would find: bombs, endless files, depth, width."""

from __future__ import annotations

import gzip
import io
import os
import socket
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from fuzzing._files import array, zipped

# Bytes that bombs unpack to; far above what any limit lets through from so small a file.
BOMB = 640 << 20


def _write(name: str, data: bytes) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(data)
        return path

    return write


def _fifo(folder: Path) -> Path:
    os.mkfifo(folder / "pipe.csv")
    return folder / "pipe.csv"


def _socket(folder: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(os.path.relpath(folder / "s.csv"))
    return folder / "s.csv"


def _link(name: str, target: str) -> Callable[[Path], Path]:
    def link(folder: Path) -> Path:
        (folder / name).symlink_to(target)
        return folder / name

    return link


def _folder(folder: Path) -> Path:
    (folder / "a.csv").mkdir()
    return folder / "a.csv"


def _gzip_bomb(folder: Path) -> Path:
    # Members one after the other are one file to gzip.
    members = gzip.compress(b"1,2\n" * (1 << 22)) * (BOMB >> 24)
    (folder / "bomb.csv.gz").write_bytes(gzip.compress(b"a,b\n") + members)
    return folder / "bomb.csv.gz"


def _zip_bomb(folder: Path) -> Path:
    with (
        zipfile.ZipFile(folder / "bomb.csv.zip", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("bomb.csv", "w") as out,
    ):
        for _ in range(BOMB >> 24):
            out.write(b"1,2\n" * (1 << 22))
    return folder / "bomb.csv.zip"


def _npz_bomb(folder: Path) -> Path:
    path = folder / "bomb.npz"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("X.npy", "w", force_zip64=True) as out,
    ):
        header = array(np.zeros((1, 1)))[:128].replace(
            b"(1, 1), }" + b" " * 12, f"({BOMB >> 6}, 8), }}".encode().ljust(21)
        )
        out.write(header)
        for _ in range(BOMB >> 24):
            out.write(bytes(1 << 24))
    return path


def _png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    data = zlib.compress(bytes(min((width + 1) * height, 1 << 20)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def _images(**files: bytes) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / "images" / "class").mkdir(parents=True)
        for name, data in files.items():
            (folder / "images" / "class" / name.replace("_", ".")).write_bytes(data)
        return folder / "images"

    return write


def _csr(**wrong: object) -> Callable[[Path], Path]:
    parts: dict[str, object] = {
        "data": np.ones(3),
        "indices": np.array([0, 1, 2], dtype=np.int32),
        "indptr": np.array([0, 1, 3], dtype=np.int32),
        "shape": np.array([2, 3]),
        "format": np.array(b"csr"),
    } | wrong
    return _write("m.npz", zipped({f"{k}.npy": array(np.asarray(v)) for k, v in parts.items()}))


def _pickled(name: str) -> Callable[[Path], Path]:
    data = array(np.array([[print, 1]], dtype=object), pickled=True)
    return _write(name, zipped({"X.npy": data}) if name.endswith("npz") else data)


def _huge_header(shape: str) -> bytes:
    out = io.BytesIO()
    out.write(b"\x93NUMPY\x01\x00")
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode()
    out.write(struct.pack("<H", len(text) + 1) + text + b"\n")
    return out.getvalue() + bytes(64)


LONG = b"word " * 60_000
PADDED = [b"%d,%s,%s\n" % (i, b"".ljust(60), b"rare".ljust(60)) for i in range(100)]
WIDE = ",".join(f"c{i}" for i in range(100_000)).encode()
CRAFTED: dict[str, Callable[[Path], Path]] = {
    "empty": _write("a.csv", b""),
    "empty parquet": _write("a.parquet", b""),
    "empty npz": _write("a.npz", b""),
    "empty gzip": _write("a.csv.gz", b""),
    "only zeros": _write("a.csv", bytes(10_000)),
    "only a mark": _write("a.csv", b"\xef\xbb\xbf"),
    "only ends of lines": _write("a.csv", b"\n\r\n\n"),
    "a line": _write("a.csv", b"a,b,c"),
    "fifo": _fifo,
    "socket": _socket,
    "endless zeros": _link("a.csv", "/dev/zero"),
    "endless zeros packed": _link("a.csv.gz", "/dev/zero"),
    "endless random": _link("a.jsonl", "/dev/urandom"),
    "null device": _link("a.csv", "/dev/null"),
    "link to itself": _link("a.csv", "a.csv"),
    "folder": _folder,
    "images with a link to themselves": _images(a_png=_png(4, 4)),
    "gzip bomb": _gzip_bomb,
    "zip bomb": _zip_bomb,
    "npz bomb": _npz_bomb,
    "image bomb": _images(a_png=_png(60_000, 60_000)),
    "large image": _images(a_png=_png(10_000, 10_000)),
    "cut image": _images(a_png=_png(40, 40)[:60], b_jpg=b"\xff\xd8\xff\xe0"),
    "long document": _write("a.csv", b'id,text,class\n1,"' + LONG + b'",x\n2,short,y\n'),
    "long plain document": _write("a.csv", b"id,text,class\n1," + LONG + b",x\n2,short,y\n"),
    "long JSON": _write("a.jsonl", b'{"t":"' + LONG + b'","x":1}\n{"t":"b","x":2}\n'),
    "padded cells": _write("a.csv", b"id,memo,class\n" + b"".join(PADDED)),
    "a long cell of blanks": _write("a.csv", b"id,memo,class\n1,x,a\n2," + b" " * 50_000 + b",b\n"),
    "open quote": _write("a.csv", b'a,b\n1,"2\n3,4\n' * 200),
    "open quote in the header": _write("a.csv", b'a,"b\n1,2\n3,4\n' * 200),
    "deep JSON": _write("a.jsonl", b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"),
    "deep objects": _write("a.jsonl", b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"\n"),
    "JSON of another kind": _write("a.jsonl", b'1\n"a"\n[1,2]\nnull\n'),
    "one JSON": _write("a.json", b'[{"a":1}]'),
    "wide": _write("a.csv", WIDE + b"\n" + b"1," * 99_999 + b"1\n" + b"2," * 99_999 + b"1\n"),
    "duplicate names": _write("a.csv", b"a,a,b\n1,2,3\n"),
    "duplicate JSON names": _write("a.jsonl", b'{"a":1,"a":2}\n{"a":1,"a":2}\n'),
    "ragged": _write("a.csv", b"a,b\n1,2\n3\n4,5,6\n"),
    "many SVMlight columns": _write("a.svmlight", b"1 2000000000:1\n"),
    "more SVMlight columns": _write("a.svmlight", b"1 1:1\n-1 2147483646:2\n1 3:1\n"),
    "too many SVMlight columns": _write("a.svmlight", b"1 1:1\n-1 99999999999999:2\n1 3:1\n"),
    "negative SVMlight column": _write("a.svmlight", b"1 -5:1\n-1 1:2\n"),
    "SVMlight without columns": _write("a.svmlight", b"1\n-1\n"),
    "SVMlight of many labels": _write("a.svmlight", b"1,2 1:1\n-1 1:2\n"),
    "objects": _pickled("a.npy"),
    "objects in an archive": _pickled("a.npz"),
    "array of huge shape": _write("a.npy", _huge_header("(1 << 40, 8)")),
    "array of large shape": _write("a.npy", _huge_header("(1099511627776, 8)")),
    "array of negative shape": _write("a.npy", _huge_header("(-4, 8)")),
    "large array in an archive": _write(
        "a.npz", zipped({"X.npy": _huge_header("(1099511627776, 8)")})
    ),
    "header that is no Python": _write("a.npy", _huge_header("(3, (")),
    "deep header": _write("a.npy", _huge_header("(" * 5000 + ")" * 5000)),
    "index too large": _csr(indices=np.array([0, 1, 3])),
    "index negative": _csr(indices=np.array([0, -1, 2])),
    "ends fall": _csr(indptr=np.array([0, 3, 1])),
    "ends too large": _csr(indptr=np.array([0, 1, 1000])),
    "starts late": _csr(indptr=np.array([2, 2, 3])),
    "indices are fractions": _csr(indices=np.array([0.0, 1.5, 2.0])),
    "shape of three": _csr(shape=np.array([2, 3, 4])),
    "shape of text": _csr(shape=np.array(["a", "b"])),
    "columns without end": _csr(shape=np.array([2, 1 << 62])),
    "column rows": _csr(format=np.array(b"csc"), shape=np.array([3, 2])),
    "coordinates": _csr(format=np.array(b"coo"), row=np.array([0, 9, 1]), col=np.array([0, 1, 2])),
    "values that are text": _csr(data=np.array(["a", "b", "c"])),
    "archive in an archive": _write("a.csv.zip", zipped({"a.gz": gzip.compress(b"a\n1\n")})),
    "two files in an archive": _write("a.csv.zip", zipped({"a.csv": b"a\n1", "b.csv": b"a\n1"})),
    "gzip that is none": _write("a.csv.gz", b"a,b\n1,2\n"),
    "gzip cut": _write("a.csv.gz", gzip.compress(b"a,b\n" + b"1,2\n" * 9999)[:40]),
    "gzip of zeros": _write("a.csv.gz", gzip.compress(bytes(1 << 20))),
    "parquet twice packed": _write("a.parquet.gz", gzip.compress(b"PAR1")),
}  # fmt: skip
