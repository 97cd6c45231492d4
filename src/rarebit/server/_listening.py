"""A socket, the names a server goes by, and a uvicorn that waits for nobody for long."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

LOOPBACK = "127.0.0.1"
LOCAL = (LOOPBACK, "localhost")
_ANY = ("0.0.0.0", "::")
_HEAD = 15.0  # seconds for the head of a request to arrive
_READING = 30.0  # seconds in which a client must read something of its reply


class PatientProtocol(H11Protocol):
    """HTTP/1.1 that hangs up on clients who never finish a request's head, or never read."""

    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        if self._head_timer is not None:
            self._head_timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take a part of a request; the head of a later one must come in time, too."""
        super().data_received(data)
        self._watch()

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that has been quiet, and make sure that it ends."""
        super().timeout_keep_alive_handler()
        self._see_it_read(self._unread())

    @property
    def _is_working(self) -> bool:
        cycle = vars(self)["cycle"]
        return cycle is not None and not cycle.response_complete

    def _watch(self) -> None:
        if self._is_working:
            if self._head_timer is not None:
                self._head_timer.cancel()
                self._head_timer = None
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(_HEAD, self._hang_up)

    def _hang_up(self) -> None:
        self._head_timer = None
        if not (self._is_working or self.transport.is_closing()):
            self.transport.close()
            self._see_it_read(self._unread())

    def _unread(self) -> int:
        return self.transport.get_write_buffer_size()

    def _see_it_read(self, before: int) -> None:
        """Drop a connection whose client has read nothing for a while: its reply fills memory."""
        if before:
            self.loop.call_later(_READING, self._drop_unread, before)

    def _drop_unread(self, before: int) -> None:
        unread = self._unread()
        if unread and unread == before:
            self.transport.abort()
        else:
            self._see_it_read(unread)


class Server(uvicorn.Server):
    """A server that says when a signal ends it."""

    on_exit: Callable[[], None] = staticmethod(lambda: None)

    def handle_exit(self, sig: int, frame: Any) -> None:
        """End on a signal."""
        self.on_exit()
        super().handle_exit(sig, frame)


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only where the protocol is named does asyncio send small packets at once (TCP_NODELAY); else
    # the body of a reply waits 40 ms for the client's word that the head has come.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(512)  # who has the address may come before the server runs
    except BaseException:
        bound.close()
        raise
    return bound


def known_hosts(host: str, port: int, names: Sequence[str] = ()) -> list[str]:
    """Return the names with ports by which a server may be called, the one to show first.

    Parameters
    ----------
    host : str
        Address it listens at.
    port : int
        Its port.
    names : sequence of str, default=()
        Further names of this computer.
    """
    known = [*LOCAL] if host in LOCAL else []
    if host not in (*_ANY, *known):
        known.insert(0, host)
    known += names
    if not known:
        known = [socket.gethostname()]
    shown = [f"[{name}]" if ":" in name else name for name in known]
    return list(dict.fromkeys(f"{name}:{port}" for name in shown))


def make_server(app: ASGIApp, on_exit: Callable[[], None] | None = None) -> Server:
    """Return a server of an application; `uvicorn.Server.run` takes the socket."""
    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        ws="none",
        access_log=False,  # addresses may hold secrets
        log_level="error",
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=3,
        limit_concurrency=1000,
        h11_max_incomplete_event_size=32 << 10,
        lifespan="on",
    )
    server = Server(config)
    if on_exit is not None:
        server.on_exit = on_exit
    return server


def package_version() -> str:
    """Return the version of rarebit, for descriptions of an API."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("rarebit")
    except PackageNotFoundError:
        return "0"
