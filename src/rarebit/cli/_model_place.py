"""Where ``fit`` and ``learn`` write their model, and which one they replace there."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from rarebit.cli._errors import OutputError

_ENDING = ".rarebit"
# Endings of data, labels, reports and lists, which are no models.
_OTHERS = (
    ".csv", ".tsv", ".txt", ".bib", ".ris", ".html", ".htm", ".json", ".jsonl", ".ndjson",
    ".xlsx", ".ods", ".parquet", ".arrow", ".feather", ".db", ".sqlite", ".md", ".pdf", ".svm",
    ".libsvm", ".npy", ".npz",
)  # fmt: skip


def model_place(file: Path, out: Path | None, ending: str, store: str | None = None) -> Path:
    """Return where a model goes: the place that was given, or one in this folder.

    Parameters
    ----------
    file : Path
        The data.
    out : Path or None
        The place that was given.
    ending : str
        Of the name that is made of that of the data.
    store : str or None, default=None
        The address of the labels where one was given: the name is then made of theirs, so that
        models from other labels of the same data stay.
    """
    if out is not None:
        return out
    if store is None:
        return Path(f"{file.name.split('.')[0]}{ending}")
    from rarebit.projects.stores import address_name

    return Path(f"{address_name(store, file.name)}{ending}")


def check_model_place(place: Path, out: Path | None, export: str = "") -> None:
    """Refuse a place that cannot be written, and one that is said to hold something else.

    Parameters
    ----------
    place : Path
        As `model_place` returned it.
    out : Path or None
        The place that was given.
    export : str, default=""
        What else the command writes, and by which option.
    """
    from rarebit.cli._output import check_writable
    from rarebit.models import ModelError, read_manifest

    check_writable(place)
    if out is None:
        return
    if place.suffix.lower() in _OTHERS:
        raise click.UsageError(
            f"--out is the place of the model, got {place.name!r}: choose a name such as "
            f"NAME{_ENDING}{export and f'; {export}'}"
        )
    if _is_named(place) or not place.is_file() or not place.stat().st_size:
        return
    try:
        read_manifest(place)
    except ModelError as error:
        raise OutputError(
            f"{str(place)!r} is not a rarebit model, and its content would be lost: choose "
            "another name for the model."
        ) from error


def _is_named(place: Path) -> bool:
    return place.suffix.lower() == _ENDING


def labels_name(address: str) -> str:
    """Return what a model file remembers of the labels: their place, seen from this folder.

    Examples
    --------
    >>> labels_name("postgresql://ann@server/claims#march")
    'claims#march'
    >>> labels_name("reviewed/second.db")
    'reviewed/second.db'
    """
    if "://" in address:
        return address.rsplit("/", 1)[-1]  # neither server nor user are for others to know
    place = Path(address).resolve()
    if place.is_relative_to(Path.cwd()):
        return place.relative_to(Path.cwd()).as_posix()
    return "/".join(place.parts[-2:])


def replaced_model(
    place: Path, out: Path | None, file: Path, target: str | None, labels: str | None = None
) -> str | None:
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
    labels : str or None, default=None
        For `learn`, the labels of the new model, as `labels_name` returns them.
    """
    if out is not None or not place.is_file():
        return None
    from rarebit.models import ModelError, read_manifest

    day = datetime.fromtimestamp(place.stat().st_mtime).strftime("%Y-%m-%d %H:%M")
    try:
        known = read_manifest(place)
    except ModelError:
        return f"{place} of {day}, which could not be read as a model, is replaced."
    source = known.get("source", {}).get("file")
    learned = known.get("method") == "learned"
    # Models of earlier versions do not know their labels.
    other = known.get("labels") if labels is not None else None
    is_own = other is None or other == labels
    if learned and target is None and source == file.name and is_own:
        return None
    of = "of another kind" if source is None else f"of {source}"
    aim = "" if known.get("target") is None else f" with the target {known['target']!r}"
    aim += "" if is_own else f" from the labels {other}"
    return f"{place}, a model {of}{aim} of {day}, is replaced: --out NAME keeps both next time."
