"""What every request must be before anything reads it: from here, small, and in time."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
FILE_CSP = "default-src 'none'; sandbox; frame-ancestors 'none'"
_SAFE = ("GET", "HEAD")
_PATIENCE = 30.0  # seconds for a body to arrive
_DISCARDED = 16 << 20  # bytes of a body beyond the limit that are read and thrown away
_DISCARDING = 2.0  # seconds for it
_SMALL = 1 << 20  # bytes of every body that do not count against those of all of them

Refusal = tuple[int, str, str]  # status, kind and sentence


@dataclass(frozen=True)
class Rules:
    """What a server takes; those of the page by default.

    Attributes
    ----------
    kinds : tuple of str
        Content types of bodies.
    largest : int
        Bytes of a body.
    uploads : tuple of str
        Ends of paths whose bodies may be larger.
    largest_upload : int
        Bytes of these.
    needs_origin : bool
        Whether a write must say that it comes from the page itself, as browsers do. Servers that
        have no cookies may hear programs, which say nothing.
    closed : str
        Where paths begin that pages of other sites may not read.
    held : int
        Bytes of all bodies at once that are arriving or worked on, beyond 1 MB of each.
    """

    kinds: tuple[str, ...] = ("application/json",)
    largest: int = 1 << 20
    uploads: tuple[str, ...] = ("/imports", "/rows")
    largest_upload: int = 64 << 20
    needs_origin: bool = True
    closed: str = "/api/"
    held: int = 512 << 20

    def limit(self, path: str) -> int:
        """Return the bytes that a body may have."""
        return self.largest_upload if path.endswith(self.uploads) else self.largest


class Guard:
    """Refuses requests that are forged, too large or too slow, and adds headers to every reply.

    Parameters
    ----------
    app : ASGI application
        What handles requests that pass.
    hosts : collection of str or None
        Names with ports by which the server may be called; others may be forged by DNS. None for
        a server that a secret guards, whatever it is called.
    patience : float, default=30.0
        Seconds for a body to arrive.
    rules : Rules, default=Rules()
        What the server takes.
    admits : function of scope, optional
        Refuses who has no right, by what stands in the head of a request: nothing that strangers
        send is kept.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str] | None,
        patience: float = _PATIENCE,
        *,
        rules: Rules | None = None,
        admits: Callable[[Scope], Refusal | None] = lambda scope: None,
    ) -> None:
        self._app, self._patience, self._rules = app, patience, rules or Rules()
        self._admits, self._held = admits, 0
        self._hosts = None if hosts is None else frozenset(host.lower() for host in hosts)
        self._origins = frozenset(f"http://{host}" for host in self._hosts or ())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path, began = scope["path"], time.perf_counter()

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                took = 1000.0 * (time.perf_counter() - began)
                message["headers"] = [
                    *_headers(path, message.get("headers", [])),
                    (b"server-timing", b"app;dur=%.1f" % took),
                ]
            await send(message)

        refused = self._refuse(scope)
        if refused is not None:
            if _has_body(scope):
                await _discard(receive)
            await _reply(send_with_headers, *refused)
            return
        if scope["method"] in _SAFE:
            await self._app(scope, receive, send_with_headers)
            return
        body = _Body(self._rules.limit(path))
        try:
            try:
                async with asyncio.timeout(self._patience):
                    refused = await self._read(receive, body)
            except TimeoutError:
                refused = 408, "timeout", "The request took too long to arrive."
            if refused is not None:
                self._held -= body.drop()
                if refused[0] != 408 and not body.whole:
                    await _discard(receive)
                await _reply(send_with_headers, *refused)
                return
            await self._app(scope, body.again(receive), send_with_headers)
        finally:
            self._held -= body.held

    async def _read(self, receive: Receive, body: _Body) -> Refusal | None:
        """Read a body within its limit and that of all bodies together."""
        while True:
            message = await receive()
            if message["type"] != "http.request":  # the client has gone
                self._held -= body.drop()
                return None
            self._held += body.add(message.get("body", b""))
            body.whole = not message.get("more_body", False)
            if body.size > body.largest:
                return _too_large(body.largest)
            if body.held and self._held > self._rules.held:
                return 503, "busy", "Too much is being sent to this server: try again soon."
            if body.whole:
                return None

    def _refuse(self, scope: Scope) -> Refusal | None:
        headers = _last(scope["headers"])
        method, path = scope["method"], scope["path"]
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if self._hosts is not None and (
            len(hosts) != 1 or headers.get("host", "").lower() not in self._hosts
        ):
            return 421, "wrong_host", "This server does not go by that name."
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if method in _SAFE:
            # Other sites may link to the page, but may not read the API.
            if path.startswith(self._rules.closed) and site in ("cross-site", "same-site"):
                return 403, "forbidden", "Other sites may not read this server."
            return self._admits(scope)
        if site not in (None, "same-origin") or (
            origin is not None and origin.lower() not in self._origins
        ):
            return 403, "forbidden", "Other sites may not write to this server."
        if self._rules.needs_origin and site is None and origin is None:
            return 403, "forbidden", "The request does not say where it comes from (Origin)."
        stranger = self._admits(scope)
        if stranger is not None:
            return stranger
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        kinds = self._rules.kinds
        if kind not in kinds:
            wanted = " or ".join(kinds)
            return 415, "json_only", f"Requests must have the Content-Type {wanted}."
        if headers.get("content-encoding", "identity").strip().lower() != "identity":
            return 415, "compressed", "Requests must not be compressed (Content-Encoding)."
        length = headers.get("content-length")
        largest = self._rules.limit(path)
        if length is not None and length.isdecimal() and int(length) > largest:
            return _too_large(largest)
        return None


