"""Tasks, events and addresses of strangers at the backend of Label Studio."""

from __future__ import annotations

import io
import json
import os
import stat
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from rarebit.server.label_studio import (
    Backend,
    BackendServer,
    LabelStudio,
    LabelStudioError,
    kept_secret,
)
from tests.label_studio.studio import CONFIG, IMAGES, reviews
from tests.server.served import until
from tests.server.test_label_studio import SECRET, Recorded, annotation, backend, labels


class Studio(BaseHTTPRequestHandler):
    """Replies to everything with an image, points elsewhere on request, and notes what is asked."""

    def do_GET(self) -> None:
        asked: list[tuple[str, str | None]] = self.server.asked  # type: ignore[attr-defined]
        asked.append((self.path, self.headers["Authorization"]))
        if "gone" in self.path:
            self.send_error(500)
        elif "moved" in self.path:
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1:1/stolen")
            self.end_headers()
        else:
            sink = io.BytesIO()
            Image.new("L", (24, 24), 40 + len(asked)).save(sink, "PNG")
            self.send_response(200)
            self.end_headers()
            self.wfile.write(sink.getvalue())

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def studio() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Studio)
    server.asked = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join(60.0)
    server.server_close()


def address(server: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{server.server_port}"


def test_only_stored_files_are_fetched(studio: ThreadingHTTPServer) -> None:
    own = address(studio)
    client = LabelStudio(own, 1, "token")
    for path in (
        "", "x.png", "None", "/", "/api/users/", "/api/projects/2/export", "/data/../api/users/",
        "/data/%2e%2e/api/users/", "/data/..\\api", f"{own}/api/users/",
        f"{own}@evil.example/data/", "http://evil.example/data/x.png", "//evil.example/data/x.png", "file:///etc/passwd",
        "ftp://127.0.0.1/data/x", "http://[", "/tasks/1/annotations/", "s3://bucket/data/x.png",
        f"{own.replace('http', 'https')}/data/x.png", "data:image/png;base64,AAAA",
    ):  # fmt: skip
        with pytest.raises(LabelStudioError, match="not stored"):
            client.file(path)
    asked: list[Any] = studio.asked  # type: ignore[attr-defined]
    assert asked == []
    for path in ("/data/moved.png", "/data/gone.png"):  # nobody gets the token but Label Studio
        with pytest.raises(LabelStudioError, match="replies"):
            client.file(path)
    asked.clear()
    good = ["/data/upload/1/größe 1.png", f"{own}/data/upload/2/a%20b.png", "/tasks/3/resolve/?x=y",
            "/data/local-files/?d=a b.png"]  # fmt: skip
    assert all(client.file(path).startswith(b"\x89PNG") for path in good)
    assert [path for path, _ in asked] == [
        "/data/upload/1/gr%C3%B6%C3%9Fe%201.png", "/data/upload/2/a%20b.png",
        "/tasks/3/resolve/?x=y", "/data/local-files/?d=a%20b.png",
    ]  # fmt: skip
    assert {token for _, token in asked} == {"Token token"}
    LabelStudio(f"{own}/below", 1, "token").file("/data/x.png")
    assert asked[-1][0] == "/below/data/x.png"


def test_tasks_without_an_image_are_left_out(studio: ThreadingHTTPServer, tmp_path: Path) -> None:
    class Images(Recorded):
        def file(self, path: str) -> bytes:
            return LabelStudio(address(studio), 7, "token").file(path)

    given: list[Any] = [{"image": f"/data/{i}.png"} for i in range(10)]
    given += [{"image": "/data/gone.png"}, {"image": None}, {}, [], {"image": {"a": 1}}]
    project = Images([{"data": data} for data in given], IMAGES)
    said: list[str] = []
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "000000000999.png").write_bytes(b"of a task that is gone")
    made = Backend(project, str(tmp_path / "a.db"), tmp_path / "images", say=said.append)
    try:
        assert made.status()["rows"] == 10
        assert any("5 of 15 images are left out" in text for text in said)
        assert len(list((tmp_path / "images").iterdir())) == 10
        desk = made.desk
        made.hear({"action": "ANNOTATION_CREATED", "annotation": annotation(112, "ok", 1)})
        made.reconcile()
        assert made.desk is desk  # tasks that are left out are no new tasks
    finally:
        made.close()


