"""The process of the backend, and the secret in its address."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from rarebit.server._listening import LOOPBACK, bind, known_hosts, make_server
from rarebit.server.label_studio._app import make_backend_app
from rarebit.server.label_studio._backend import Backend


def kept_secret(path: Path) -> str:
    """Return the secret of a file that only its owner can read; make it where there is none."""
    with contextlib.suppress(FileNotFoundError):
        known = path.read_text(encoding="ascii", errors="replace").strip()
        if len(known) >= 32 and known.isalnum():
            return known
    secret = secrets.token_hex(24)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, 0o600)  # a file that was there keeps its mode otherwise
        file.write(secret + "\n")
    return secret


class BackendServer:
    """A backend at an address that Label Studio is told.

    Parameters
    ----------
    backend : Backend
        Who answers; it outlives the server.
    secret : str
        What every path begins with.
    host : str, default="127.0.0.1"
        Address to listen at.
    port : int, default=0
        Port; 0 for any that is free.
    """

    def __init__(self, backend: Backend, secret: str, host: str = LOOPBACK, port: int = 0) -> None:
        self.backend = backend
        self._socket = bind(host, port)
        self.port = self._socket.getsockname()[1]
        self.address = f"http://{known_hosts(host, self.port)[0]}/{secret}"
        self._server = make_server(make_backend_app(backend, secret))

    def run(self) -> None:
        """Serve until Ctrl-C or `stop`."""
        try:
            with contextlib.suppress(KeyboardInterrupt):
                self._server.run(sockets=[self._socket])
        finally:
            self._socket.close()

    def stop(self) -> None:
        """Ask the server to end; can be called from any thread."""
        self._server.should_exit = True

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()
