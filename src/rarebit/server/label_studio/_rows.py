"""Tasks of a project become a table: texts, fields, or images."""

from __future__ import annotations

import mimetypes
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
import polars as pl

from rarebit.server._columns import column_of
from rarebit.server.label_studio._client import LabelStudio, LabelStudioError
from rarebit.server.label_studio._config import Config
from rarebit.tables import Table, as_table, read_table

ID = "task"
_PROSE = 3.0  # words of a text on average; shorter ones may be names, dates or amounts
_IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp")


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
    """Fetch the images that are not here yet, and read them."""
    from dataclasses import replace

    folder.mkdir(parents=True, exist_ok=True)
    have = {path.stem: path for path in folder.iterdir()}
    for task in tasks:
        if str(task["id"]) in have:
            continue
        path = str(task.get("data", {}).get(field, ""))
        suffix = Path(unquote(urlsplit(path).path)).suffix.lower()
        if suffix not in _IMAGES:
            suffix = mimetypes.guess_extension(mimetypes.guess_type(path)[0] or "") or ".png"
        place = folder / f"{int(task['id']):012d}{suffix}"
        partial = folder.parent / f".{folder.name}.part"
        if place.exists():
            continue
        partial.write_bytes(studio.file(path))
        partial.replace(place)
    table = read_table(folder)
    numbers = [str(int(Path(str(name)).stem)) for name in table.ids]
    wanted = {str(task["id"]) for task in tasks}
    kept = [i for i, number in enumerate(numbers) if number in wanted]
    return replace(
        table.take(kept),
        ids=np.array([numbers[i] for i in kept], dtype=object),
        id_name=ID,
        source=f"Label Studio project {studio.project}",
    )
