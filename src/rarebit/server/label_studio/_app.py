"""The routes that Label Studio calls, below a secret path."""

from __future__ import annotations

import hmac
from typing import Any

from fastapi import FastAPI
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.types import ASGIApp, Receive, Scope, Send

from rarebit.server._guard import Guard, Refusal, Rules
from rarebit.server._listening import package_version
from rarebit.server._replies import handle_errors
from rarebit.server.label_studio._backend import Backend

_LARGEST = 64 << 20


class WebhookEvent(BaseModel):
    """What a webhook says; Label Studio sends more with every version."""

    model_config = ConfigDict(extra="allow")

    action: str = Field("", max_length=100)


class Setup(BaseModel):
    """What Label Studio says when it connects; the token in it is not used."""

    model_config = ConfigDict(extra="allow")


class Predict(BaseModel):
    """Tasks that want predictions."""

    model_config = ConfigDict(extra="allow")

    tasks: list[Any] = Field(default=[], max_length=100_000)


def make_backend_app(backend: Backend, secret: str) -> ASGIApp:
    """Return the ASGI application of a backend.

    Parameters
    ----------
    backend : Backend
        Who answers.
    secret : str
        First part of every path: Label Studio sends no password with webhooks.

    Returns
    -------
    ASGI application
        With its guards.
    """
    app = FastAPI(
        title="rarebit label-studio",
        description="A machine learning backend of Label Studio.",
        version=package_version(),
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
    )
    app.state.backend = backend
    handle_errors(app)

    @app.get("/")
    @app.get("/health")
    async def health() -> dict[str, str]:
        """Say that the backend works."""
        return {"status": "UP", "model_class": "rarebit"}

    @app.post("/setup")
    def setup(body: Setup) -> dict[str, str]:
        """Accept a project; its order is pushed again."""
        backend.push_again()
        return {"model_version": backend.version}

    @app.post("/predict")
    def predict(body: Predict) -> dict[str, Any]:
        """Return class and place in the order of each task."""
        return {"results": backend.predict(body.tasks)}

    @app.post("/webhook")
    def webhook(body: WebhookEvent) -> dict[str, str]:
        """Store what happened, and reply; it is learned later."""
        backend.hear(body.model_dump())
        return {"status": "stored"}

    @app.post("/train")
    def train(body: Setup) -> dict[str, str]:
        """Look at all annotations again."""
        backend.push_again()
        return {"status": "learned as answers come"}

    @app.get("/versions")
    async def versions() -> dict[str, list[str]]:
        """Name the version of the order."""
        return {"versions": [backend.version]}

    @app.get("/status")
    def status() -> dict[str, Any]:
        """Return how far the project is."""
        return backend.status()

    @app.get("/openapi.json", include_in_schema=False)
    def openapi() -> JSONResponse:
        return JSONResponse(app.openapi())

    rules = Rules(largest=_LARGEST, uploads=(), needs_origin=False, closed="/")
    below = Secret(app, secret)
    return Guard(below, None, rules=rules, admits=below.refuse)


class Secret:
    """An application below a path that only its users know.

    Parameters
    ----------
    app : ASGI application
        What is there.
    secret : str
        First part of the path.
    """

    def __init__(self, app: ASGIApp, secret: str) -> None:
        self._app, self._secret = app, secret.encode()

    def refuse(self, scope: Scope) -> Refusal | None:
        """Refuse a path that does not begin with the secret, before its body is read."""
        first = scope["path"].removeprefix("/").partition("/")[0]
        if hmac.compare_digest(first.encode("utf-8", "replace"), self._secret):
            return None
        return 404, "not_found", "There is no such address."

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request that was not refused."""
        if scope["type"] == "http":
            inside = f"/{scope['path'].removeprefix('/').partition('/')[2]}"
            scope = {**scope, "path": inside, "raw_path": inside.encode("utf-8", "replace")}
        await self._app(scope, receive, send)
