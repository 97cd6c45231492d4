"""Routes of labelling: questions, answers, skips, undo, notes, and pages that are alive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from rarebit.projects import Dealt, brief_progress
from rarebit.projects.stores import Event
from rarebit.server._context import Annotating, Context, fail
from rarebit.server._requests import (
    Answer,
    Correction,
    Heartbeat,
    NoteOn,
    Release,
    Skip,
    Undo,
)

router = APIRouter(prefix="/api/projects/{project}")


@router.get("/questions")
def questions(
    context: Annotating,
    tab: Annotated[str, Query(max_length=100)] = "",
    n: Annotated[int, Query(ge=1, le=20)] = 4,
) -> JSONResponse:
    """Return the rows to answer now, the current one first."""
    dealt = context.desk.deal(context.name, tab, n)
    return JSONResponse(_hand(context, dealt, ()))


@router.post("/answers")
def answer(context: Annotating, body: Answer) -> JSONResponse:
    """Store a label; it is durable when this replies."""
    row = context.row(body.row)
    event, is_new = context.desk.answer(row, body.label, context.name, body.key, note=body.note)
    return JSONResponse({"saved": {**saved(event), "new_class": is_new}, **_next(context, body)})


@router.post("/skips")
def skip(context: Annotating, body: Skip) -> JSONResponse:
    """Store that a row cannot be labelled, and why."""
    row = context.row(body.row)
    event = context.desk.skip(row, context.name, body.key, reason=body.reason)
    return JSONResponse({"saved": {**saved(event), "new_class": False}, **_next(context, body)})


@router.post("/undos")
def undo(context: Annotating, body: Undo) -> JSONResponse:
    """Take back the person's last answers; their rows are in front again."""
    taken = context.desk.undo(context.name, body.tab, body.n, body.key)
    undone = [
        {name: value for name, value in saved(event).items() if name in ("row", "id", "label")}
        for event in taken
    ]
    for each in undone:  # where a correction was taken back, the answer before it stands again
        standing = context.desk.board.answers.of_row(each["row"]).get(context.name)
        each["again"] = None if standing is None else standing.label
    return JSONResponse({"undone": undone, **_next(context, body)})


@router.post("/notes")
def note(context: Annotating, body: NoteOn) -> JSONResponse:
    """Store a note on a row."""
    event = context.desk.note(context.row(body.row), body.note, context.name, body.key)
    return JSONResponse({"saved": saved(event)})


@router.post("/corrections")
def correct(context: Annotating, body: Correction) -> JSONResponse:
    """Replace a label: one's own, or as the owner any."""
    row = context.row(body.row)
    given = context.desk.board.answers.of_row(row)
    if context.role != "owner" and context.name not in given:
        raise fail(403, "Only the owner corrects answers of others: label the row yourself.")
    event = context.desk.correct(row, body.label, context.name, body.key, note=body.note)
    progress = brief_progress(context.desk, context.name)
    return JSONResponse({"saved": saved(event), "progress": progress})


@router.post("/heartbeats")
def heartbeat(context: Annotating, body: Heartbeat) -> JSONResponse:
    """Keep the rows of a page that is still open."""
    kept = context.desk.heartbeat(context.name, body.tab, body.rows)
    return JSONResponse({"kept": kept, "lost": [row for row in body.rows if row not in kept]})


@router.post("/releases")
def release(context: Annotating, body: Release) -> JSONResponse:
    """Let go of the rows of a page that is left."""
    return JSONResponse({"released": context.desk.release(context.name, body.tab)})


def saved(event: Event) -> dict[str, Any]:
    """Return what a reply says of an event that was stored."""
    # Nobody learns that a question was asked a second time.
    answer = "skip" if event.label is None else "label"
    what = answer if event.what == "repeat" else event.what
    return {
        "number": event.number, "row": event.row, "id": event.id, "what": what,
        "label": None if event.label is None else str(event.label),
    }  # fmt: skip


def _next(context: Context, body: Answer | Skip | Undo) -> dict[str, Any]:
    if not body.want:
        return {
            "questions": [], "front": [], "waiting": False, "done": False, "message": "",
            "progress": brief_progress(context.desk, context.name),
        }  # fmt: skip
    dealt = context.desk.deal(context.name, body.tab, body.want)
    return _hand(context, dealt, body.have)


def _hand(context: Context, dealt: Dealt, have: Sequence[int]) -> dict[str, Any]:
    known = set(have)
    rows = [row for row in dealt.rows if row not in known]
    return {
        "questions": shown_rows(context, rows, before_the_answer=True),
        "front": dealt.rows,
        "waiting": dealt.waiting,
        "done": dealt.done,
        "message": dealt.message,
        "progress": brief_progress(context.desk, context.name),
    }


def shown_rows(
    context: Context, rows: Sequence[int], *, before_the_answer: bool
) -> list[dict[str, Any]]:
    """Return rows as the page shows them; nothing in them says why a row was asked."""
    desk = context.desk
    opinions: list[Any] = [None] * len(rows)
    tell = desk.settings.opinion or not before_the_answer
    if tell:
        opinions = desk.insight.opinions(list(rows))
    base = f"/api/projects/{context.place.name}/rows"
    found = []
    for row, shown, opinion in zip(rows, desk.display.rows(rows), opinions, strict=True):
        shown["images"] = [
            {"name": name, "url": f"{base}/{row}/images/{desk.display.picture_index(name)}"}
            for name in shown["images"]
        ]
        shown["opinion"] = opinion
        shown["highlights"] = desk.insight.highlights(row) if tell else []
        shown["note"] = _own_note(context, row)
        found.append(shown)
    return found


def _own_note(context: Context, row: int) -> str:
    """Return the last note on a row that the person may read."""
    note = context.desk.board.notes.get(row)
    if context.desk.is_repeating(row, context.name):
        return ""  # it would tell that the row was seen before
    if note is None or (note[0] != context.name and context.is_hidden(row)):
        return ""
    return note[1]
