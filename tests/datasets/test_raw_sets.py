"""Raw sets from the data directory."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rarebit.datasets import DataMismatchError, DataNotFoundError, list_sets, load_raw
from rarebit.datasets._registry import SETS

Need = Callable[..., None]


def write_haberman(directory: Path, n_first: int = 225, n_second: int = 81) -> None:
    labels = ["1"] * n_first + ["2"] * n_second
    lines = ["age,op_year,pos_nodes,label"]
    lines += [f"{30 + i % 50},{58 + i % 12},{i % 7 or ''},{c}" for i, c in enumerate(labels)]
    with gzip.open(directory / "haberman.csv.gz", "wt", encoding="utf-8") as stream:
        stream.write("\n".join(lines) + "\n")


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_cache: None) -> Path:
    monkeypatch.setenv("RAREBIT_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow if "kdd" in n else ()) for n in list_sets()],
)
def test_every_set_has_its_counts_and_checksum(name: str, need: Need) -> None:
    need(name)
    raw = load_raw(name, verify=True)
    info = SETS[name]
    assert len(raw.X) == len(raw.y) == info.n_rows
    assert sorted(raw.categories) == sorted(info.categorical)
    assert (raw.train is None) or raw.train.sum() == (info.n_train or 7770)
    for j, names in raw.categories.items():
        assert list(names) == sorted(names)
        assert np.unique(raw.X[:, j]).tolist() == list(range(len(names)))


def test_class_counts_cover_all_rows() -> None:
    for info in SETS.values():
        if info.name != "reuters":
            assert sum(info.class_counts.values()) == info.n_rows


def test_a_file_is_read_with_missing_cells(directory: Path) -> None:
    write_haberman(directory)
    raw = load_raw("haberman")
    assert raw.X.shape == (306, 3)
    assert np.isnan(raw.X[0, 2])
    assert raw.X[1].tolist() == [31.0, 59.0, 1.0]
    assert raw.y[[0, -1]].tolist() == ["1", "2"]
    assert repr(raw) == "RawSet('haberman', 306 rows, 3 features, 2 classes)"


def test_loading_twice_reads_once_and_protects_the_arrays(directory: Path) -> None:
    write_haberman(directory)
    raw = load_raw("haberman")
    assert load_raw("haberman") is raw
    with pytest.raises(ValueError, match="read-only"):
        raw.X[0, 0] = 1.0


def test_nothing_is_written_into_the_directory(directory: Path) -> None:
    write_haberman(directory)
    load_raw("haberman")
    assert [path.name for path in directory.iterdir()] == ["haberman.csv.gz"]


def test_wrong_row_count_is_an_error(directory: Path) -> None:
    write_haberman(directory, 225, 80)
    with pytest.raises(DataMismatchError, match=r"must have shape \(306, 3\), got \(305, 3\)"):
        load_raw("haberman")


def test_wrong_class_counts_are_an_error(directory: Path) -> None:
    write_haberman(directory, 224, 82)
    with pytest.raises(DataMismatchError, match="must have class counts"):
        load_raw("haberman")


def test_checksum_is_compared_on_request_only(directory: Path) -> None:
    write_haberman(directory)
    load_raw("haberman")
    with pytest.raises(DataMismatchError, match="SHA-256"):
        load_raw("haberman", verify=True)


def test_absent_file_without_download_says_what_to_do(directory: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"put letter\.csv\.gz into the directory"):
        load_raw("letter", download=False)


def test_a_directory_that_is_none_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fresh_cache: None
) -> None:
    monkeypatch.setenv("RAREBIT_DATA", str(tmp_path / "absent"))
    with pytest.raises(DataNotFoundError, match="not a directory: correct it, or unset it"):
        load_raw("letter")


def test_unknown_name_lists_the_names() -> None:
    with pytest.raises(ValueError, match=r"no data set 'iris': choose one of a9a_test, "):
        load_raw("iris")


def test_errors_are_value_errors_and_os_errors() -> None:
    assert issubclass(DataNotFoundError, ValueError)
    assert issubclass(DataNotFoundError, FileNotFoundError)
