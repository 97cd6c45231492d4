"""The server's process: a socket, a link, and an end on Ctrl-C."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterator

from rarebit.server._app import make_app
from rarebit.server._listening import LOOPBACK, bind, known_hosts, make_server
from rarebit.server._office import Office

_FULL = 1_000  # collections of younger objects to one of all: it stops everybody for 0.1 s or more


class PageServer:
    """The page's server, bound to an address.

    Parameters
    ----------
    office : Office
        The projects.
    host : str, default="127.0.0.1"
        Address to listen at.
    port : int, default=0
        Port; 0 for any that is free.
    names : sequence of str, default=()
        Further names by which browsers call the server.

    Examples
    --------
    >>> from rarebit.server import Office, PageServer
    >>> from rarebit.server import Doors
    >>> server = PageServer(Office(Doors(None)))
    >>> server.link().startswith("http://127.0.0.1:")
    True
    >>> server.close()
    """

    def __init__(
        self, office: Office, host: str = LOOPBACK, port: int = 0, names: tuple[str, ...] = ()
    ) -> None:
        self.office = office
        self._socket = bind(host, port)
        self.host, self.port = host, self._socket.getsockname()[1]
        self.hosts = known_hosts(host, self.port, names)
        app = make_app(office, self.hosts, self.port)
        self._server = make_server(app, office.live.close)

    def link(self) -> str:
        """Return a link that lets one browser in once, or the address where people sign in."""
        base = f"http://{self.hosts[0]}/"
        return f"{base}?token={self.office.doors.new_link()}"

    @property
    def address(self) -> str:
        """The address of the page, without a secret."""
        return f"http://{self.hosts[0]}/"

    def run(self) -> None:
        """Serve until Ctrl-C or `stop`."""
        sys.setswitchinterval(0.001)  # requests must not wait for each other's turn
        try:
            with contextlib.suppress(KeyboardInterrupt), _rare_pauses():
                self._server.run(sockets=[self._socket])
        finally:
            self.close()

    def stop(self) -> None:
        """Ask the server to end; can be called from any thread."""
        self.office.live.close()
        self._server.should_exit = True

    def close(self) -> None:
        """Close the socket and all projects."""
        self._socket.close()
        self.office.close()


@contextlib.contextmanager
def _rare_pauses() -> Iterator[None]:
    """Look through all objects for garbage rarely: answers are kept, and there are many of them."""
    young, middle, full = gc.get_threshold()
    gc.freeze()  # what was imported stays as long as the server
    gc.set_threshold(young, middle, max(full, _FULL))
    try:
        yield
    finally:
        gc.set_threshold(young, middle, full)
        gc.unfreeze()
