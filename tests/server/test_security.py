"""Forged, foreign, huge and slow requests, and secrets that must not get out."""

from __future__ import annotations

import json
import logging
import os
import socket
import stat
from pathlib import Path

import httpx
import polars as pl
import pytest
from PIL import Image

import rarebit.server._listening as listening
from rarebit.server import Accounts, PageServer
from rarebit.server._guard import Guard
from tests.server.served import PASSWORD, Browser, P, served, write_payments


def test_only_names_of_the_server_are_answered(server: PageServer, me: Browser) -> None:
    for host in ("evil.example", "127.0.0.1", f"127.0.0.1.evil.example:{server.port}", ""):
        assert me.get("/api/me", headers={"Host": host}).status_code == 421
        assert me.get("/", headers={"Host": host}).status_code == 421
    assert me.get("/api/me", headers={"Host": f"localhost:{server.port}"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "", "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_other_sites_cannot_write(me: Browser, headers: dict[str, str]) -> None:
    body = {"row": 1, "label": "ok", "key": "forged"}
    assert me.post(f"{P}/answers", json=body, headers=headers).status_code == 403


def test_requests_without_an_origin_cannot_write(me: Browser) -> None:
    with httpx.Client(base_url=me.base_url, cookies=me.cookies) as bare:
        assert bare.post(f"{P}/answers", json={}).status_code == 403
        told = bare.post(f"{P}/answers", json={}, headers={"Sec-Fetch-Site": "same-origin"})
        assert told.status_code == 422


def test_other_sites_cannot_read(me: Browser) -> None:
    reply = me.get("/api/me", headers={"Sec-Fetch-Site": "cross-site"})
    assert reply.status_code == 403
    assert not any(name.startswith("access-control") for name in me.get("/api/me").headers)
    preflight = me.request("OPTIONS", f"{P}/answers", headers={"Origin": "http://evil.example"})
    assert preflight.status_code in (403, 405)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded",
                                  "multipart/form-data", ""])  # fmt: skip
def test_writes_are_json(me: Browser, kind: str) -> None:
    reply = me.post(f"{P}/answers", content=b'{"row":1}', headers={"Content-Type": kind})
    assert reply.status_code == 415


def test_the_link_works_once_and_is_dropped_from_the_address(server: PageServer) -> None:
    link = server.link()
    with Browser(server) as first, Browser(server) as second:
        reply = first.get(link)
        assert (reply.status_code, reply.headers["location"]) == (303, "/")
        cookie = reply.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert "Path=/" in cookie
        assert first.get("/api/me").json()["signed_in"]
        again = second.get(link)
        assert (again.status_code, again.headers["location"]) == (303, "/#/link-used")
        assert not second.get("/api/me").json()["signed_in"]


@pytest.mark.parametrize("address", ["http://evil.example", "//evil.example", "/\\evil.example"])
def test_no_redirect_leads_elsewhere(server: PageServer, address: str) -> None:
    with Browser(server) as browser:
        for name in ("next", "url", "redirect", "token", "invite"):
            reply = browser.get("/", params={name: address})
            assert reply.headers.get("location", "/").split("#")[0] == "/"


def test_nothing_is_told_without_a_session(server: PageServer) -> None:
    with Browser(server) as stranger:
        for path in ("/status", "/questions", "/answers", "/map", "/events", "/rows/0",
                     "/exports/labels.csv", "/settings", "/people"):  # fmt: skip
            assert stranger.get(P + path).status_code == 401, path
        assert stranger.get("/api/projects").status_code == 401
        assert stranger.get("/api/status").status_code == 401
        assert stranger.get("/api/openapi.json").status_code == 401
        stranger.cookies.set(f"rarebit_{server.port}", "guessed")
        assert stranger.get("/api/projects").status_code == 401


