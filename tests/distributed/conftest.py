"""A cluster of two worker processes and a pool of five files, for all tests of this folder."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

if importlib.util.find_spec("distributed") is None:
    collect_ignore_glob = ["test_*.py"]  # dask is not installed
sys.path.insert(0, str(Path(__file__).parent))

from pools import make_frame

from rarebit.distributed import PartitionedPool, open_cluster


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    with open_cluster("local", n_workers=2, memory_limit="1GB") as found:
        yield found


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("cluster") / "payments"
    place.mkdir()
    for i, n_rows in enumerate((700, 1, 900, 400, 500)):
        frame = make_frame(n_rows, i)
        if i % 2:
            frame.write_csv(place / f"part-{i}.csv")
        else:
            frame.write_parquet(place / f"part-{i}.parquet")
    return place


@pytest.fixture(scope="session")
def pool(client: Any, folder: Path) -> PartitionedPool:
    return PartitionedPool.open(client, folder, id="payment", drop=["class"])
