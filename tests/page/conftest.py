"""Real servers in processes of their own."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from .serving import PAGES, Server


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Show what stood on the pages that a failed test had open."""
    report = yield
    if report.when == "call" and report.failed:
        for page in PAGES:
            if page.is_closed() or page not in getattr(item, "funcargs", {}).values():
                continue
            text = page.locator("body").inner_text(timeout=5_000)
            report.sections.append((page.url, "\n".join([*page.errors, text[:4_000]])))
    return report


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