def test_no_secret_is_logged(server: PageServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger("httpx").setLevel(logging.CRITICAL)  # the client's own log
    logging.getLogger("httpcore").setLevel(logging.CRITICAL)
    link = server.link()
    with Browser(server) as browser:
        cookie = browser.get(link).cookies[f"rarebit_{server.port}"]
    secret = link.partition("token=")[2]
    assert secret not in caplog.text
    assert cookie not in caplog.text


def test_headers_of_every_reply(me: Browser) -> None:
    for path in ("/", "/api/me", "/static/app.js", "/none", f"{P}/questions"):
        headers = me.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy, path
        assert "script-src 'self';" in policy, path
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers
    assert me.get("/api/me").headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/static/../_app.py", "/static/%2e%2e/_app.py",
                                  "/static/..%2f_app.py", "/static//etc/passwd"])  # fmt: skip
def test_static_files_stay_in_their_folder(server: PageServer, path: str) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n"
        line.sendall(request.encode())
        assert line.recv(4096).split(b"\r\n")[0] in (
            b"HTTP/1.1 404 Not Found", b"HTTP/1.1 400 Bad Request",
        )  # fmt: skip


def test_fields_that_nobody_declared_are_refused(me: Browser) -> None:
    body = {"row": 1, "label": "ok", "key": "more"}
    for extra in ({"annotator": "boss"}, {"role": "owner"}, {"source": "oracle"}, {"at": "1970"}):
        assert me.post(f"{P}/answers", json={**body, **extra}).status_code == 422


@pytest.mark.parametrize("label", ["", " ", "a\nb", "a\x00b", "x" * 201, "\ud800", 7, None, ["a"]])
def test_classes_have_sound_names(me: Browser, label: object) -> None:
    content = json.dumps({"row": 1, "label": label, "key": "k"}).encode()
    headers = {"Content-Type": "application/json"}
    assert me.post(f"{P}/answers", content=content, headers=headers).status_code == 422


def test_markup_comes_back_as_the_text_it_is(tmp_path: Path) -> None:
    evil = '<img src=x onerror="alert(1)">'
    file = tmp_path / "payments.csv"
    values = [f"{evil} {i % 3}" for i in range(60)]
    pl.DataFrame({"id": [f"{evil}{i}" for i in range(60)], evil: values,
                  "n": [float(i % 7) for i in range(60)]}).write_csv(file)  # fmt: skip
    with served(file) as server, Browser(server) as me:
        row = me.come_in().ask()["front"][0]
        shown = me.get(f"{P}/rows/{row}")
        assert shown.headers["content-type"] == "application/json"
        assert shown.json()["row"]["id"] == f"{evil}{row}"
        me.post(f"{P}/answers", json={"row": row, "label": evil, "key": "k", "note": evil})
        for path in ("/status", "/answers", f"/rows/{row}/history", "/settings", "/people"):
            reply = me.get(P + path)
            assert reply.headers["content-type"] == "application/json", path
            assert reply.headers["x-content-type-options"] == "nosniff"
        table = me.get(f"{P}/exports/labels.csv").text
        assert table.startswith("id,label")


