"""The routes that Label Studio calls, below a secret path."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.types import ASGIApp, Receive, Scope, Send

from rarebit.server._guard import Guard, Rules
from rarebit.server._listening import package_version
from rarebit.server._replies import error_json, handle_errors
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
    def health() -> dict[str, str]:
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
    def versions() -> dict[str, list[str]]:
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
    return Guard(Secret(app, secret), None, rules=rules)


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
        self._app, self._before = app, f"/{secret}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http":
            path = scope["path"]
            inside = path.removeprefix(self._before)
            if not path.startswith(self._before) or inside[:1] not in ("", "/"):
                reply = error_json(404, "There is no such address.")
                await reply(scope, receive, send)
                return
            scope = {**scope, "path": inside or "/", "raw_path": (inside or "/").encode()}
        await self._app(scope, receive, send)
