"""Raw sets from the network, with the network replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np
import pytest
from sklearn.utils import Bunch

from rarebit.datasets import DataMismatchError, DataNotFoundError, load_raw
from rarebit.datasets import _fetch as fetch_module
from rarebit.datasets._registry import SETS


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_cache: None) -> Path:
    monkeypatch.delenv("RAREBIT_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    return tmp_path


def answer(monkeypatch: pytest.MonkeyPatch, bunch: Bunch | Exception) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = []

    def fake(**options: Any) -> Bunch:
        calls.append(options)
        if isinstance(bunch, Exception):
            raise bunch
        return bunch

    monkeypatch.setattr(fetch_module, "fetch_openml", fake)
    monkeypatch.setattr(fetch_module, "fetch_kddcup99", fake)
    return calls


def haberman(n_second: int = 81) -> Bunch:
    n = 225 + n_second
    return Bunch(
        data=np.column_stack([np.full(n, 30.0), np.arange(n) % 3, np.zeros(n)]),
        target=np.array(["1"] * 225 + ["2"] * n_second, dtype=object),
        feature_names=["age", "year", "nodes"],
        categories={"year": ["58", "60", "69"]},
    )


def test_openml_rows_are_asked_for_by_id(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = answer(monkeypatch, haberman())
    raw = load_raw("haberman")
    assert calls == [{"data_id": 43, "as_frame": False, "parser": "liac-arff"}]
    assert raw.categories == {}
    assert raw.X[:3, 1].tolist() == [58.0, 60.0, 69.0]


def test_parsed_rows_are_kept_and_reused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, haberman())
    first = load_raw("haberman")
    assert [path.name for path in (home / "rarebit").iterdir()] == ["haberman.npz"]
    answer(monkeypatch, URLError("must not be asked"))
    fetched = fetch_module.fetch_set(SETS["haberman"])
    np.testing.assert_array_equal(fetched[0], first.X)
    np.testing.assert_array_equal(fetched[1], first.y)


def test_wrong_rows_are_not_kept(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, haberman(80))
    with pytest.raises(DataMismatchError):
        load_raw("haberman")
    assert not (home / "rarebit").exists()


def test_no_network_names_the_next_step(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, URLError("no route"))
    with pytest.raises(DataNotFoundError, match=r"no route.*set RAREBIT_DATA to a directory"):
        load_raw("haberman")


def test_a_set_that_openml_lacks_says_where_to_get_it(home: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"LIBSVM data page.*save it as a9a_train\.csv\.gz"):
        load_raw("a9a_train")


def test_names_become_sorted_codes(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = SETS["car"]
    labels = [c for c, count in info.class_counts.items() for _ in range(count)]
    columns = [f"c{j}" for j in range(6)]
    bunch = Bunch(
        data=np.tile(np.arange(3.0), 576)[:, None].repeat(6, axis=1),
        target=np.array(labels, dtype=object),
        feature_names=columns,
        categories={column: ["vhigh", "low", "'med'"] for column in columns},
    )
    answer(monkeypatch, bunch)
    raw = load_raw("car")
    assert raw.categories[0] == ("low", "med", "vhigh")
    assert raw.X[:3, 0].tolist() == [2.0, 0.0, 1.0]


def test_a_missing_name_is_a_name_of_its_own() -> None:
    codes, names = fetch_module._sorted_codes(np.array([0.0, np.nan, 1.0]), ["b", "a"])
    assert names == ("?", "a", "b")
    assert codes.tolist() == [2.0, 0.0, 1.0]


def test_one_part_of_a_joined_set(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    labels = np.repeat(["0"], 58000).astype(object)
    counts = SETS["shuttle_test"].class_counts
    labels[43500:] = [c for c, count in counts.items() for _ in range(count)]
    data = np.arange(58000.0)[:, None].repeat(9, axis=1)
    bunch = Bunch(data=data, target=labels, feature_names=list("ABCDEFGHI"), categories={})
    answer(monkeypatch, bunch)
    raw = load_raw("shuttle_test")
    assert raw.X[[0, -1], 0].tolist() == [43500.0, 57999.0]


def test_images_are_compact_and_know_their_training_part(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = SETS["usps"]
    labels = [float(c) + 1 for c, count in info.class_counts.items() for _ in range(count)]
    bunch = Bunch(
        data=np.full((info.n_rows, 256), -0.5),
        target=np.array(labels),
        feature_names=[str(j) for j in range(256)],
        categories={},
    )
    answer(monkeypatch, bunch)
    raw = load_raw("usps")
    assert raw.X.dtype == np.float32
    assert raw.y[0] == "0"
    assert raw.train is not None
    assert raw.train.sum() == 7291


def test_kddcup99_comes_from_scikit_learn(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = np.zeros((4, 41), dtype=object)
    data[:, 1] = [b"tcp", b"udp", b"icmp", b"tcp"]
    data[:, 2], data[:, 3] = b"http", b"SF"
    bunch = Bunch(data=data, target=np.array([b"normal.", b"smurf."] * 2, dtype=object))
    answer(monkeypatch, bunch)
    X, y, categories = fetch_module._from_kddcup99(SETS["kddcup99_10pct"])
    assert categories[1] == ("icmp", "tcp", "udp")
    assert X[:, 1].tolist() == [1.0, 2.0, 0.0, 1.0]
    assert y.tolist() == ["normal", "smurf"] * 2
