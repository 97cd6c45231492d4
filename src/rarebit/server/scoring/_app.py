"""The application of the scoring service: routes, token and guards."""

from __future__ import annotations

import hmac
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from typing import Annotated, Any

import polars as pl
from fastapi import FastAPI, Query, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Scope

from rarebit.models import Model, decision_frame, explain
from rarebit.server._guard import Guard, Refusal, Rules
from rarebit.server._listening import package_version
from rarebit.server._replies import fail, handle_errors
from rarebit.server.scoring._arrow import ARROW, write_stream
from rarebit.server.scoring._bodies import JSON, REQUEST_BODY, read_rows
from rarebit.server.scoring._limits import Limits, Workers
from rarebit.server.scoring._metrics import CONTENT_TYPE, CountedApp, Measurements
from rarebit.server.scoring._schema import describe_model, explanation_json
from rarebit.tables import RangeCheck, Table

_PATHS = ("/predict", "/explain", "/schema", "/health", "/metrics", "/openapi.json")
_BODIES = 8  # bodies of the largest size that may be in memory at once
Names = Annotated[list[Annotated[str, Query(max_length=200)]] | None, Query(max_length=100)]
_REPLIES: dict[int | str, dict[str, Any]] = {
    200: {"content": {ARROW: {"schema": {"type": "string", "format": "binary"}}}},
    **{
        status: {"description": "An error: its kind, and a sentence."}
        for status in (400, 401, 413, 415, 422, 503)
    },
}


def make_scoring_app(
    model: Model,
    hosts: Collection[str] | None = None,
    *,
    name: str = "model",
    limits: Limits | None = None,
    token: str | None = None,
) -> ASGIApp:
    """Return the ASGI application that serves a model.

    Parameters
    ----------
    model : Model
        Model that decides.
    hosts : collection of str or None, default=None
        Names with ports by which the service may be called; None for any, which a token must guard.
    name : str, default="model"
        What the model is called.
    limits : Limits or None, default=None
        What requests may take.
    token : str or None, default=None
        What requests must have as ``Authorization: Bearer TOKEN``; None asks for nothing.

    Returns
    -------
    ASGI application
        With its guards.

    Examples
    --------
    >>> from rarebit.server.scoring import make_scoring_app
    >>> make_scoring_app(None)
    Traceback (most recent call last):
        ...
    ValueError: A service that any name may call needs a token: give one, or the names.
    """
    if hosts is None and not token:
        raise ValueError("A service that any name may call needs a token: give one, or the names.")
    limits = limits or Limits()
    workers, measurements = Workers(limits), Measurements(_PATHS)
    description = describe_model(model, name, limits)
    ranges = RangeCheck(model.encoder)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        workers.close()

    app = FastAPI(
        title="rarebit serve",
        description=f"Predicts rows with the model {name}.",
        version=package_version(),
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=lifespan,
    )
    handle_errors(app, "service")

    async def table_of(request: Request) -> Any:
        """Return what reads the rows of a request, away from the loop."""
        body = await request.body()
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        return lambda: model.table(read_rows(body, kind, model, limits), "the request")

    def outside_of(table: Table) -> RangeCheck:
        """Return which columns of the rows lie outside the training file, and count them."""
        found = ranges.anew()
        found.add(table)
        measurements.count_outside(found.counts())
        return found

    @app.post("/predict", openapi_extra={"requestBody": REQUEST_BODY},
              responses=_REPLIES)  # fmt: skip
    async def predict(
        request: Request,
        threshold: Annotated[str | None, Query(max_length=100)] = None,
        probability: bool = False,
        rare: Names = None,
        normal: Names = None,
    ) -> Response:
        """Predict rows: the id, the class and the score of each, as by `rarebit predict`."""
        read = await table_of(request)

        def work() -> Response:
            cut = None if threshold is None else _threshold(model, threshold)
            table = read()
            try:
                made = model.decide(
                    table, rare=rare, normal=normal, threshold=cut, probability=probability
                )
            except ValueError as error:
                raise fail(400, str(error)) from error
            frame = decision_frame(table, made).with_columns(pl.Series("rare", made.rare))
            measurements.count_rows("/predict", Counter(made.classes.tolist()))
            outside = outside_of(table)
            return _reply(request, frame, notes_of(model, table, outside), outside.to_json())

        return await workers.run(work)

    @app.post("/explain", openapi_extra={"requestBody": REQUEST_BODY})
    async def explain_rows(
        request: Request,
        columns: Annotated[int, Query(ge=1, le=1000)] = 10,
        rows: Annotated[int, Query(ge=0, le=100)] = 3,
    ) -> Response:
        """Explain the scores of rows: what columns add, and the training rows they rest on."""
        read = await table_of(request)

        def work() -> Response:
            table = read()
            limits.check_rows(table.n_rows, limits.max_explained)
            found = explain(model, table, n_columns=columns, n_rows=rows)
            measurements.count_rows("/explain", {"": table.n_rows})
            content = [
                {table.id_name: name, **explanation_json(each)}
                for name, each in zip(table.written_ids(), found, strict=True)
            ]
            outside = outside_of(table)
            notes = notes_of(model, table, outside)
            return JSONResponse(
                {"explanations": content, "notes": notes, "outside_range": outside.to_json()}
            )

        return await workers.run(work)

    @app.get("/schema")
    def schema() -> dict[str, Any]:
        """Describe the model: columns that rows must have, classes, threshold and limits."""
        return description

    @app.get("/health")
    def health() -> dict[str, str]:
        """Say that the service works."""
        return {"status": "ok", "model": name}

    @app.get("/metrics", response_class=PlainTextResponse)
    def metrics() -> Response:
        """Return counters and times for Prometheus."""
        info = {"model": name, "method": str(model.manifest["method"]),
                "rare_class": model.rare_class, "version": package_version()}  # fmt: skip
        text = measurements.text(workers.in_progress, info)
        return Response(text, media_type=CONTENT_TYPE)

    @app.get("/openapi.json", include_in_schema=False)
    def openapi() -> JSONResponse:
        return JSONResponse(app.openapi())

    rules = Rules(
        kinds=(JSON, ARROW), largest=limits.max_bytes, uploads=(), needs_origin=False, closed="/",
        held=_BODIES * limits.max_bytes,
    )  # fmt: skip
    guarded = Guard(app, hosts, limits.seconds, rules=rules, admits=_token_check(token))
    return CountedApp(guarded, measurements)


