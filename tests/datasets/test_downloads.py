"""Downloads by scikit-learn's real client from an OpenML that runs on this machine."""

from __future__ import annotations

import hashlib
import io
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import numpy as np
import pytest
from sklearn.datasets import _openml

from rarebit.datasets import DataMismatchError, DataNotFoundError, _watch, fetch, load_raw
from rarebit.datasets._registry import SETS
from rarebit.datasets._watch import Watch

HABERMAN = 43
COLUMNS = ("age", "year", "nodes", "class")


def make_arff(n_second: int = 81) -> bytes:
    """Return haberman as OpenML serves it, with invented ages."""
    lines = ["@RELATION haberman", "@ATTRIBUTE age NUMERIC", "@ATTRIBUTE year {58,60,69}"]
    lines += ["@ATTRIBUTE nodes NUMERIC", "@ATTRIBUTE class {1,2}", "@DATA"]
    labels = ["1"] * 225 + ["2"] * n_second
    lines += [f"{30 + i % 50},{(58, 60, 69)[i % 3]},{i % 7},{c}" for i, c in enumerate(labels)]
    return ("\n".join(lines) + "\n").encode()


class LocalOpenML(ThreadingHTTPServer):
    """What OpenML answers for one set; ``sent`` may differ from what its checksum is of."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.described = self.sent = make_arff()
        self.asked: Counter[str] = Counter()
        self.announced, self.pause = 306, 0.0

    def description(self) -> dict[str, Any]:
        return {
            "data_set_description": {
                "id": str(HABERMAN), "name": "haberman", "version": "1", "status": "active",
                "description": "", "format": "ARFF", "file_id": "43",
                "url": "https://www.openml.org/data/v1/download/43/haberman.arff",
                "md5_checksum": hashlib.md5(self.described, usedforsecurity=False).hexdigest(),
                "default_target_attribute": "class",
            }
        }  # fmt: skip

    def features(self) -> dict[str, Any]:
        kinds = {"year": "nominal", "class": "nominal"}
        features = [
            {
                "index": str(i), "name": name, "data_type": kinds.get(name, "numeric"),
                "is_target": str(name == "class").lower(), "is_ignore": "false",
                "is_row_identifier": "false", "number_of_missing_values": "0",
            }
            for i, name in enumerate(COLUMNS)
        ]  # fmt: skip
        return {"data_features": {"feature": features}}


class Answer(BaseHTTPRequestHandler):
    server: LocalOpenML

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        self.server.asked[path] += 1
        if path.endswith(f"/features/{HABERMAN}"):
            body = json.dumps(self.server.features()).encode()
        elif path.endswith(f"/qualities/{HABERMAN}"):
            quality = {"name": "NumberOfInstances", "value": str(self.server.announced)}
            body = json.dumps({"data_qualities": {"quality": [quality]}}).encode()
        elif path.endswith(f"/data/{HABERMAN}"):
            body = json.dumps(self.server.description()).encode()
        else:
            body = self.server.sent
            time.sleep(self.server.pause)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def openml(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_cache: None
) -> Iterator[LocalOpenML]:
    """Send scikit-learn's requests for OpenML to a server of our own; all else is real."""
    monkeypatch.delenv("RAREBIT_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    server = LocalOpenML()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()

    def nearer(request: Request, *args: Any, **options: Any) -> Any:
        address = f"http://127.0.0.1:{server.server_port}{urlsplit(request.full_url).path}"
        return urlopen(Request(address, headers=dict(request.header_items())), *args, **options)

    monkeypatch.setattr(_openml, "urlopen", nearer)
    yield server
    server.shutdown()
    server.server_close()


def downloads(server: LocalOpenML) -> int:
    return sum(n for path, n in server.asked.items() if path.endswith(".arff"))


def test_rows_come_over_the_network_once(openml: LocalOpenML, tmp_path: Path) -> None:
    raw = load_raw("haberman")
    assert raw.X.shape == (306, 3)
    assert raw.X[:3].tolist() == [[30.0, 58.0, 0.0], [31.0, 60.0, 1.0], [32.0, 69.0, 2.0]]
    assert raw.y[[0, -1]].tolist() == ["1", "2"]
    assert fetch("haberman") == tmp_path / "rarebit" / "haberman.npz"
    assert downloads(openml) == 1


def test_a_kept_file_that_is_spoilt_is_fetched_anew(openml: LocalOpenML) -> None:
    path = fetch("haberman")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    raw = load_raw("haberman")
    assert raw.X.shape == (306, 3)
    with np.load(path) as arrays:
        np.testing.assert_array_equal(arrays["X"], raw.X)


@pytest.mark.filterwarnings("ignore:.*redownloading")
def test_a_wrong_checksum_is_told_and_nothing_is_kept(openml: LocalOpenML, tmp_path: Path) -> None:
    openml.sent = openml.described.replace(b"30,58", b"31,58")
    with pytest.raises(DataMismatchError, match=r"checksum.*set RAREBIT_DATA to a directory"):
        load_raw("haberman")
    assert downloads(openml) == 2
    assert not (tmp_path / "rarebit").exists()


@pytest.mark.filterwarnings("ignore:.*redownloading")
@pytest.mark.parametrize(
    ("announced", "message"),
    [(305, r"must have shape \(306, 3\), got \(305, 3\)"), (306, "damaged or another edition")],
)
def test_another_edition_with_its_own_checksum_is_told(
    openml: LocalOpenML, announced: int, message: str
) -> None:
    openml.described = openml.sent = make_arff(80)
    openml.announced = announced
    with pytest.raises(DataMismatchError, match=message):
        load_raw("haberman")


@pytest.mark.filterwarnings("ignore:A network error occurred")
def test_a_server_that_is_down_is_told(
    openml: LocalOpenML, monkeypatch: pytest.MonkeyPatch
) -> None:
    openml.shutdown()
    openml.server_close()
    monkeypatch.setattr(_openml.time, "sleep", lambda seconds: None)
    with pytest.raises(DataNotFoundError, match=r"refused.*connect to the network, or set"):
        fetch("haberman")


def test_a_file_in_the_data_directory_is_not_fetched(
    openml: LocalOpenML, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAREBIT_DATA", str(tmp_path))
    (tmp_path / SETS["haberman"].file).write_bytes(b"")
    assert fetch("haberman") == tmp_path / "haberman.csv.gz"
    assert not openml.asked


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_a_long_download_is_shown(
    stream: io.StringIO, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_watch, "QUIET_SECONDS", 0.05)
    monkeypatch.setattr(_watch, "TERMINAL_SECONDS", 0.05)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "part").write_bytes(bytes(2_500_000))
    with Watch("Fetching haberman", tmp_path, stream) as watch:
        assert watch.received() == 2_500_000
        deadline = time.monotonic() + 20.0
        while "2.5" not in stream.getvalue() and time.monotonic() < deadline:
            time.sleep(0.02)
    assert "Fetching haberman" in stream.getvalue()
    assert "2.5" in stream.getvalue()


def test_a_short_download_is_silent(
    openml: LocalOpenML, capsys: pytest.CaptureFixture[str]
) -> None:
    fetch("haberman")
    assert capsys.readouterr().err == ""


def test_a_slow_server_is_shown_while_it_is_waited_for(
    openml: LocalOpenML, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_watch, "QUIET_SECONDS", 0.1)
    openml.pause = 0.5
    fetch("haberman")
    assert "Fetching haberman (306 rows): " in capsys.readouterr().err
