"""Servers that tests of one file share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rarebit.server import Accounts, PageServer
from tests.server.served import PASSWORD, Browser, served, write_payments


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    folder = tmp_path_factory.mktemp("alone")
    with served(write_payments(folder)) as running:
        yield running


@pytest.fixture
def me(server: PageServer) -> Iterator[Browser]:
    with Browser(server) as browser:
        yield browser.come_in()


@pytest.fixture(scope="module")
def accounts(tmp_path_factory: pytest.TempPathFactory) -> Accounts:
    made = Accounts(tmp_path_factory.mktemp("team") / "team.json")
    made.add("olga", PASSWORD, "owner")
    made.add("ann", PASSWORD, "annotator")
    made.add("bob", PASSWORD, "annotator")
    made.add("vic", PASSWORD, "viewer")
    made.add("eve", PASSWORD, "owner", project="other")
    return made


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory, accounts: Accounts) -> Iterator[PageServer]:
    folder: Path = tmp_path_factory.mktemp("team-data")
    files = [write_payments(folder), write_payments(folder, "other.csv")]
    with served(*files, accounts=accounts, overlap=0.5) as running:
        yield running
