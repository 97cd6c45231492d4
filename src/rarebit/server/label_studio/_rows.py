"""Tasks of a project become a table: texts, fields, or images."""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rarebit.server._columns import column_of
from rarebit.server.label_studio._client import LabelStudio, LabelStudioError, NoFileError
from rarebit.server.label_studio._config import Config
from rarebit.tables import Table, as_table, read_table

ID = "task"
_PROSE = 3.0  # words of a text on average; shorter ones may be names, dates or amounts
_IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp")
_OWN = re.compile(r"[0-9]{12,}\.[a-z]+")  # names of files that were fetched


def task_table(
    tasks: Sequence[Mapping[str, Any]], config: Config, studio: LabelStudio, folder: Path
) -> Table:
    """Return the rows of a project.

    Parameters
    ----------
    tasks : sequence of mapping
        As Label Studio exports them, in the order of their numbers.
    config : Config
        Which fields are texts and images.
    studio : LabelStudio
        Where images are fetched from.
    folder : Path
        Where they are kept.

    Returns
    -------
    Table
        One row per task; ids are the numbers of the tasks, as text.
    """
    if not tasks:
        raise LabelStudioError("The project has no tasks: import some, then start again.")
    if config.images:
        return _image_table(tasks, config.images[0], studio, folder)
    fields: dict[str, list[Any]] = {}
    for i, task in enumerate(tasks):
        data = task.get("data")
        for name, cell in _flat(data if isinstance(data, Mapping) else {}):
            fields.setdefault(name, [None] * len(tasks))[i] = cell
    fields.pop(ID, None)
    columns = [pl.Series(ID, [str(task["id"]) for task in tasks], pl.String)]
    columns += [column_of(name, cells, None) for name, cells in fields.items()]
    texts = [name for name in config.texts if name in fields and _is_prose(fields[name])]
    return as_table(
        pl.DataFrame(columns),
        id=ID,
        text=texts or None,
        name=f"Label Studio project {studio.project}",
    )


def _flat(data: Mapping[str, Any], before: str = "") -> list[tuple[str, Any]]:
    """Return the fields of a task; those of a field that is an object as ``field.name``."""
    found: list[tuple[str, Any]] = []
    for name, cell in data.items():
        if isinstance(cell, Mapping) and not before:
            found += _flat(cell, f"{name}.")
        elif not isinstance(cell, (Mapping, list)) or (
            isinstance(cell, list) and cell and all(type(x) in (int, float) for x in cell)
        ):
            found.append((f"{before}{name}", cell))
    return found


def _is_prose(cells: Sequence[Any]) -> bool:
    texts = [cell for cell in cells if isinstance(cell, str)]
    return bool(texts) and statistics.fmean(len(text.split()) for text in texts) >= _PROSE


def _image_table(
    tasks: Sequence[Mapping[str, Any]], field: str, studio: LabelStudio, folder: Path
) -> Table:
    """Fetch the images that are not here yet, and read them; those that are gone are left out."""
    folder.mkdir(parents=True, exist_ok=True)
    have = {int(path.stem): path for path in folder.iterdir() if _OWN.fullmatch(path.name)}
    for number in have.keys() - {task["id"] for task in tasks}:
        have[number].unlink()
    missing: list[NoFileError] = []
    for task in tasks:
        if task["id"] in have:
            continue
        data = task.get("data")
        path = str(data.get(field)) if isinstance(data, Mapping) else ""
        suffix = Path(path.partition("?")[0]).suffix.lower()
        place = folder / f"{task['id']:012d}{suffix if suffix in _IMAGES else '.png'}"
        try:
            fetched = studio.file(path)
        except NoFileError as error:
            missing.append(error)
            continue
        partial = folder.parent / f".{folder.name}.part"
        partial.write_bytes(fetched)
        partial.replace(place)
    if len(missing) == len(tasks):
        raise missing[0]
    table = read_table(folder)
    numbers = [str(int(Path(str(name)).stem)) for name in table.ids]
    notes = list(table.notes)
    if missing:
        are = "is" if len(missing) == 1 else "are"
        notes.append(f"{len(missing):,} of {len(tasks):,} images {are} left out: {missing[0]}")
    return replace(
        table,
        ids=np.array(numbers, dtype=object),
        id_name=ID,
        source=f"Label Studio project {studio.project}",
        notes=tuple(notes),
    )