def test_pictures_are_made_anew_and_never_leave_their_folder(tmp_path: Path) -> None:
    data, outside = tmp_path / "data", tmp_path / "secret.png"
    data.mkdir()
    Image.new("RGB", (4, 3), "red").save(data / "good.png")
    Image.new("RGB", (4, 3), "blue").save(outside)
    (data / "page.png").write_text("<html><script>alert(1)</script></html>")
    (data / "drawing.png").write_text('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
    (data / "link.png").symlink_to(outside)
    names = ["good.png", "../secret.png", str(outside), "page.png", "drawing.png", "link.png",
             "http://127.0.0.1:1/x.png", "none.png", "..%2fsecret.png",
             "/etc/passwd.png"]  # fmt: skip
    file = data / "payments.csv"
    rows = names * 6
    pl.DataFrame({"id": [str(i) for i in range(60)], "scan": rows,
                  "n": [float(i % 7) for i in range(60)]}).write_csv(file)  # fmt: skip
    with served(file) as server, Browser(server) as me:
        me.come_in().ask()
        good = me.get(f"{P}/rows/0/images/0")
        assert good.status_code == 200
        assert good.headers["content-type"] == "image/png"
        assert good.content.startswith(b"\x89PNG")
        assert "sandbox" in good.headers["content-security-policy"]
        assert good.headers["x-content-type-options"] == "nosniff"
        for row in range(1, 10):
            assert me.get(f"{P}/rows/{row}/images/0").status_code == 404, names[row]
        assert me.get(f"{P}/rows/0/images/7").status_code == 404


def test_huge_bodies_are_refused(me: Browser, server: PageServer) -> None:
    large = {"row": 1, "label": "ok", "key": "k", "note": "x" * (2 << 20)}
    assert me.post(f"{P}/answers", json=large).status_code == 413
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        head = (
            f"POST {P}/answers HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            f"Origin: http://127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
            "Transfer-Encoding: chunked\r\n\r\n"
        )
        line.sendall(head.encode())
        chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        for _ in range(40):
            line.sendall(chunk)
        line.sendall(b"0\r\n\r\n")
        assert line.recv(4096).startswith(b"HTTP/1.1 413")


def test_slow_clients_are_hung_up_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "_HEAD", 0.5)
    monkeypatch.setattr(Guard.__init__, "__defaults__", (0.5,))
    with served(write_payments(tmp_path)) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=300) as line:
            line.sendall(b"GET / HTTP/1.1\r\nHos")
            assert line.recv(100) == b""
        with socket.create_connection(("127.0.0.1", server.port), timeout=300) as line:
            head = (
                f"POST {P}/answers HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                f"Origin: http://127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
                "Content-Length: 100\r\n\r\n{"
            )
            line.sendall(head.encode())
            assert line.recv(4096).startswith(b"HTTP/1.1 408")


def test_passwords_cannot_be_guessed(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path / "team.json")
    accounts.add("olga", PASSWORD, "owner")
    with served(write_payments(tmp_path), accounts=accounts) as server, Browser(server) as thief:
        codes = [
            thief.post("/api/login", json={"name": "olga", "password": f"guess {i}"}).status_code
            for i in range(6)
        ]
        assert codes == [401] * 5 + [429]
        right = thief.post("/api/login", json={"name": "olga", "password": PASSWORD})
        assert right.status_code == 429
        assert int(right.headers["retry-after"]) > 0
        said = thief.post("/api/login", json={"name": "nobody", "password": "guess"}).json()
        assert said["error"]["message"] == "Name or password is wrong."


@pytest.mark.skipif(os.name == "nt", reason="no modes")
def test_secrets_are_kept_to_their_owner(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        accounts = Accounts(tmp_path / "team.json")
        accounts.add("olga", PASSWORD, "owner")
        _, secret = accounts.invite("viewer")
        session = accounts.begin_session("olga")
        with served(write_payments(tmp_path), accounts=accounts) as server, Browser(server) as me:
            me.sign_in("olga")
    finally:
        os.umask(before)
    for path in tmp_path.iterdir():
        if "team.json" in path.name or path.suffix == ".db":
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path.name
    written = (tmp_path / "team.json").read_text()
    assert PASSWORD not in written
    assert secret not in written
    assert session not in written
    assert "$argon2id$" in written
    (tmp_path / "team.json").chmod(0o644)
    with pytest.raises(ValueError, match="can be read by others"):
        Accounts(tmp_path / "team.json").users()


def test_no_address_is_ever_fetched(tmp_path: Path) -> None:
    with socket.socket() as trap:
        trap.bind(("127.0.0.1", 0))
        trap.listen()
        trap.settimeout(0.2)
        address = f"http://127.0.0.1:{trap.getsockname()[1]}/x.png"
        file = tmp_path / "payments.csv"
        pl.DataFrame({"id": [str(i) for i in range(60)], "scan": [address] * 60,
                      "n": [float(i % 7) for i in range(60)]}).write_csv(file)  # fmt: skip
        with served(file) as server, Browser(server) as me:
            me.come_in().ask()
            assert me.get(f"{P}/rows/0/images/0").status_code == 404
            me.post(f"{P}/searches", json={"words": address})
        with pytest.raises(TimeoutError):
            trap.accept()
