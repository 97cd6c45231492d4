"""The process of the scoring service."""

from __future__ import annotations

import contextlib

from rarebit.models import Model
from rarebit.server._listening import LOCAL, LOOPBACK, bind, known_hosts, make_server
from rarebit.server.scoring._app import make_scoring_app
from rarebit.server.scoring._limits import Limits


class ScoringServer:
    """A model that is served at an address.

    Parameters
    ----------
    model : Model
        Model that decides.
    host : str, default="127.0.0.1"
        Address to listen at; one that others can reach needs a token.
    port : int, default=0
        Port; 0 for any that is free.
    name : str, default="model"
        What the model is called.
    limits : Limits or None, default=None
        What requests may take.
    token : str or None, default=None
        What requests must have; None for none, on this computer only.

    Examples
    --------
    >>> from rarebit.models import train_model
    >>> from rarebit.server.scoring import ScoringServer
    >>> rows = {
    ...     "amount": [1.0, 2.0, 3.0, 80.0, 90.0, 4.0],
    ...     "class": ["ok"] * 3 + ["fraud"] * 2 + ["ok"],
    ... }
    >>> model = train_model(rows, target="class", method="kernel", validate=False)
    >>> server = ScoringServer(model)
    >>> server.address.startswith("http://127.0.0.1:")
    True
    >>> server.close()
    """

    def __init__(
        self,
        model: Model,
        host: str = LOOPBACK,
        port: int = 0,
        *,
        name: str = "model",
        limits: Limits | None = None,
        token: str | None = None,
    ) -> None:
        if host not in LOCAL and not token:
            raise ValueError(
                f"A service at {host} needs a token: give one, or serve at {LOOPBACK}."
            )
        self._socket = bind(host, port)
        try:
            self.port = self._socket.getsockname()[1]
            shown = known_hosts(host, self.port)
            # With a token a forged name gains nothing, and containers have many names.
            hosts = shown if host in LOCAL else None
            app = make_scoring_app(model, hosts, name=name, limits=limits, token=token)
            self._server = make_server(app)
        except BaseException:
            self._socket.close()
            raise
        self.address = f"http://{shown[0]}"

    def run(self) -> None:
        """Serve until Ctrl-C or `stop`."""
        try:
            with contextlib.suppress(KeyboardInterrupt):
                self._server.run(sockets=[self._socket])
        finally:
            self.close()

    def stop(self) -> None:
        """Ask the service to end; can be called from any thread."""
        self._server.should_exit = True

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()
