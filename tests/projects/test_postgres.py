"""PostgreSQL: several clients, and a server that goes away."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("psycopg")

from sqlalchemy import create_engine, text

from rarebit.projects.stores import StoreError
from rarebit.testing import PrivatePostgres, open_kit_store


@pytest.fixture
def server() -> Iterator[PrivatePostgres]:
    """Return a server that the test may stop."""
    try:
        server = PrivatePostgres()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    with server:
        yield server


def test_a_server_that_crashes_loses_nothing_and_is_found_again(server: PrivatePostgres) -> None:
    with open_kit_store(f"{server.url}#crash") as store:
        first = store.append("label", 1, "ok", key="k1")
        server.stop("immediate")
        with pytest.raises(StoreError, match="repeat the answer with the same idempotency key"):
            store.append("label", 2, "ok", key="k2")
        server.start()
        second = store.append("label", 2, "ok", key="k2")
        assert store.append("label", 1, "ok", key="k1") == first
        assert [event.number for event in (first, second)] == [1, 2]
        assert store.labels() == {1: "ok", 2: "ok"}


def test_a_newer_version_is_refused(server: PrivatePostgres) -> None:
    open_kit_store(f"{server.url}#x").close()
    engine = create_engine(server.url.replace("postgresql", "postgresql+psycopg", 1))
    with engine.begin() as connection:
        connection.execute(text("UPDATE rarebit_schema SET version = 3"))
    engine.dispose()
    with pytest.raises(StoreError, match="has version 3, but this rarebit reads versions up to 2"):
        open_kit_store(f"{server.url}#x")


def test_commits_wait_for_the_disk_even_if_the_server_does_not(server: PrivatePostgres) -> None:
    engine = create_engine(server.url.replace("postgresql", "postgresql+psycopg", 1))
    with engine.begin() as connection:
        connection.execute(text("ALTER ROLE postgres SET synchronous_commit = off"))
    engine.dispose()
    with open_kit_store(f"{server.url}#x") as store:
        engine = store._database.engine  # type: ignore[attr-defined]
        with engine.connect() as connection:
            assert connection.execute(text("SHOW synchronous_commit")).scalar_one() == "on"


def test_the_project_is_named_in_the_address(new_project: Callable[[], str]) -> None:
    place, _, name = new_project().partition("#")
    between = "&" if "?" in place else "?"
    with (
        open_kit_store(f"{place}#{name}") as by_fragment,
        open_kit_store(f"{place}{between}project={name}") as by_query,
    ):
        by_fragment.append("label", 1, "ok")
        assert by_query.labels() == {1: "ok"}
        assert by_query.address.endswith(f"#{name}")


def test_a_server_that_cannot_be_reached_is_named_without_the_password() -> None:
    with pytest.raises(StoreError, match="cannot be reached") as caught:
        open_kit_store("postgresql://ann:secret@127.0.0.1:1/labels#x")
    assert "secret" not in str(caught.value)
    assert "127.0.0.1:1" in str(caught.value)


def test_a_database_that_does_not_exist_is_named(postgres_url: str) -> None:
    with pytest.raises(StoreError, match=r"does not exist|cannot be reached"):
        open_kit_store(postgres_url.replace("/postgres", "/missing_labels", 1) + "#x")
