"""Model files to be changed: opened, altered and closed again with checksums that are right."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit.models import save_model, train_model
from rarebit.tables import Table, TableEncoder, read_table

Change = Callable[[dict[str, Any], dict[str, bytes]], None]


def members_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def archive_of(members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def write_members(path: Path, members: dict[str, bytes]) -> Path:
    """Write a model file whose checksums agree with its members."""
    names = [name for name in members if name != "SHA256SUMS"]
    sums = "".join(f"{hashlib.sha256(members[n]).hexdigest()}  {n}\n" for n in names)
    copy = path.with_name("copy.rarebit")
    copy.write_bytes(archive_of({**members, "SHA256SUMS": sums.encode()}, zipfile.ZIP_DEFLATED))
    return copy


def rewritten(path: Path, **changes: bytes) -> Path:
    """Copy a model file with members replaced; an underscore stands for a dot."""
    members = members_of(path.read_bytes())
    return write_members(
        path, members | {name.replace("_", "."): data for name, data in changes.items()}
    )


def changed_inside(path: Path, change: Change, compression: int = zipfile.ZIP_STORED) -> Path:
    """Copy a model file with a change of the tree and the arrays of its skops file."""
    parts = members_of(members_of(path.read_bytes())["model.skops"])
    schema = json.loads(parts.pop("schema.json"))
    change(schema, parts)
    parts["schema.json"] = json.dumps(schema).encode()
    return rewritten(path, model_skops=archive_of(parts, compression))


def objects_of(schema: Any, name: str) -> list[dict[str, Any]]:
    """Return the attributes of all objects of a class in a tree."""
    found = []
    if isinstance(schema, dict):
        if schema.get("__loader__") == "ObjectNode" and schema["__class__"] == name:
            found.append(schema["content"]["content"])
        found += [node for value in schema.values() for node in objects_of(value, name)]
    if isinstance(schema, list):
        found += [node for value in schema for node in objects_of(value, name)]
    return found


def mixed_frame() -> pl.DataFrame:
    """Sixty rows with every kind of column, a fifth of them rare."""
    n = 60
    rng = np.random.default_rng(0)
    rare = np.arange(n) % 5 == 0
    start = datetime(2024, 1, 1)
    return pl.DataFrame(
        {
            "amount": rng.normal(size=n) + 3.0 * rare,
            "kind": [("card", "cash")[i % 2] for i in range(n)],
            "who": [f"shop {i % 45}" for i in range(n)],
            "when": [start + timedelta(hours=i) for i in range(n)],
            "note": [
                f"the goods of order {i % 9} came {'broken and late' if r else 'in time today'}"
                for i, r in enumerate(rare)
            ],
            "class": np.where(rare, "fraud", "fine"),
        }
    )


@pytest.fixture(scope="session")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Table:
    path = tmp_path_factory.mktemp("mixed") / "mixed.csv"
    mixed_frame().write_csv(path)
    return read_table(path, target="class")


@pytest.fixture(scope="session")
def mixed_model(mixed: Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with every kind of encoder; not to be changed."""
    encoder = TableEncoder(n_letters=2, max_categories=10)
    model = train_model(mixed, method="kernel", validate=False, encoder=encoder)
    path = tmp_path_factory.mktemp("models") / "mixed.rarebit"
    save_model(model, path)
    return path
