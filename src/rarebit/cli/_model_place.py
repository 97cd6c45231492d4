"""Where ``fit`` and ``learn`` write their model, and which one they replace there."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path


def model_place(file: Path, out: Path | None, ending: str) -> Path:
    """Return where a model goes: the place that was given, or one in this folder.

    Parameters
    ----------
    file : Path
        The data.
    out : Path or None
        The place that was given.
    ending : str
        Of the name that is made of that of the data.
    """
    return out or Path(f"{file.name.split('.')[0]}{ending}")


def replaced_model(place: Path, out: Path | None, file: Path, target: str | None) -> str | None:
    """Return a sentence on the model that is about to be replaced, None if there is nothing to say.

    Parameters
    ----------
    place : Path
        As `model_place` returned it.
    out : Path or None
        The place that was given: who names a place knows what is there.
    file : Path
        The data of the new model.
    target : str or None
        Their target; None for `learn`, which continues its own model.
    """
    if out is not None or not place.is_file():
        return None
    from rarebit.models import ModelError, read_manifest

    day = datetime.fromtimestamp(place.stat().st_mtime).strftime("%Y-%m-%d %H:%M")
    try:
        known = read_manifest(place)
    except ModelError:
        return f"{place} of {day}, which was no model that can be read, is replaced."
    source = known.get("source", {}).get("file")
    learned = known.get("method") == "learned"
    if learned and target is None and source == file.name:
        return None
    of = "of another kind" if source is None else f"of {source}"
    aim = "" if known.get("target") is None else f" with the target {known['target']!r}"
    return f"{place}, a model {of}{aim} of {day}, is replaced: --out NAME keeps both next time."
