"""Parquet, JSON lines, SVMlight, arrays, folders of images; larger than memory."""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from rarebit.tables import Table, TableEncoder, TableError, read_table, scan_table
from rarebit.tables import _matrix as matrix
from rarebit.tables._frame_scan import FrameScan

FRAME = pl.DataFrame(
    {
        "key": ["a", "b", "c", "d"],
        "x": [1, 2, None, 4],
        "flag": [True, False, True, None],
        "word": ["u", None, "v", "u"],
        "day": [None, *pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 1, 3), eager=True)],
        "list": [["p"], ["q"], [], ["p", "q"]],
        "y": [0, 0, 1, 1],
    }
)


def check_frame(table: Table) -> None:
    assert table.ids.tolist() == ["a", "b", "c", "d"]
    np.testing.assert_array_equal(table.numbers[:, 0], [1, 2, np.nan, 4])
    np.testing.assert_array_equal(table.numbers[:, 1], [1, 0, 1, np.nan])
    assert table.records["word"].to_list() == ["u", None, "v", "u"]
    assert table.target is not None
    assert table.target.tolist() == ["0", "0", "1", "1"]
    assert any("list" in note for note in table.notes)


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    FRAME.write_parquet(path)
    table = read_table(path, target="y", id="key")
    check_frame(table)
    assert table.records["day"].dtype == pl.Datetime
    assert table.fingerprint == hashlib.sha256(path.read_bytes()).hexdigest()


def test_json_lines(tmp_path: Path) -> None:
    FRAME.write_ndjson(tmp_path / "a.jsonl")
    check_frame(read_table(tmp_path / "a.jsonl", target="y", id="key"))


def test_json_lines_with_a_word_among_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"x": 1, "z": 2}\n' * 11_000 + '{"x": "none of it", "z": 3}\n')
    table = read_table(path)
    assert table.number_names == ("z",)
    assert table.records["x"][-1] == "none of it"
    with pytest.raises(TableError, match=r"'x' of a\.jsonl must hold numbers"):
        read_table(path, schema={"x": "number"})


