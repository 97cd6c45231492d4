"""Real servers in processes of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .serving import Server


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    running: list[Server] = []

    def start(*words: object, folder: Path | None = None) -> Server:
        server = Server(folder or tmp_path_factory.mktemp("server"), *words)
        running.append(server)
        return server

    yield start
    for server in running:
        server.stop()
