"""Routes of looking: rows, why they were asked, answers given, search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from fastapi.responses import JSONResponse, Response

from rarebit.projects import event_json, matching_rows, row_history, search, standing_answers
from rarebit.server._context import Annotating, Context, Owning, RowNumber, Viewing, fail
from rarebit.server._guard import FILE_CSP
from rarebit.server._label import shown_rows
from rarebit.server._requests import Like, Search

router = APIRouter(prefix="/api/projects/{project}")
_Filter = Annotated[str | None, Query(max_length=500)]


@router.get("/rows/{row}")
def row(context: Viewing, row: RowNumber) -> JSONResponse:
    """Return a row, and the answers to it that the person may see."""
    number = context.row(row)
    given = context.desk.board.answers.of_row(number)
    seen = [event_json(event) for event in given.values() if context.may_see(event)]
    mine = next((each for each in seen if each["annotator"] == context.name), None)
    told = bool(seen) and not context.is_hidden(number)
    shown = shown_rows(context, [number], before_the_answer=not told)[0]
    return JSONResponse({"row": shown, "mine": mine, "answers": seen})


@router.get("/rows/{row}/why")
def why(context: Viewing, row: RowNumber) -> JSONResponse:
    """Return why a row was asked, after the answer."""
    number = context.row(row)
    given = context.desk.board.answers.of_row(number)
    own = given.get(context.name)
    if own is None and (context.role == "annotator" or not given or context.is_hidden(number)):
        raise fail(403, "The reason why a row was asked is shown after its answer.")
    label = own.label if own is not None else context.desk.board.labels.get(number)
    found = context.desk.insight.why(number, label)
    for each in found["neighbours"]:
        each["images"] = _images(context, each["row"])
    return JSONResponse(found)


@router.get("/rows/{row}/history")
def history(context: Viewing, row: RowNumber) -> JSONResponse:
    """Return what happened to a row."""
    return JSONResponse({"events": row_history(context.desk, context.row(row), context.may_see)})


@router.get(
    "/rows/{row}/images/{number}",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}},
)
def image(
    context: Viewing,
    row: RowNumber,
    number: Annotated[int, Path(ge=0, le=1000)],
    size: Annotated[int | None, Query(ge=16, le=2048)] = None,
) -> Response:
    """Return a picture of a row, made anew from its pixels."""
    content = context.desk.display.picture(context.row(row), number, size)
    if content is None:
        raise fail(404, "There is no such picture.")
    headers = {
        "Content-Security-Policy": FILE_CSP,
        "Content-Disposition": "inline",
        "Cache-Control": "private, max-age=3600",
    }
    return Response(content, media_type="image/png", headers=headers)


@router.get("/answers")
def answers(
    context: Viewing,
    class_: Annotated[str | None, Query(alias="class", max_length=500)] = None,
    annotator: _Filter = None,
    reason: _Filter = None,
    what: Literal["label", "skip"] | None = None,
    since: _Filter = None,
    until: _Filter = None,
    words: Annotated[str, Query(max_length=500)] = "",
    disagrees: bool = False,
    sort: Literal["newest", "oldest", "doubt"] = "newest",
    offset: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> JSONResponse:
    """Return standing answers, filtered and sorted."""
    found = standing_answers(
        context.desk, context.may_see, label=class_, annotator=annotator, reason=reason, what=what,
        since=since, until=until, words=words, disagrees=disagrees, sort=sort, offset=offset,
        limit=limit,
    )  # fmt: skip
    if context.role == "annotator":
        found["hidden"] = 0  # the answers of others are never theirs to list
    for each in found["answers"]:
        each["images"] = _images(context, each["row"])
    return JSONResponse(found)


@router.get("/disagreements")
def disagreements(
    context: Owning,
    offset: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> JSONResponse:
    """Return rows on which people disagree and that no owner has settled."""
    board = context.desk.board
    rows = [row for row in board.disagreements() if not context.is_hidden(row)]
    page = rows[offset : offset + limit]
    shown = shown_rows(context, page, before_the_answer=False)
    found = [
        {
            "row": each,
            "answers": [event_json(event) for event in board.answers.of_row(number).values()],
            "counts": _text(board.labels.get(number)),
            "overlap": board.is_overlap(number),
        }
        for number, each in zip(page, shown, strict=True)
    ]
    return JSONResponse({"total": len(rows), "rows": found})


@router.post("/searches")
def searches(context: Viewing, body: Search) -> JSONResponse:
    """Return rows that meet words and conditions."""
    desk = context.desk
    total, rows = search(
        desk, words=body.words, where=[each.model_dump() for each in body.where],
        labelled=body.labelled, label=body.class_, sort=body.sort, offset=body.offset,
        limit=body.limit, hidden=context.is_hidden,
    )  # fmt: skip
    return JSONResponse({
        "total": total,
        "rows": _found(context, rows, body),
        "columns": [{"name": name, "kind": kind} for name, kind in desk.display.kinds.items()],
    })  # fmt: skip


@router.post("/like")
def like(context: Annotating, body: Like) -> JSONResponse:
    """Ask next the rows that match words best."""
    rows = matching_rows(context.desk, body.words).tolist()
    return JSONResponse({"queued": context.desk.prefer(rows, body.n)})


def _found(
    context: Context, rows: Sequence[tuple[int, float | None]], body: Search
) -> list[dict[str, Any]]:
    desk, searched = context.desk, [each.column for each in body.where]
    summaries = desk.display.summaries([number for number, _ in rows], body.words, searched)
    labels = [
        None if context.is_hidden(number) else desk.board.labels.get(number) for number, _ in rows
    ]
    return [
        {
            "row": number,
            "id": desk.display.id(number),
            "summary": summary,
            "label": _text(label),
            "score": round(score, 4) if score is not None and context.judges else None,
            "images": _images(context, number),
        }
        for (number, score), summary, label in zip(rows, summaries, labels, strict=True)
    ]


def _images(context: Context, number: int) -> list[dict[str, str]]:
    """Return names and addresses of the pictures of a row."""
    display = context.desk.display
    base = f"/api/projects/{context.place.name}/rows/{number}/images"
    return [
        {"name": name, "url": f"{base}/{display.picture_index(name)}"}
        for name in display.images(number)
    ]


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
