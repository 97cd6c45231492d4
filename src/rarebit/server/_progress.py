"""Routes of progress: status, forecast, map of the pool, live events."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, StreamingResponse

from rarebit.projects import (
    Desk,
    brief_progress,
    forecast,
    full_status,
    team_agreement,
    why_no_forecast,
)
from rarebit.server._context import Context, SignedIn, Viewing, fail, office_of
from rarebit.server._office import Place
from rarebit.server._session import project_list

router = APIRouter(prefix="/api")
_HERE = 60.0  # seconds since a page was last heard of


@router.get("/status")
def any_status(
    request: Request,
    person: SignedIn,
    project: Annotated[str | None, Query(pattern=r"^[A-Za-z0-9_-]{1,80}$")] = None,
) -> JSONResponse:
    """Return the status of a project, the first one if none is named."""
    listed = project_list(request, person)
    name = project or (listed[0]["name"] if listed else None)
    chosen = next((each for each in listed if each["name"] == name), None)
    if chosen is None:
        raise fail(404, f"There is no project {name!r}." if name else "There is no project.")
    place = office_of(request).places[chosen["name"]]
    values: dict[str, Any] = {"project": place.name, "title": place.title, "state": place.state}
    if place.desk is not None:
        values |= _status(place, place.desk, chosen["role"])
    elif chosen["role"] == "owner":
        values["message"] = place.message
    return JSONResponse({**values, "projects": listed})


@router.get("/projects/{project}/status")
def status(context: Viewing) -> JSONResponse:
    """Return how far the project is."""
    place = context.place
    values = {"project": place.name, "title": place.title, "state": place.state}
    return JSONResponse(values | _status(place, context.desk, context.role))


def _status(place: Place, desk: Desk, role: str) -> dict[str, Any]:
    values = full_status(desk)
    values["kept"] = place.removal_note or f"Answers are kept in {values['store']}."
    if role != "owner":
        values["store"] = ""
        values["kept"] = place.removal_note
        values["learner"] = {**values["learner"], "message": ""}
    return values


@router.get("/projects/{project}/forecast")
def forecast_of(
    context: Viewing, recall: Annotated[float | None, Query(gt=0, lt=1)] = None
) -> JSONResponse:
    """Return how many more labels would prove a recall."""
    found = forecast(context.desk, recall)
    if found is None:
        sentence = why_no_forecast(context.desk)
        found = {"recall": recall, "labels_left": None, "seconds_left": None, "sentence": sentence}
    return JSONResponse(found)


@router.get("/projects/{project}/map")
def pool_map(context: Viewing) -> JSONResponse:
    """Return the pool in two dimensions."""
    found = context.desk.map.points(scores=context.judges, hidden=context.is_hidden)
    return JSONResponse(found)


@router.get("/projects/{project}/people")
def people(context: Viewing) -> JSONResponse:
    """Return who is here."""
    return JSONResponse(_people(context))


@router.get("/projects/{project}/agreement")
def agreement(context: Viewing) -> JSONResponse:
    """Return how far people agree on rows of the blind overlap."""
    return JSONResponse(team_agreement(context.desk))


@router.get(
    "/projects/{project}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def events(context: Viewing, request: Request) -> StreamingResponse:
    """Send what happens, live."""

    def fill(what: str, data: dict[str, Any]) -> dict[str, Any]:
        if what == "status":
            return brief_progress(context.desk, context.name)
        if what == "people":
            return _people(context)
        if what == "learner" and context.role != "owner":
            return {**data, "message": ""}
        return data

    live = office_of(request).live
    return StreamingResponse(live.stream(context.place.name, fill), media_type="text/event-stream")


def _people(context: Context) -> dict[str, Any]:
    desk, accounts = context.desk, context.person.accounts
    names: list[str] = [""]
    if accounts is not None:
        names = [n for n in accounts.users() if accounts.role(n, context.place.name)]
    counts = desk.board.answers.counts()
    now = time.time()
    found = []
    for name in dict.fromkeys([*names, *counts]):
        seen = desk.last_seen.get(name)
        role = "owner" if accounts is None else accounts.role(name, context.place.name)
        stamp = None if seen is None else datetime.fromtimestamp(seen, UTC).isoformat()
        found.append({
            "name": name, "role": role, "here": seen is not None and now - seen < _HERE,
            "last_seen": stamp, "labels": counts.get(name, 0),
            "rows": desk.rows_of(name) if context.role == "owner" else [],
        })  # fmt: skip
    return {"people": found}
