"""Errors as JSON: a kind for programs, a sentence for people, and no place in the program."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from rarebit._text import visible
from rarebit.exceptions import Interface, RarebitError
from rarebit.projects.stores import StoreConflictError, StoreError

KINDS = {
    400: "invalid", 401: "unauthenticated", 403: "forbidden", 404: "not_found",
    405: "invalid", 409: "conflict", 413: "too_large", 415: "json_only", 422: "invalid",
    429: "too_many_attempts", 503: "starting", 507: "store",
}  # fmt: skip


def fail(status: int, message: str, headers: dict[str, str] | None = None) -> HTTPException:
    """Return an error that ends a request with a sentence."""
    return HTTPException(status, message, headers)


def error_json(status: int, message: str, headers: Any = None) -> JSONResponse:
    """Return the reply of an error."""
    shown = message.encode("utf-8", "replace").decode()
    content = {"error": {"kind": KINDS.get(status, "unexpected"), "message": visible(shown)}}
    return JSONResponse(content, status, headers=headers)


def handle_errors(app: FastAPI, interface: Interface = "command") -> None:
    """Turn errors into sentences; none of them shows a place in the program.

    Advice is for whoever started the page, by a command, or for clients of a service.
    """

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> JSONResponse:
        detail = "There is no such address." if error.detail == "Not Found" else str(error.detail)
        return error_json(error.status_code, detail, error.headers)

    @app.exception_handler(RequestValidationError)
    async def of_request(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first.get("loc", ())[1:]) or "the request"
        return error_json(422, f"{place}: {first.get('msg', 'is not valid')}.")

    @app.exception_handler(RarebitError)
    async def of_rarebit(request: Request, error: RarebitError) -> JSONResponse:
        if isinstance(error, StoreConflictError):
            return error_json(409, str(error))
        status = 507 if isinstance(error, StoreError) else 400
        return error_json(status, error.message_for(interface))

    @app.exception_handler(Exception)
    async def of_anything(request: Request, error: Exception) -> JSONResponse:
        return error_json(500, "Something unexpected happened; the terminal says more.")
