"""The application: routes, guards and static files."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from rarebit.server import _label, _looking, _owning, _progress, _session, _team
from rarebit.server._context import SignedIn, cookie_name, office_of
from rarebit.server._guard import Guard
from rarebit.server._listening import package_version
from rarebit.server._office import Office
from rarebit.server._replies import handle_errors

PAGE = Path(__file__).parent / "page"


def make_app(office: Office, hosts: Collection[str], port: int) -> ASGIApp:
    """Return the ASGI application of a server.

    Parameters
    ----------
    office : Office
        The projects and the doors to them.
    hosts : collection of str
        Names with ports by which browsers may call the server.
    port : int
        Its port, which the cookie's name holds.

    Returns
    -------
    ASGI application
        With every guard around it.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        office.live.begin()
        yield

    app = FastAPI(
        title="rarebit",
        description="The HTTP API of the labelling page.",
        version=package_version(),
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=lifespan,
    )
    app.state.office, app.state.port = office, port
    handle_errors(app)
    for module in (_session, _label, _progress, _looking, _owning, _team):
        app.include_router(module.router)
    app.mount("/static", StaticFiles(directory=PAGE, check_dir=False), name="static")

    @app.get("/api/openapi.json", include_in_schema=False)
    def openapi(person: SignedIn) -> JSONResponse:
        return JSONResponse(app.openapi())

    @app.get("/", include_in_schema=False)
    def page(request: Request, token: str | None = None, invite: str | None = None) -> Response:
        """Serve the page; secrets in the address are used up and dropped from it."""
        doors = office_of(request).doors
        if token is not None:
            session = doors.open_link(token) if len(token) <= 200 else None
            reply = RedirectResponse("/" if session else "/#/link-used", 303)
            if session is not None:
                set_cookie(reply, cookie_name(request), session)
            return reply
        if invite is not None:
            reply = RedirectResponse("/#/join", 303)
            set_cookie(reply, f"rarebit_invite_{port}", invite[:200], seconds=3600)
            return reply
        return FileResponse(PAGE / "index.html", media_type="text/html; charset=utf-8")

    return Guard(app, hosts)


def set_cookie(reply: Response, name: str, value: str, seconds: int = 14 * 24 * 3600) -> None:
    """Give the browser a secret that scripts and other sites do not see."""
    reply.set_cookie(name, value, max_age=seconds, httponly=True, samesite="strict", path="/")