def test_broken_files_are_named(tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    for cut in (0, 3, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut.parquet").write_bytes(whole[:cut])
        with pytest.raises(TableError, match=r"cut\.parquet"):
            read_table(tmp_path / "cut.parquet")
    (tmp_path / "bad.jsonl").write_text('{"x": 1}\n{"x": \n')
    with pytest.raises(TableError, match=r"bad\.jsonl"):
        read_table(tmp_path / "bad.jsonl")


def test_svmlight(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = sparse.random_array((60, 12), density=0.3, rng=rng, format="csr")
    y = np.where(rng.random(60) < 0.2, 1, -1)
    path = tmp_path / "rows.svmlight"
    dump_svmlight_file(X, y, str(path), zero_based=False)
    table = read_table(path)
    assert table.target is not None
    assert table.target.tolist() == y.astype(str).tolist()
    np.testing.assert_allclose(table.numbers[:, 1:].toarray(), X.toarray())
    encoder = TableEncoder().fit(table)
    features = encoder.transform(table)
    assert sparse.issparse(features)
    # A file whose rows lack the last features still has them.
    (tmp_path / "one.svmlight").write_text("1 1:1.0\n")
    other = read_table(tmp_path / "one.svmlight", schema=encoder.schema_)
    assert encoder.transform(other).shape == (1, features.shape[1])
    (tmp_path / "bad.svmlight").write_text("a,b,c\n1,2,3\n")
    with pytest.raises(TableError, match="is not an SVMlight file"):
        read_table(tmp_path / "bad.svmlight")


def test_arrays_of_an_archive(tmp_path: Path, rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(20, 3)), np.arange(20) % 2
    np.savez(tmp_path / "a.npz", X=X, y=y, ids=[f"r{i}" for i in range(20)])
    table = read_table(tmp_path / "a.npz")
    np.testing.assert_array_equal(table.numbers, X)
    assert table.ids[3] == "r3"
    assert table.target is not None
    assert set(table.target) == {"0", "1"}
    np.savez(tmp_path / "b.npz", rows=X, kind=y)
    assert read_table(tmp_path / "b.npz", target="kind").target_name == "kind"
    with pytest.raises(TableError, match="no target array 'klass'"):
        read_table(tmp_path / "b.npz", target="klass")
    sparse.save_npz(tmp_path / "c.npz", sparse.csr_array(X))
    assert read_table(tmp_path / "c.npz").numbers.shape == (20, 3)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": np.zeros((3, 2)), "y": np.zeros(4)}, "3 rows and classes of shape"),
        ({"X": np.zeros(3)}, "must be numbers"),
        ({"X": np.array([["a"]])}, "must be numbers"),
        ({"X": np.zeros((0, 2))}, "no rows"),
        ({"u": np.zeros(3)}, "none of them is called X"),
        ({"X": np.array([[{}]], dtype=object)}, "hold Python objects"),
    ],
)
def test_arrays_that_are_no_table(
    tmp_path: Path, arrays: dict[str, np.ndarray], message: str
) -> None:
    np.savez(tmp_path / "a.npz", **arrays)  # type: ignore[arg-type]
    with pytest.raises(TableError, match=message):
        read_table(tmp_path / "a.npz")


def test_one_array_is_mapped(tmp_path: Path, rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 4)).astype(np.float32)
    np.save(tmp_path / "a.npy", X)
    np.save(tmp_path / "classes.npy", np.arange(50) % 3)
    table = read_table(tmp_path / "a.npy", target="classes.npy")
    assert isinstance(table.numbers, np.memmap)
    features = TableEncoder().fit_transform(table)
    assert features.dtype == np.float32
    np.testing.assert_allclose(features.mean(axis=0), 0, atol=1e-6)
    (tmp_path / "cut.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:200])
    with pytest.raises(TableError, match=r"cut\.npy cannot be read"):
        read_table(tmp_path / "cut.npy")
    with pytest.raises(TableError, match="second NPY file"):
        read_table(tmp_path / "a.npy", target="y")


def test_images_in_arrays(tmp_path: Path, rng: np.random.Generator) -> None:
    images = rng.integers(0, 256, size=(6, 9, 9), dtype=np.uint8)
    np.savez(tmp_path / "a.npz", X=images)
    np.savez(tmp_path / "flat.npz", X=images.reshape(6, -1))
    for name in ("a.npz", "flat.npz"):
        table = read_table(tmp_path / name)
        np.testing.assert_array_equal(table.show(2).image, images[2])
        np.testing.assert_array_equal(table.take([4, 2]).show(1).image, images[2])
        assert TableEncoder().fit_transform(table).max() <= 1.0


@pytest.mark.parametrize("colours", [False, True])
def test_a_folder_of_images(tmp_path: Path, rng: np.random.Generator, colours: bool) -> None:
    shape = (20, 24, 3) if colours else (20, 24)
    for kind, n in (("cat", 3), ("dog", 2)):
        (tmp_path / "pets" / kind).mkdir(parents=True)
        for i in range(n):
            pixels = rng.integers(0, 256, size=shape, dtype=np.uint8)
            Image.fromarray(pixels).save(tmp_path / "pets" / kind / f"{i}.png")
    scan = scan_table(tmp_path / "pets", image_size=8)
    table = scan.read()
    assert table.ids.tolist()[:2] == ["cat/0.png", "cat/1.png"]
    assert table.target is not None
    assert table.target.tolist() == ["cat"] * 3 + ["dog"] * 2
    assert table.numbers.shape == (5, 180 if colours else 174)
    pixels = read_table(tmp_path / "pets", image_size=8, image_features="pixels")
    assert pixels.numbers.shape == (5, 64 * (3 if colours else 1))
    shown = table.show(0).image
    assert shown is not None
    assert shown.shape == shape
    assert [part.n_rows for part in scan.batches(2)] == [2, 2, 1]
    encoder = TableEncoder().fit(table)
    schema = encoder.schema_
    other = read_table(tmp_path / "pets" / "dog", image_size=8, schema=schema)
    np.testing.assert_array_equal(encoder.transform(other), encoder.transform(table)[3:])
    (tmp_path / "pets" / "dog" / "bad.png").write_bytes(b"no image")
    # One file that is no image must not stop ten thousand others; a folder of such files does.
    kept = read_table(tmp_path / "pets")
    assert kept.ids.tolist() == table.ids.tolist()
    assert kept.notes[-1].endswith("cannot be read as an image and is left out: dog/bad.png.")
    again = scan_table(tmp_path / "pets")
    assert [part.n_rows for part in again.batches(2)] == [2, 2, 1]
    assert "dog/bad.png" in again.notes[-1]
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "bad.png").write_bytes(b"no image")
    with pytest.raises(TableError, match=r"bad\.png cannot be read"):
        read_table(tmp_path / "bad")


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="holds no images"):
        read_table(tmp_path)


