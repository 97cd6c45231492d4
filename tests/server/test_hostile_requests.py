"""Strangers at the scoring service and at the backend of Label Studio."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import polars as pl
import pyarrow as pa
import pytest

import rarebit.server._listening as listening
from rarebit.models import Model
from rarebit.server._guard import Guard, Rules
from rarebit.server.scoring import Limits, ScoringServer
from rarebit.server.scoring import _bodies as bodies
from tests.server.scored import payments, payments_model, scoring
from tests.server.served import until

ARROW = "application/vnd.apache.arrow.stream"
KIND = {"Content-Type": "application/json"}
TOKEN = "0123456789abcdef0123"
ROW = payments(1, seed=1).drop("class").row(0, named=True)


@pytest.fixture(scope="module")
def model() -> Model:
    return payments_model()


@pytest.fixture(scope="module")
def service(model: Model) -> Iterator[httpx.Client]:
    with scoring(model) as client:
        yield client


def message(reply: httpx.Response) -> str:
    return str(reply.json()["error"]["message"])


def test_replies_are_sent_at_once() -> None:
    """The body of a reply does not wait until the client has said that it has the head."""
    found: list[int] = []

    async def connect(bound: socket.socket) -> None:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            line = writer.get_extra_info("socket")
            found.append(line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(handle, sock=bound):
            reader, writer = await asyncio.open_connection(*bound.getsockname())
            await reader.read()
            writer.close()

    with listening.bind("127.0.0.1", 0) as bound:
        asyncio.run(connect(bound))
    assert found
    assert all(found)


def test_nothing_of_strangers_is_read(model: Model) -> None:
    """Without the token the reply comes before the body, which is never kept."""
    with scoring(model, token=TOKEN) as client:
        host, port = client.base_url.host, client.base_url.port
        for secret, status in (("wrong" * 5, b"401"), (TOKEN, b"200")):
            with socket.create_connection((host, port), timeout=120) as line:
                body = json.dumps({"records": [ROW]}).encode()
                head = (
                    f"POST /predict HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer "
                    f"{secret}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
                    "\r\n"
                )
                # Half of the body: only who has the token is waited for.
                line.sendall(head.encode() + body[:9])
                if status == b"200":
                    line.sendall(body[9:])
                assert line.recv(4096).split(b" ")[1] == status
        twice = [("Authorization", f"Bearer {TOKEN}"), ("Authorization", "Bearer x")]
        assert client.get("/schema", headers=twice).status_code == 401
        assert client.get("/nowhere").status_code == 401
        reply = client.get("/schema")
        assert reply.headers["www-authenticate"] == "Bearer"


def test_bodies_of_all_requests_together_are_limited() -> None:
    reached: list[int] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        reached.append(len((await receive())["body"]))
        await asyncio.sleep(0)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    guard = Guard(app, None, rules=Rules(largest=4 << 20, uploads=(), needs_origin=False,
                                         held=3 << 20))  # fmt: skip

    async def ask(go: asyncio.Event, n_bytes: int) -> int:
        statuses: list[int] = []
        parts = [b"x" * n_bytes, b"x"]

        async def receive() -> dict[str, Any]:
            if len(parts) == 1:
                await go.wait()
            assert parts, "more was read than was sent"
            return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

        async def send(part: Any) -> None:
            if part["type"] == "http.response.start":
                statuses.append(part["status"])

        scope = {"type": "http", "method": "POST", "path": "/predict",
                 "headers": [(b"content-type", b"application/json")]}  # fmt: skip
        await guard(scope, receive, send)
        return statuses[0]

    async def all_of_them() -> list[int]:
        go = asyncio.Event()
        first = [asyncio.create_task(ask(go, 3 << 20)) for _ in range(2)]
        await asyncio.sleep(0)
        small = asyncio.create_task(ask(go, 1 << 19))
        await asyncio.sleep(0)
        go.set()
        found = [await task for task in (*first, small)]
        return [*found, await ask(go, 3 << 20)]  # what is answered is held no more

    assert asyncio.run(all_of_them()) == [200, 503, 200, 200]
    assert len(reached) == 3


def test_a_later_request_must_come_in_time_too(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "_HEAD", 0.5)
    with scoring(model) as client:
        host, port = client.base_url.host, client.base_url.port
        with socket.create_connection((host, port), timeout=120) as line:
            line.sendall(f"GET /health HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            assert line.recv(4096).startswith(b"HTTP/1.1 200")
            line.sendall(b"GET /health HTTP/1.1\r\nHos")
            while line.recv(4096):
                pass  # the rest of the reply, then the end


def test_who_never_reads_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "_READING", 0.2)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            while True:
                part = await receive()
                await send({"type": f"{part['type']}.complete"})
                if part["type"] == "lifespan.shutdown":
                    return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * (32 << 20)})

    server = listening.make_server(app)
    server.config.timeout_keep_alive = 1
    with listening.bind("127.0.0.1", 0) as bound:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            with socket.create_connection(bound.getsockname(), timeout=120) as line:
                line.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                until(lambda: len(server.server_state.connections) == 1)
                until(lambda: not server.server_state.connections)
        finally:
            server.should_exit = True
            thread.join(60.0)
    assert not thread.is_alive()


def test_records_of_many_names_take_one_pass(service: httpx.Client) -> None:
    """As many names as records would be the square of looks."""
    many = ",".join(f'{{"k{i}":[1]}}' for i in range(50_000))
    reply = service.post("/predict", content=f'{{"records":[{many}]}}', headers=KIND)
    assert reply.status_code == 400
    columns = ",".join(f'"k{i}":[[1]]' for i in range(20_000))
    reply = service.post("/predict", content=f'{{"columns":{{{columns}}}}}', headers=KIND)
    assert reply.status_code == 400
    assert "no column of the model" in message(reply)


def test_lists_must_be_vectors_of_the_model(service: httpx.Client) -> None:
    long = [1.0] * 200_000  # each number would become a column
    reply = service.post("/predict", json={"records": [{**ROW, "amount": long}]})
    assert reply.status_code == 400
    assert "'amount'" in message(reply)
    frame = pa.table({"amount": pa.array([long]), "items": [1], "country": ["DE"]})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, frame.schema) as writer:
        writer.write_table(frame)
    body = sink.getvalue().to_pybytes()
    reply = service.post("/predict", content=body, headers={"Content-Type": ARROW})
    assert (reply.status_code, "'amount'" in message(reply)) == (400, True)
    # Lists that no model asks for are left out, as any other column.
    extra = service.post("/predict", json={"records": [{**ROW, "more": long}]})
    assert extra.json() == service.post("/predict", json={"records": [ROW]}).json()


def test_compressed_bodies_are_told(service: httpx.Client) -> None:
    body = gzip.compress(b'{"records": [{"amount": 1}]}')
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    reply = service.post("/predict", content=body, headers=headers)
    assert reply.status_code == 415
    assert "compressed" in reply.json()["error"]["message"]


def test_deep_and_dense_json_is_refused(
    service: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for deep in (b"[" * 500_000, b'{"a":' * 200_000, b'{"records":[{"amount":' + b"[" * 500_000):
        reply = service.post("/predict", content=deep, headers=KIND)
        assert reply.status_code == 422
    monkeypatch.setattr(bodies, "_MOST_MARKS", 1000)
    dense = b'{"records":[{"more":[' + b"[]," * 1000 + b"[]]}]}"
    assert service.post("/predict", content=dense, headers=KIND).status_code == 413


@pytest.mark.parametrize("body", [b"", b"\xff\xff\xff\xff", b"ARROW1\0\0", b"\0" * 4096])
def test_what_is_no_arrow_stream_is_refused(service: httpx.Client, body: bytes) -> None:
    reply = service.post("/predict", content=body, headers={"Content-Type": ARROW})
    assert reply.status_code == 400


def test_halves_of_streams_are_refused_or_read(service: httpx.Client) -> None:
    frame = pl.DataFrame([ROW] * 50)
    table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    whole = sink.getvalue().to_pybytes()
    for end in range(0, len(whole), max(1, len(whole) // 40)):
        reply = service.post("/predict", content=whole[:end], headers={"Content-Type": ARROW})
        assert reply.status_code < 500


def test_the_token_is_in_no_reply(model: Model, capfd: pytest.CaptureFixture[str]) -> None:
    with scoring(model, token=TOKEN) as client:
        own = {"Authorization": f"Bearer {TOKEN}", **KIND}
        said = [
            client.post("/predict", content=body, headers=own).text
            for body in (b"{", b'{"records":[1]}', json.dumps({"records": [{}]}).encode())
        ]
        said += [client.get(path, headers=own).text for path in ("/metrics", "/schema", "/x")]
    assert not any(TOKEN in text for text in said)
    assert TOKEN not in "".join(capfd.readouterr())
    with pytest.raises(ValueError, match="token"):
        ScoringServer(model, host="0.0.0.0", limits=Limits())
