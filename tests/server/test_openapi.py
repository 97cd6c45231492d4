"""Requests made from the published description never break the server."""

from __future__ import annotations

import json
from typing import Any

import hypothesis
import pytest

from rarebit.server import PageServer
from tests.server.served import Browser, P

schemathesis = pytest.importorskip("schemathesis")


def described(me: Browser) -> dict[str, Any]:
    found: dict[str, Any] = me.get("/api/openapi.json").json()
    return found


def test_every_route_is_described(me: Browser) -> None:
    paths = set(described(me)["paths"])
    shown = "/api/projects/{project}"
    assert {"/api/status", "/api/me", f"{shown}/answers", f"{shown}/questions", f"{shown}/map",
            f"{shown}/searches", f"{shown}/settings", "/api/team"} <= paths  # fmt: skip


def test_no_request_of_the_description_breaks_the_server(me: Browser, server: PageServer) -> None:
    me.label(5)
    description = json.loads(json.dumps(described(me)))
    # The stream of events never ends, and simulations and reports take processes and seconds.
    for path in ("/events", "/simulations", "/exports/{name}"):
        del description["paths"]["/api/projects/{project}" + path]
    del description["paths"]["/api/logout"]
    schema = schemathesis.openapi.from_dict(description)
    broken: list[str] = []
    for result in schema.get_all_operations():
        operation = result.ok()

        @hypothesis.settings(
            max_examples=6,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.given(case=operation.as_strategy())
        def send(case: Any) -> None:
            path = case.formatted_path.replace(
                f"/projects/{case.path_parameters.get('project')}/", "/projects/payments/"
            )
            body = case.body if isinstance(case.body, dict | list | str | int | float) else None
            content = None if body is None else json.dumps(body).encode()
            reply = me.request(
                case.method,
                path if path.isascii() and "\n" not in path else P,
                params=dict(case.query or {}),
                content=content,
                headers={"Content-Type": "application/json"},
            )
            if reply.status_code >= 500 and reply.status_code != 507:
                broken.append(f"{case.method} {path} {reply.status_code} {body!r}"[:300])

        send()
    assert broken == []