def _token_check(token: str | None) -> Callable[[Scope], Refusal | None]:
    """Return what refuses requests without the token; whether the service works is no secret."""
    wanted = f"Bearer {token}".encode()

    def admits(scope: Scope) -> Refusal | None:
        if not token or scope["path"] == "/health":
            return None
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(given) == 1 and hmac.compare_digest(given[0], wanted):
            return None
        return (
            401,
            "unauthenticated",
            "The request needs the token of the service (Authorization: Bearer).",
        )

    return admits


def notes_of(model: Model, table: Table, outside: RangeCheck) -> list[str]:
    """Return what a reader of decisions should know of the rows."""
    notes = list(table.notes)
    for column, values in model.encoder.unknown_categories(table).items():
        shown = ", ".join(repr(value) for value in list(values)[:3])
        notes.append(
            f"{sum(values.values()):,} of the values of {column!r} "
            f"{'has' if sum(values.values()) == 1 else 'have'} not been seen by the model "
            f"({shown}); they count as none of the known ones."
        )
    if told := outside.sentence():
        notes.append(told)
    return notes


def _threshold(model: Model, aim: str) -> float:
    try:
        return model.threshold_for(aim)
    except ValueError as error:
        raise fail(400, str(error)) from error


def _reply(
    request: Request, frame: pl.DataFrame, notes: list[str], outside: dict[str, Any]
) -> Response:
    """Return a frame in the format that was asked for, else in that of the request."""
    accepted = request.headers.get("accept", "")
    asked = request.headers.get("content-type", "")
    if ARROW in accepted or (asked.startswith(ARROW) and JSON not in accepted):
        return Response(write_stream(frame, notes), media_type=ARROW)
    rows = frame.write_json()
    rest = json.dumps({"notes": notes, "outside_range": outside})
    return Response(f'{{"predictions":{rows},{rest[1:]}', media_type=JSON)
