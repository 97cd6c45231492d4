"""Routes of the owner: settings, labels in and out, more rows, model, report, simulation."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from fastapi import Path as InPath
from fastapi.responses import JSONResponse, Response
from starlette.requests import Request

from rarebit._choices import GOALS, RULES, STOPS
from rarebit._scratch import NamedScratch, scratch_folder
from rarebit._whole_files import replaced_whole
from rarebit.exceptions import RarebitError
from rarebit.projects import (
    can_write_rows,
    class_settings,
    labels_of_column,
    labels_of_file,
    rare_settings,
    refuse_without_labelled,
    rows_labelled_so,
    rows_of_ids,
    run_trial,
    take_labels,
    tell_near,
    trial_of,
    write_labels,
    write_model,
    write_ranked,
    write_report,
    write_rows,
)
from rarebit.server._context import Context, Owning, Viewing, fail, office_of
from rarebit.server._guard import FILE_CSP
from rarebit.server._jobs import BusyError
from rarebit.server._requests import (
    Import,
    Known,
    MoreRows,
    Nothing,
    SettingsChange,
    SimulationRequest,
    given,
)

router = APIRouter(prefix="/api/projects/{project}")
JobName = Annotated[str, InPath(pattern=r"^[0-9a-f]{8}$")]
_SAFE_NAME = re.compile(r"[^A-Za-z0-9._-]+")


@router.get("/settings")
def settings(context: Viewing) -> JSONResponse:
    """Return what people see of the settings."""
    return JSONResponse(_settings(context))


@router.put("/settings")
def change(context: Owning, body: SettingsChange) -> JSONResponse:
    """Change settings, if nobody has changed them meanwhile."""
    changes = given(body)
    version = changes.pop("version")
    desk = context.desk
    for name in ("guidelines", "overlap", "rule", "opinion", "goal", "stop", "rare", "normal"):
        if name in changes and changes[name] is None:
            raise fail(422, f"{name}: cannot be null; leave it out to keep it.")
    if changes.get("rare") or changes.get("normal"):  # one of them says it all
        changes = {"rare": [], "normal": [], **changes}
    if "target" in changes:
        changes["recall"] = changes.pop("target")
    classes = changes.pop("classes", None)
    if classes is not None:
        names = [each.name for each in classes]
        refuse_without_labelled(names, desk.board.counts)
        if len(set(names)) < len(names):
            raise fail(422, "classes: each class may be named once.")
        keys = [each.key for each in classes if each.key]
        if len(set(keys)) < len(keys):
            raise fail(422, "classes: each key may be used once.")
        changes["classes"] = tuple(names)
        changes["colours"] = {each.name: each.colour for each in classes if each.colour}
        changes["keys"] = {each.name: each.key for each in classes if each.key}
    if changes.get("rule") == "owner" and not desk.settings.owner:
        if not context.name:
            raise fail(409, "The rule 'owner' needs accounts: there is one person only.")
        changes["owner"] = context.name
    desk.change_settings(changes, context.name, expected=version)
    return JSONResponse(_settings(context))


def _settings(context: Context) -> dict[str, Any]:
    desk = context.desk
    kept, table = desk.settings, desk.table
    targets = [table.target_name] if table.target is not None else []
    few = [name for name, kind in desk.display.kinds.items() if kind == "category"]
    return {
        "version": desk.store.settings[0],
        "guidelines": kept.guidelines,
        "classes": class_settings(desk),
        **rare_settings(desk),
        "goal": kept.goal,
        "target": kept.recall,
        "stop": kept.stop,
        "overlap": kept.overlap,
        "rule": kept.rule,
        "owner": kept.owner,
        "opinion": kept.opinion,
        "max_labels": kept.max_labels,
        "rules": list(RULES),
        "goals": list(GOALS),
        "stops": list(STOPS),
        "columns": [{"name": name, "kind": kind} for name, kind in desk.display.kinds.items()],
        "targets": [*targets, *few],
        "id_name": table.id_name,
        "has_row_file": can_write_rows(desk),
    }


# --- in -----------------------------------------------------------------------------------


@router.post("/known")
def known(context: Owning, body: Known) -> JSONResponse:
    """Store rows that are known from the start."""
    rows, unknown = rows_of_ids(context.desk, [each.id for each in body.labels])
    labels: dict[int, str] = {}
    for row, each in zip(rows, body.labels, strict=True):
        if row is None:
            continue
        if labels.setdefault(row, each.label) != each.label:
            raise fail(
                400,
                f"Row {str(each.id)!r} is given two classes, {labels[row]!r} and {each.label!r}: "
                "keep one of them.",
            )
    alike = tell_near(dict.fromkeys(labels.values()), context.desk.board.class_names())
    ids = context.desk.display.id
    already = [str(ids(row)) for row in rows_labelled_so(context.desk, labels, context.name)]
    stored = take_labels(context.desk, labels, context.name, body.key)
    reply = {"stored": stored, "unknown": unknown[:100], "already": already[:100], "alike": alike}
    return JSONResponse(reply)


@router.post("/imports")
def take_in(context: Owning, body: Import) -> JSONResponse:
    """Take over labels of a file or of a column."""
    if (body.column is None) == (body.base64 is None):
        raise fail(422, "Give either a file (name and base64) or a column.")
    unknown: list[str] = []
    if body.column is not None:
        labels = labels_of_column(context.desk, body.column)
    else:
        skip = unknown.extend if body.skip_unknown else None
        with _uploaded(body.name or "labels.csv", body.base64 or "") as path:
            labels = labels_of_file(context.desk, path, body.id, body.label, skip)
    too_long = next((name for name in labels.values() if len(name) > 200), None)
    if too_long is not None:
        raise fail(400, f"A class may have 200 characters, got {too_long[:50]!r}….")
    alike = tell_near(dict.fromkeys(labels.values()), context.desk.board.class_names())
    stored = take_labels(context.desk, labels, context.name, body.key)
    already = len(labels) - stored
    reply = {"stored": stored, "left_out": len(unknown), "already": already, "alike": alike}
    return JSONResponse(reply)


@router.post("/rows")
def more_rows(context: Owning, body: MoreRows) -> JSONResponse:
    """Add the rows of a file, which is kept beside the data."""
    place, desk = context.place, context.desk
    if not isinstance(place.sources, list):
        raise fail(409, "Rows cannot be added to the demo: label a file of your own.")
    first = Path(place.sources[0])
    with _uploaded(body.name, body.base64) as path:
        kept = _kept_name(first, path.suffix)
        with replaced_whole(kept) as partial:  # labels of its rows must never outlive it
            partial.write_bytes(path.read_bytes())
    try:
        with _called(kept.name, body.name):
            added = desk.add_rows(kept)
    except BaseException:
        kept.unlink(missing_ok=True)
        raise
    place.sources.append(kept)
    return JSONResponse({"added": added, "rows": desk.table.n_rows})


def _kept_name(first: Path, suffix: str) -> Path:
    number = 1
    stem = first.name.split(".")[0]
    while (path := first.parent / f"{stem}.rows-{number}{suffix}").exists():
        number += 1
    return path


@contextmanager
def _uploaded(name: str, content: str) -> Iterator[Path]:
    """Give a file of the request; nothing of its name but its endings is used."""
    try:
        data = base64.b64decode(content, validate=False)
    except (binascii.Error, ValueError) as error:
        raise fail(400, "The file is not base64.") from error
    plain = _SAFE_NAME.sub("-", Path(name).name)
    suffix = "".join(Path(plain).suffixes[-2:])[-20:] or ".csv"
    scratch = NamedScratch(f"upload{suffix}")
    scratch.stream.write(data)
    scratch.stream.flush()
    with _called(scratch.path.name, name):
        yield scratch.path


@contextmanager
def _called(own: str, given: str) -> Iterator[None]:
    """Have errors call a file what its owner calls it, not what it is called here."""
    try:
        yield
    except RarebitError as error:
        shown = Path(given).name
        error.args = tuple(
            each.replace(own, shown) if isinstance(each, str) else each for each in error.args
        )
        raise


# --- out ----------------------------------------------------------------------------------

_TYPES = {
    "labels.csv": "text/csv; charset=utf-8",
    "labels.jsonl": "application/x-ndjson",
    "labels.parquet": "application/vnd.apache.parquet",
    "ranked.csv": "text/csv; charset=utf-8",
    "rows.csv": "text/csv; charset=utf-8",
    "model.rarebit": "application/octet-stream",
    "report.html": "text/html; charset=utf-8",
}
ExportName = Literal[
    "labels.csv", "labels.jsonl", "labels.parquet", "ranked.csv", "rows.csv", "model.rarebit",
    "report.html",
]  # fmt: skip


@router.get(
    "/exports/{name}",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
def export(context: Viewing, name: ExportName, details: bool = False) -> Response:
    """Return a file: labels, ranked list, rows, model or report."""
    if context.role == "annotator":
        raise fail(403, "Files are for the owner and viewers.")
    writers: dict[str, Callable[[Path], Any]] = {
        "ranked.csv": lambda path: write_ranked(context.desk, path),
        "rows.csv": lambda path: write_rows(context.desk, path),
        "model.rarebit": lambda path: write_model(context.desk, path),
        "report.html": lambda path: write_report(context.desk, path),
    }

    def labels(path: Path) -> int:
        return write_labels(context.desk, path, details=details)

    write = writers.get(name, labels)
    with scratch_folder() as folder:
        path = folder / name
        try:
            write(path)
        except ValueError as error:
            raise fail(409, str(error)) from error
        content = path.read_bytes()
    headers = {
        "Content-Disposition": f'attachment; filename="{context.place.name}.{name}"',
        "Content-Security-Policy": FILE_CSP,
    }
    return Response(content, media_type=_TYPES[name], headers=headers)


# --- simulation ---------------------------------------------------------------------------


@router.post("/simulations")
def simulate(context: Owning, body: SimulationRequest, request: Request) -> JSONResponse:
    """Let a column answer in another process."""
    place, live = context.place, office_of(request).live
    try:
        table, kept = trial_of(context.desk, body.column, body.max_labels)
        name = place.jobs.begin(
            run_trial, (table, kept), lambda job: live.notify(place.name, "job", job)
        )
    except BusyError as error:
        raise fail(409, str(error)) from error
    return JSONResponse({"job": name})


@router.get("/simulations")
def latest_simulation(context: Viewing) -> JSONResponse:
    """Return the simulation that runs, or the last one that is done."""
    return JSONResponse({"job": context.place.jobs.latest()})


@router.get("/simulations/{job}")
def simulation(context: Viewing, job: JobName) -> JSONResponse:
    """Return how far a simulation is, or what it found."""
    found = context.place.jobs.get(job)
    if found is None:
        raise fail(404, "There is no such simulation.")
    return JSONResponse(found)


@router.delete("/simulations/{job}")
def stop(context: Owning, job: JobName, body: Nothing) -> JSONResponse:
    """Stop a simulation."""
    if not context.place.jobs.stop(job):
        raise fail(404, "There is no such simulation.")
    return JSONResponse(context.place.jobs.get(job))
