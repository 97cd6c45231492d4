"""Bombs, endless files, damaged bytes: each is read, or refused with one sentence."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import signal
import socket
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from PIL import Image
from scipy import sparse

from rarebit import _scratch as scratch
from rarebit.tables import TableEncoder, TableError, read_table, scan_table
from rarebit.tables import _limits as limits

LINUX = sys.platform.startswith("linux")
ROWS = b"x,y\n" + b"1,a\n2,b\n" * 500


def zipped(data: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rows.csv", data)
    return out.getvalue()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: bytes(pa.compress(data, "zstd", asbytes=True)),
    ".zip": zipped,
}


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_bomb_is_refused_and_leaves_nothing(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ALWAYS", 1 << 20)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    path = tmp_path / f"bomb.csv{suffix}"
    path.write_bytes(PACKERS[suffix](b"x,y\n" + b"1,2\n" * (1 << 19)))
    with pytest.raises(TableError, match=r"unpacks to more than .*--max-unpacked"):
        read_table(path)
    with pytest.raises(TableError, match="unpacks to more than 1,000 bytes"):
        read_table(path, max_unpacked=1000)
    assert not list((tmp_path / "scratch").iterdir())
    assert read_table(path, max_unpacked=8 << 20).n_rows == 1 << 19


def test_the_disk_is_a_limit_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(ROWS))
    monkeypatch.setattr(limits, "_free_disk", lambda: 1000)
    with pytest.raises(TableError, match=r"free disk under .* allows: set TMPDIR"):
        read_table(path, max_unpacked=1 << 40)


def test_an_archive_of_arrays_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ALWAYS", 1 << 20)
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, X=np.zeros((1 << 17, 8)))
    with pytest.raises(TableError, match="unpacks to more than"):
        read_table(path)
    assert read_table(path, max_unpacked=1 << 24).n_rows == 1 << 17
    monkeypatch.setattr(limits, "free_memory", lambda: 1 << 20)
    with pytest.raises(TableError, match="free memory allows"):
        read_table(path, max_unpacked=1 << 24)


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("how", ["cut", "changed", "other", "empty"])
def test_damaged_packed_files(tmp_path: Path, suffix: str, how: str) -> None:
    whole = PACKERS[suffix](np.random.default_rng(0).bytes(1000).hex().encode() + b"\n1\n")
    middle = len(whole) // 2
    path = tmp_path / f"rows.csv{suffix}"
    path.write_bytes(
        {
            "cut": whole[:middle],
            "changed": whole[: middle - 40] + bytes(80) + whole[middle + 40 :],
            "other": b"x,y\n1,2\n",
            "empty": b"",
        }[how]
    )
    with pytest.raises(TableError, match=r"cannot be unpacked \(|is empty"):
        read_table(path)


@pytest.mark.skipif(not LINUX, reason="needs /proc")
def test_nothing_is_left_after_a_kill(tmp_path: Path) -> None:
    path, left = tmp_path / "rows.csv.gz", tmp_path / "scratch"
    left.mkdir()
    path.write_bytes(gzip.compress(ROWS))
    program = (
        "import os, signal, sys\n"
        "from rarebit.tables import scan_table, _matrix\n"
        f"scan = scan_table({str(path)!r})\n"
        "mapped = _matrix._map_file((100, 10), 'f8', 8000)\n"
        "assert scan.read().n_rows == 1000\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = {**os.environ, "TMPDIR": str(left), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    assert not list(left.iterdir())


@pytest.mark.skipif(not LINUX, reason="needs /proc")
def test_rows_of_a_pipe_are_gone_after_a_kill(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys\n"
        "from rarebit.tables import read_table, save_standard_input\n"
        "assert read_table(save_standard_input()).n_rows == 1000\n"
        "if sys.argv[1] == 'kill': os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}

    def run(how: str) -> int:
        told = [sys.executable, "-c", program, how]
        return subprocess.run(told, input=ROWS, env=environment, check=False).returncode

    assert run("kill") == -signal.SIGKILL
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]
    # The folder that is left, without content, goes with the next process.
    assert run("end") == 0
    assert not list(tmp_path.iterdir())


def test_without_open_files_by_number_names_hold_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "_OPEN_FILES", tmp_path / "none")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    dead, alive = (
        tmp_path / f"rarebit-{ended.pid}-ab.tmp",
        tmp_path / f"rarebit-{os.getpid()}-ab.tmp",
    )
    for file in (dead, alive, tmp_path / "rarebit-notes-1.tmp"):
        file.write_bytes(b"x")
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "rows.csv.gz"
    path.write_bytes(gzip.compress(ROWS))
    scan = scan_table(path)
    assert not dead.exists()
    assert alive.exists()
    assert len(list(tmp_path.glob(f"rarebit-{os.getpid()}-*.tmp"))) == 2
    assert scan.read().n_rows == 1000
    del scan
    assert list(tmp_path.glob(f"rarebit-{os.getpid()}-*.tmp")) == [alive]
    assert (tmp_path / "rarebit-notes-1.tmp").exists()


@pytest.mark.skipif(not LINUX, reason="special files of Linux")
def test_special_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.csv")
    with socket.socket(socket.AF_UNIX) as end:
        end.bind("socket.csv")
    Path("zeros.csv").symlink_to("/dev/zero")
    for name, kind in (("pipe.csv", "pipe"), ("socket.csv", "socket"), ("zeros.csv", "device")):
        with pytest.raises(TableError, match=f"{name} is not a regular file but a {kind}: save"):
            read_table(name)
    (tmp_path / "images").mkdir()
    os.mkfifo("images/a.png")
    with pytest.raises(TableError, match="holds no images"):
        read_table("images")


@pytest.mark.parametrize("quote", [b"", b'"'])
def test_long_documents_are_read(tmp_path: Path, quote: bytes) -> None:
    document = b"word " * 60_000
    path = tmp_path / "texts.csv"
    path.write_bytes(b"key,text\na," + quote + document + quote + b"\nb,short\n")
    table = read_table(path, text="text", id="key")
    assert table.show(0).text == document.decode()
    assert table.show(1).text == "short"


@pytest.mark.parametrize(
    "text",
    [
        '"b\n' + "1,2\n" * 100_000,
        'a,"b\n' + "1,2\n" * 100_000,
        'a,b\n1,x\n2,"y\n3,z\n',
        'a,b\n1,2\n2,"3\n' + "4,5\n" * 100_000,
        'a,b\n1,x\n2,y"y\n3,z\n',
    ],
)
def test_quotes_that_do_not_match(tmp_path: Path, text: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(text)
    with pytest.raises(TableError, match=r"rows\.csv has (a quote|quotes)"):
        read_table(path)


def test_deep_json(tmp_path: Path) -> None:
    path = tmp_path / "deep.jsonl"
    for text in (
        '{"a":' + "[" * 100_000 + "]" * 100_000 + "}\n",
        '{"a":' * 50_000 + "1" + "}" * 50_000,
    ):
        path.write_text(text)
        with pytest.raises(TableError, match=r"deep\.jsonl"):
            read_table(path)


def test_svmlight_with_columns_of_large_numbers(tmp_path: Path) -> None:
    path = tmp_path / "rows.svmlight"
    path.write_text("1 2000000000:1\n-1 7:2.5\n1 2000000000:3 2147483646:nan\n")
    tracemalloc.start()
    table = read_table(path)
    features = TableEncoder().fit_transform(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 << 20
    assert table.number_names == ("f7", "f2000000000", "f2147483646")
    assert table.show(0).fields == {"f2000000000": 1}
    assert features.shape[0] == 3
    assert "left out" in table.notes[0]
    other = tmp_path / "other.svmlight"
    other.write_text("1 2000000000:1\n")
    encoder = TableEncoder().fit(table)
    again = encoder.transform(read_table(other, schema=encoder.schema_))
    np.testing.assert_array_equal(again.toarray(), features[[0]].toarray())
    path.write_text("1 99999999999999:1\n")
    with pytest.raises(TableError, match="numbers up to 2,147,483,647"):
        read_table(path)


def csr(path: Path, **wrong: object) -> Path:
    parts: dict[str, object] = {
        "data": np.ones(3),
        "indices": np.array([0, 1, 2], dtype=np.int32),
        "indptr": np.array([0, 1, 3], dtype=np.int32),
        "shape": np.array([2, 3]),
        "format": np.array(b"csr"),
    }
    np.savez(path, **(parts | wrong))  # type: ignore[arg-type]
    return path


@pytest.mark.parametrize(
    "wrong",
    [
        {"indices": np.array([0, 1, 3])},
        {"indices": np.array([0, -1, 2])},
        {"indptr": np.array([0, 3, 1])},
        {"indptr": np.array([0, 1, 1000])},
        {"indptr": np.array([2, 2, 3])},
        {"shape": np.array([2, 3, 4])},
        {"shape": np.array(["a", "b"])},
        {"format": np.array(b"csc"), "indices": np.array([0, 1, 9]), "shape": np.array([3, 2])},
        {"format": np.array(b"xyz")},
        {"format": np.array(7)},
        {"data": np.array(["a", "b", "c"])},
        {"data": np.ones(3, dtype=complex)},
        {"data": np.array([{}, 1, 2], dtype=object)},
        {"format": np.array(b"csc"), "shape": np.array([1 << 40, 2])},
    ],
)
def test_sparse_rows_that_lie(tmp_path: Path, wrong: dict[str, object]) -> None:
    with pytest.raises(TableError, match=r"^(The features of )?m\.npz .*\.$"):
        read_table(csr(tmp_path / "m.npz", **wrong))


def test_sparse_rows_of_endless_width(tmp_path: Path) -> None:
    table = read_table(csr(tmp_path / "m.npz", shape=np.array([2, 1 << 62])))
    assert table.number_names == ("x1", "x2", "x3")
    np.testing.assert_array_equal(table.numbers.toarray(), [[1, 0, 0], [0, 1, 1]])
    rows = sparse.csc_array(np.array([[0.0, 2.0], [3.0, 0.0]]))
    sparse.save_npz(tmp_path / "c.npz", rows)
    np.testing.assert_array_equal(read_table(tmp_path / "c.npz").numbers.toarray(), rows.toarray())


def header(text: str) -> bytes:
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + bytes(64)


@pytest.mark.parametrize(
    "data",
    [
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776, 8), }"),
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (-4, 8), }"),
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (3, (, }"),
        header("{'descr': '<f8', 'fortran_order': False, 'shape': " + "(" * 3000),
        header("{'descr': '|O', 'fortran_order': False, 'shape': (1, 8), }"),
        header("{'descr': '<c16', 'fortran_order': False, 'shape': (1, 4), }"),
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 0), }"),
        header("{'descr': '<f8', "),
        b"\x93NUMPY\x01",
        b"\x93NUMPY\x07\x00\x02\x00{}",
        zipped(ROWS),
        b"",
    ],
)
def test_arrays_that_lie(tmp_path: Path, data: bytes) -> None:
    for name in ("a.npy", "a.npz"):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(TableError, match=r"a\.np[yz] [^\n]*\.$"):
            read_table(tmp_path / name)
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
        archive.writestr("X.npy", data)
    with pytest.raises(TableError, match=r"b\.npz [^\n]*\.$"):
        read_table(tmp_path / "b.npz")


def test_text_of_arrays_that_is_none(tmp_path: Path) -> None:
    X = np.zeros((2, 2))
    for bad in (np.array([b"\xff", b"a"]), np.array(["\ud800", "a"])):
        np.savez(tmp_path / "a.npz", X=X, y=bad)
        with pytest.raises(TableError, match="not valid text"):
            read_table(tmp_path / "a.npz")
        np.savez(tmp_path / "a.npz", X=X, ids=bad)
        with pytest.raises(TableError, match="not valid text"):
            read_table(tmp_path / "a.npz")
    np.savez(tmp_path / "a.npz", X=X, y=np.array([np.inf, 1.0]))
    assert set(read_table(tmp_path / "a.npz").target) == {"inf", "1.0"}  # type: ignore[arg-type]


def test_too_wide(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((1, limits.MAX_COLUMNS + 1), dtype=np.uint8))
    with pytest.raises(TableError, match="1,000,001 columns, and dense rows may have up to"):
        read_table(tmp_path / "a.npy")


def test_images_that_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Image.new("L", (40, 40)).save(tmp_path / "a.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    with pytest.raises(TableError, match=r"a\.png has more pixels than the 200 that an image may"):
        read_table(tmp_path)
    monkeypatch.undo()
    whole = (tmp_path / "a.png").read_bytes()
    for data in (whole[:40], whole[:20], b"II*\0" + b"\xff" * 40, b"P5\n99999999999 1\n255\n"):
        (tmp_path / "a.png").write_bytes(data)
        with pytest.raises(TableError, match=r"a\.png cannot be read as an image|more pixels"):
            read_table(tmp_path)


def test_sparse_cells_that_are_no_numbers_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "rows.svmlight"
    path.write_text("1 1:1 2:nan\n-1 1:2 2:3\n1 1:inf 2:4\n")
    encoder = TableEncoder()
    features = encoder.fit_transform(read_table(path))
    assert np.isfinite(features.data).all()
    assert encoder.missing_ == {"f1": 1, "f2": 1}
    path.write_text("1\n-1\n")
    with pytest.raises(TableError, match="can be learned from"):
        TableEncoder().fit(read_table(path))


def test_a_hundred_thousand_columns(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(100_000)]
    path = tmp_path / "wide.csv"
    path.write_text(",".join(names) + "\n" + "\n".join(["1," * 99_999 + "2"] * 2) + "\n")
    table = read_table(path)
    assert table.number_names == tuple(names)
    assert table.numbers.sum() == 2 * (99_999 + 2)


def test_ragged_lines_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('x,y\n1,"a\nb"\n2,c\n3,d,e\n')
    with pytest.raises(TableError, match=r"^Line 5 of rows\.csv has more fields than there are"):
        read_table(path)


def test_delimiters_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes(ROWS)
    for delimiter in ('"', "\n", "\r", ",,", "é"):
        with pytest.raises(TableError, match="A delimiter must be one character"):
            read_table(tmp_path / "rows.csv", delimiter=delimiter)


@pytest.mark.parametrize("encoding", ["zip", "rot13", "hex", "undefined"])
def test_encodings_that_are_no_text(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "rows.csv").write_bytes(ROWS)
    with pytest.raises(TableError, match="encoding"):
        read_table(tmp_path / "rows.csv", encoding=encoding)


def test_parquet_bytes_that_change(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    pl.DataFrame({"x": rng.normal(size=50), "y": ["a", "b"] * 25}).write_parquet(tmp_path / "w")
    whole = (tmp_path / "w").read_bytes()
    for place in rng.integers(0, len(whole), 60):
        data = bytearray(whole)
        data[place] ^= int(rng.integers(1, 256))
        (tmp_path / "a.parquet").write_bytes(data)
        # Read or refused, nothing else: a panic of polars is no Exception.
        with contextlib.suppress(TableError):
            read_table(tmp_path / "a.parquet")


def test_small_files_of_many_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ALWAYS", 1 << 16)
    monkeypatch.setattr(limits, "TIMES_CELLS", 20)
    pl.DataFrame({"x": np.zeros(100_000), "z": np.ones(100_000)}).write_parquet(
        tmp_path / "a.parquet"
    )
    (tmp_path / "a.csv").write_text(",".join(f"c{i}" for i in range(2000)) + "\n" + "1\n" * 2000)
    (tmp_path / "a.jsonl").write_text("".join(f'{{"k{i}":1}}\n' for i in range(2000)))
    for name in ("a.parquet", "a.csv", "a.jsonl"):
        with pytest.raises(TableError, match=rf"{name} .* has more than [\d,]+ cells"):
            read_table(tmp_path / name)
    assert read_table(tmp_path / "a.parquet", max_unpacked=1 << 24).n_rows == 100_000


def test_lines_that_are_no_json_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    for bad in ('{"x": 1', "[1, 2]", '{"x": nul}', "x"):
        path.write_text('{"x": 1}\n' * 4 + f'{bad}\n{{"x": 2}}\n')
        with pytest.raises(TableError, match=r"^Line 5 of rows\.jsonl is not a JSON object: write"):
            read_table(path)