def test_strange_events_are_no_answers(tmp_path: Path) -> None:
    project = Recorded(reviews(40, 6)[0])
    with backend(project, tmp_path) as made:
        other = {"action": "ANNOTATION_CREATED", "project": {"id": 8}}
        made.hear({**other, "annotation": annotation(101, "ok", 1)})
        made.hear({**other, "project": {"id": 7}, "annotation": annotation(102, "ok", 2)})
        for task in ({"a": 1}, [102], None, "x", True, 10**30):
            strange = {"id": 3, "task": task, "result": []}
            made.hear({"action": "ANNOTATION_CREATED", "annotation": strange})
        made.hear({"action": "ANNOTATION_CREATED", "annotation": {"id": True, "task": 101}})
        half = annotation(103, "\ud800\x00" + "x" * 5000, 4)
        made.hear({"action": "ANNOTATION_CREATED", "annotation": half})
        found = labels(made)
        assert found.pop("103") == ("\\ud800\\x00" + "x" * 5000)[:200]
        assert found == {"102": "ok"}


def test_a_look_that_fails_leaves_all_as_it_was(tmp_path: Path) -> None:
    project = Recorded(reviews(40, 6)[0])
    with backend(project, tmp_path) as made:
        made.hear({"action": "ANNOTATION_CREATED", "annotation": project.annotate(101, "ok", 1)})
        project.given += [{"id": 500, "annotations": [], "data": {"review": "one more of them"}}]
        project.label_config = "<View>"
        with pytest.raises(LabelStudioError, match="not XML"):
            made.reconcile()
        made.hear({"action": "ANNOTATION_CREATED", "annotation": project.annotate(102, "ok", 2)})
        assert labels(made) == {"101": "ok", "102": "ok"}
        project.label_config = CONFIG.replace('<Choice value="ok"/>', '<Choice value="late"/>')
        made.reconcile()
        assert made.status()["rows"] == 41
        assert "late" in made.config.choices
        assert labels(made) == {"101": "ok", "102": "ok"}


def test_threads_outlive_errors(tmp_path: Path) -> None:
    said: list[str] = []
    project = Recorded(reviews(40, 6)[0])
    made = Backend(project, str(tmp_path / "a.db"), tmp_path / "images", say=said.append)
    whole = project.tasks

    def broken() -> list[dict[str, Any]]:
        raise KeyError("id")

    try:
        project.tasks = broken  # type: ignore[method-assign]
        made.start()
        made.hear({"action": "TASKS_CREATED"})
        until(lambda: any("KeyError" in text for text in said))
        project.given += [{"id": 500, "annotations": [], "data": {"review": "one more of them"}}]
        project.tasks = whole  # type: ignore[method-assign]
        made.hear({"action": "TASKS_CREATED"})
        until(lambda: made.status()["rows"] == 41)
    finally:
        made.close()


def test_deep_and_huge_webhooks_are_refused(tmp_path: Path) -> None:
    with backend(Recorded(reviews(40, 6)[0]), tmp_path) as made:
        server = BackendServer(made, SECRET)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            kind = {"Content-Type": "application/json"}
            with httpx.Client(timeout=120.0, headers=kind) as client:
                for body in (b"[" * 200_000, b'{"a":' * 200_000, b"{", b"9" * 9000, b"\xff"):
                    reply = client.post(f"{server.address}/webhook", content=body)
                    assert reply.status_code in (400, 422)
                # Without the secret nothing is read: the reply comes before the body.
                sent = json.dumps({"action": "x" * (2 << 20)}).encode()
                elsewhere = server.address.replace(SECRET, "0" * 32)
                assert client.post(f"{elsewhere}/webhook", content=sent).status_code == 404
                assert client.get(f"{server.address}/health").status_code == 200
        finally:
            server.stop()
            thread.join(60.0)


def test_a_token_that_label_studio_shortened_is_told() -> None:
    with pytest.raises(LabelStudioError, match="with two dots, from the window"):
        LabelStudio("http://127.0.0.1:1", 1, "eyJhbGciOiJIUzI1NiJ9.eyJ0b2tlbiI6MX0")


def test_passwords_do_not_stand_in_addresses() -> None:
    for url in ("http://me:secret@127.0.0.1:1", "http://127.0.0.1:1/?token=secret"):
        with pytest.raises(LabelStudioError) as refused:
            LabelStudio(url, 1, "token")
        assert "secret" not in str(refused.value)


@pytest.mark.skipif(os.name == "nt", reason="no modes")
def test_a_secret_that_others_may_read_is_made_anew(tmp_path: Path) -> None:
    place = tmp_path / "a.secret"
    place.write_text("short")
    place.chmod(0o644)
    assert len(kept_secret(place)) >= 32
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
