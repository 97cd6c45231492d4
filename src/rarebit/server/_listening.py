"""A socket, the names a server goes by, and a uvicorn that waits for nobody for long."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

LOOPBACK = "127.0.0.1"
LOCAL = (LOOPBACK, "localhost")
_ANY = ("0.0.0.0", "::")
_FIRST_REQUEST = 15.0  # seconds for the head of the first request to arrive


class PatientProtocol(H11Protocol):
    """HTTP/1.1 that hangs up on clients who open a connection and never finish a request's head."""

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self.loop.call_later(_FIRST_REQUEST, self._hang_up)

    def _hang_up(self) -> None:
        transport: Any = self.transport
        if vars(self)["cycle"] is None and not transport.is_closing():
            transport.close()


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
    bound = socket.socket(family, socket.SOCK_STREAM)
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