class _Body:
    """What has come of a body; ``held`` counts against the limit of all bodies."""

    def __init__(self, largest: int) -> None:
        self.largest, self.size, self.held, self.whole = largest, 0, 0, False
        self._parts: list[bytes] = []

    def add(self, part: bytes) -> int:
        """Keep a part; return by how much more is held."""
        self.size += len(part)
        self._parts.append(part)
        more = max(0, self.size - _SMALL) - self.held
        self.held += more
        return more

    def drop(self) -> int:
        """Forget the parts, which nobody will read; return how much was held."""
        self._parts.clear()
        held, self.held = self.held, 0
        return held

    def again(self, receive: Receive) -> Receive:
        """Return what gives the whole body in one message."""
        whole = b"".join(self._parts)
        self._parts.clear()
        sent = False

        async def receive_again() -> Message:
            nonlocal sent, whole
            if sent:
                return await receive()
            sent, body, whole = True, whole, b""
            return {"type": "http.request", "body": body, "more_body": False}

        return receive_again


def _too_large(largest: int) -> Refusal:
    return 413, "too_large", f"A request may have {largest >> 20} MB: send less."


def _has_body(scope: Scope) -> bool:
    """Return whether a client sends a body, which is read lest it miss the reply."""
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0 "))
        for name, value in scope["headers"]
    )


def _last(headers: list[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}


async def _discard(receive: Receive) -> None:
    """Read what a client is still sending, within bounds.

    A connection that is closed with unread bytes is reset, and the client may never see the reply
    that tells it what was wrong.
    """
    left = _DISCARDED
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_DISCARDING):
            while left > 0:
                message = await receive()
                if message["type"] != "http.request" or not message.get("more_body", False):
                    return
                left -= len(message.get("body", b""))


def _headers(path: str, given: Any) -> list[tuple[bytes, bytes]]:
    named = {name.lower() for name, _ in given}
    added = {
        b"content-security-policy": CSP.encode(),
        b"x-content-type-options": b"nosniff",
        b"referrer-policy": b"no-referrer",
        b"x-frame-options": b"DENY",
        b"cross-origin-opener-policy": b"same-origin",
        b"cross-origin-resource-policy": b"same-origin",
        b"permissions-policy": b"camera=(), microphone=(), geolocation=()",
        b"cache-control": b"no-cache" if path.startswith("/static/") else b"no-store",
    }
    return [*given, *((name, value) for name, value in added.items() if name not in named)]


async def _reply(send: Send, status: int, kind: str, message: str) -> None:
    body = json.dumps({"error": {"kind": kind, "message": message}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status in (408, 413):
        headers.append((b"connection", b"close"))
    elif status == 503:
        headers.append((b"retry-after", b"1"))
    elif status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