def test_numbers_larger_than_memory_are_mapped(
    tmp_path: Path, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.normal(size=(5000, 6))
    pl.DataFrame(X).write_parquet(tmp_path / "a.parquet")
    expected = TableEncoder().fit_transform(read_table(tmp_path / "a.parquet"))
    monkeypatch.setattr(matrix, "free_memory", lambda: 100_000)
    table = read_table(tmp_path / "a.parquet")
    assert isinstance(table.numbers, np.memmap)
    np.testing.assert_array_equal(table.numbers, X)
    encoder = TableEncoder().fit(table)
    copied = encoder.transform(table)
    assert isinstance(copied, np.memmap)
    np.testing.assert_array_equal(copied, expected)
    np.testing.assert_array_equal(encoder.transform(table, copy=False), expected)


def test_large_tables_of_which_rows_are_shown_leave_memory(
    tmp_path: Path, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.normal(size=(5000, 6))
    X[7, 2] = np.nan
    pl.DataFrame(X).write_parquet(tmp_path / "a.parquet")
    np.save(tmp_path / "a.npy", X)
    monkeypatch.setattr(matrix, "SPILLED", 100_000)
    monkeypatch.setattr("rarebit.tables._arrays.SPILLED", 100_000)
    monkeypatch.setattr(matrix, "LET_GO", 1000)
    monkeypatch.setattr("rarebit.tables._numbers.LET_GO", 1000)
    expected = TableEncoder().fit_transform(read_table(tmp_path / "a.parquet"))
    assert expected.dtype == np.float64
    for name in ("a.parquet", "a.npy"):
        table = read_table(tmp_path / name, spill=True)
        assert table.spilled
        assert isinstance(table.numbers, np.memmap)
        np.testing.assert_array_equal(table.numbers, X)
        assert list(table.show(3).fields.values()) == X[3].tolist()
        assert list(table.show(7).fields.values())[2] is None
        features = TableEncoder().fit_transform(table)
        assert features.dtype == np.float32
        np.testing.assert_allclose(features, expected, rtol=1e-6, atol=1e-6)
    small = read_table(tmp_path / "a.parquet", spill=True, drop=["column_1", "column_2"])
    assert small.spilled  # 160,000 bytes
    monkeypatch.setattr(matrix, "SPILLED", 1 << 20)
    assert not read_table(tmp_path / "a.parquet", spill=True).spilled


def test_without_room_for_a_file_numbers_stay_in_memory(
    tmp_path: Path, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.normal(size=(500, 6))
    pl.DataFrame(X).write_csv(tmp_path / "a.csv")
    monkeypatch.setattr(matrix, "SPILLED", 100)

    def full(*where: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(matrix.os, "posix_fallocate", full)
    table = read_table(tmp_path / "a.csv", spill=True)
    assert not table.spilled
    np.testing.assert_array_equal(table.numbers, X)
    monkeypatch.setattr(matrix, "free_memory", lambda: 100)
    with pytest.raises(OSError, match="No space left"):
        read_table(tmp_path / "a.csv", spill=True)


def test_more_rows_than_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    for memory in (1 << 40, 100):
        monkeypatch.setattr(matrix, "free_memory", lambda memory=memory: memory)
        rows = matrix.GrowingMatrix(2, expected=3, spill=True)
        blocks = [np.full((n, 2), float(n)) for n in (2, 5, 40)]
        for block in blocks:
            rows.append(block)
        np.testing.assert_array_equal(rows.finish(), np.concatenate(blocks))


def test_reading_keeps_one_copy_of_the_numbers(
    tmp_path: Path, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A view of a batch, however small, would keep all of it alive until the last row is read."""
    pl.DataFrame(rng.normal(size=(60_000, 5))).write_csv(tmp_path / "a.csv")
    batches = FrameScan.batches
    alive: list[int] = []

    def watched(self: FrameScan, n_rows: int | None = None) -> Iterator[Table]:
        seen: list[weakref.ref[np.ndarray]] = []
        for part in batches(self, 5000):
            part = replace(part, numbers=np.array(part.numbers))
            seen.append(weakref.ref(part.numbers))
            yield part
            alive.append(sum(each() is not None for each in seen))

    monkeypatch.setattr(FrameScan, "batches", watched)
    assert read_table(tmp_path / "a.csv").n_rows == 60_000
    assert len(alive) > 3
    assert max(alive) == 1
