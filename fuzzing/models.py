"""Damaged model files: loaded and used, or refused with `ModelError`."""

from __future__ import annotations

import hashlib
import io
import json
import random
import tempfile
import warnings
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from fuzzing._bounded import Refused
from fuzzing._damage import damage
from fuzzing._values import spoil, to_text

SUMS = "SHA256SUMS"
# Small machines: their files are damaged thousands of times.
OPTIONS: dict[str, dict[str, Any]] = {
    "kernel": {},
    "bagged": {"n_estimators": 4},
    "boosted": {"n_estimators": 4},
    "pruned": {"max_removals": 4},
}


def write(seed: str, folder: Path) -> Path:
    """Write one damaged model."""
    dice = random.Random(seed)
    data = _model(dice.choice(list(OPTIONS)))
    data = damage(data, dice) if dice.random() < 0.3 else _damaged_inside(data, dice)
    path = folder / "model.rarebit"
    path.write_bytes(data)
    return path


def judge(path: Path) -> str:
    """Load a model and let it judge rows."""
    from rarebit.exceptions import RarebitError
    from rarebit.models import load_model
    from rarebit.tables import read_table

    rows = path.with_name("rows.csv")
    _rows().write_csv(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = load_model(path)
            classes, _ = model.judge(
                read_table(rows, schema=model.encoder.schema_, drop=["class", "id"])
            )
        except RarebitError as error:
            raise Refused(str(error)) from error
    return f"{len(classes)} rows judged"


def _rows(n: int = 60) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    rare = np.arange(n) % 6 == 0
    return pl.DataFrame(
        {
            "id": [f"row {i}" for i in range(n)],
            "amount": rng.normal(size=n) + 3.0 * rare,
            "country": rng.choice(["SE", "NO", "FI"], n),
            "class": np.where(rare, "fraud", "ok"),
        }
    )


@cache
def _model(method: str) -> bytes:
    from rarebit.models import save_model, train_model
    from rarebit.tables import read_table

    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        rows = Path(folder, "rows.csv")
        _rows().write_csv(rows)
        table = read_table(rows, target="class", id="id")
        out = io.BytesIO()
        save_model(train_model(table, method=method, validate=False, **OPTIONS[method]), out)
        return out.getvalue()


def _damaged_inside(data: bytes, dice: random.Random) -> bytes:
    """Damage one member of the archive, or of an archive within it, and pack it whole again."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return damage(data, dice)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = dice.choice([name for name in members if name != SUMS] or [SUMS])
    if dice.random() < 0.05:
        del members[name]
    elif name.endswith((".json", ".npy")) and dice.random() < 0.7:
        members[name] = _spoiled(name, members[name], dice)
    else:
        members[name] = _damaged_inside(members[name], dice)
    # Whoever makes a file on purpose makes its checksums right.
    if SUMS in members and dice.random() < 0.8:
        members[SUMS] = "".join(
            f"{hashlib.sha256(content).hexdigest()}  {name}\n"
            for name, content in members.items()
            if name != SUMS
        ).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def _spoiled(name: str, data: bytes, dice: random.Random) -> bytes:
    """Put wrong values into a tree or an array that stays one."""
    if name.endswith(".json"):
        return to_text(spoil(json.loads(data), dice)).encode()
    out = io.BytesIO()
    np.save(out, spoil(np.load(io.BytesIO(data), allow_pickle=False), dice), allow_pickle=True)
    return out.getvalue()
