"""Predictions over partitions: each worker reads, judges and writes whole files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rarebit._whole_files import replaced_whole
from rarebit.distributed._files import list_files
from rarebit.distributed._tasks import gather_in_order
from rarebit.models import Decisions, Model, load_model, measure_decisions, read_manifest
from rarebit.tables import RangeCheck, Table, TableError, checksum_of, scan_table

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True)
class Request:
    """What is asked of a model, the same for every partition.

    Attributes
    ----------
    model : str
        The model file, as every worker sees it.
    digest : str
        Checksum of that file, so that no worker judges with an older one.
    choice : dict
        ``rare``, ``normal`` and ``threshold`` of `rarebit.models.Model.decide`.
    reading : dict
        Options of `rarebit.tables.scan_table`.
    trusted : tuple of str
        Types in the model file that may be built beside ours.
    """

    model: str
    digest: str
    choice: Mapping[str, Any] = field(default_factory=dict)
    reading: Mapping[str, Any] = field(default_factory=dict)
    trusted: tuple[str, ...] = ()


@lru_cache(maxsize=2)
def _loaded(path: str, digest: str, trusted: tuple[str, ...]) -> Model:
    """Load a model once per worker."""
    if checksum_of(Path(path)) != digest:
        raise TableError(
            f"{Path(path).name} on this worker is another file: give every worker the same model."
        )
    model: Model = load_model(path, trusted=trusted)
    return model


def judged_batches(
    request: Request, file: str, ranges: RangeCheck | None = None
) -> Iterator[tuple[Table, Decisions]]:
    """Yield batches of rows of a file, and what the model says of them."""
    model = _loaded(request.model, request.digest, request.trusted)
    scan = scan_table(file, **model.reading, **request.reading)
    for table in scan.batches():
        if ranges is not None:
            ranges.add(table)
        yield table, model.decide(table, **request.choice)


def _write_judged(request: Request, file: str, out: str) -> dict[str, Any]:
    """Judge one file into another; the result of a task that was run twice is the same file."""
    import polars as pl
    import pyarrow.parquet as pq

    counts: Counter[str] = Counter()
    n_rows = n_alarms = 0
    writer = None
    ranges = RangeCheck(_loaded(request.model, request.digest, request.trusted).encoder)
    with replaced_whole(Path(out)) as partial:
        try:
            for table, made in judged_batches(request, file, ranges):
                columns: dict[str, Any] = {
                    table.id_name: pl.Series(table.ids.tolist()),
                    "predicted": made.classes,
                    "score": made.scores,
                }
                if len(made.each) > 1:
                    columns |= {f"score_{name}": own for name, own in made.each.items()}
                rows = pl.DataFrame(columns).to_arrow()
                writer = writer or pq.ParquetWriter(partial, rows.schema)
                writer.write_table(rows)
                counts.update(made.classes.tolist())
                n_rows += table.n_rows
                n_alarms += int(made.rare.sum())
        finally:
            if writer is not None:
                writer.close()
    return {"rows": n_rows, "alarms": n_alarms, "predicted": dict(counts), "ranges": ranges}


@dataclass(frozen=True)
class Predicted:
    """What `predict_files` did.

    Attributes
    ----------
    n_rows : int
        Number of rows judged.
    n_alarms : int
        Number of rows that were called rare.
    predicted : dict of str to int
        Rows of each class.
    files : tuple of Path
        Written, one for each partition.
    outside_range : dict of str to dict
        Columns of which many rows lie outside the training file, as ``rarebit predict`` tells.
    notes : tuple of str
        What a reader of the predictions should know, in sentences.
    """

    n_rows: int
    n_alarms: int
    predicted: dict[str, int]
    files: tuple[Path, ...]
    outside_range: dict[str, dict[str, Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def make_request(
    model: str | PathLike[str],
    *,
    rare: Sequence[str] | None = None,
    normal: Sequence[str] | None = None,
    threshold: float | None = None,
    trusted: Sequence[str] = (),
    **reading: Any,
) -> Request:
    """Describe what is asked of a model; its file must be on a path that every worker sees."""
    read_manifest(model)  # a missing or damaged file is refused before workers meet it
    path = Path(model).resolve()
    choice = {"rare": rare, "normal": normal, "threshold": threshold}
    return Request(str(path), checksum_of(path), choice, reading, tuple(trusted))


def predict_files(
    client: Client,
    model: str | PathLike[str],
    source: str | PathLike[str] | Sequence[str | PathLike[str]],
    out: str | PathLike[str],
    *,
    advance: Callable[[int], None] = lambda files: None,
    **options: Any,
) -> Predicted:
    """Judge every file of a pool on the workers of a cluster.

    Each worker reads its file piece by piece, so that its memory does not depend on the size of the
    file. Predictions equal those of one computer to the bit. A worker that dies costs time only:
    its files are judged again by others.

    Parameters
    ----------
    client : distributed.Client
        Client that `open_cluster` returned.
    model : path
        The model file, on a path that every worker sees.
    source : path or sequence of paths
        A folder of Parquet, CSV or JSON-lines files, or such files, on such paths.
    out : path
        Folder of the results; made where it is missing. A Parquet file for each partition, of the
        same name, with the id, the class and the score of each row.
    advance : function of int, optional
        Called with the number of files that were finished since the last call.
    **options
        ``rare``, ``normal`` and ``threshold`` as in `rarebit.models.Model.decide`, ``trusted`` as
        in `rarebit.models.load_model`; others as in `rarebit.tables.scan_table`.

    Returns
    -------
    Predicted
        Counts and files.
    """
    request = make_request(model, **options)
    files = list_files(source)
    folder = Path(out).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    targets = [folder / f"{path.stem}.parquet" for path in files]
    if len(set(targets)) < len(targets):
        targets = [folder / f"{i:05d}-{path.stem}.parquet" for i, path in enumerate(files)]
    clash = set(targets) & set(files)
    if clash:
        raise TableError(
            f"The results would replace {next(iter(clash)).name}: choose another folder."
        )
    tasks = [(request, str(path), str(to)) for path, to in zip(files, targets, strict=True)]
    found = gather_in_order(client, _write_judged, tasks, advance)
    counts: Counter[str] = Counter()
    for each in found:
        counts.update(each["predicted"])
    ranges = found[0]["ranges"]
    for each in found[1:]:
        ranges.merge(each["ranges"])
    told = ranges.sentence()
    return Predicted(
        sum(each["rows"] for each in found),
        sum(each["alarms"] for each in found),
        dict(counts),
        tuple(targets),
        ranges.to_json(),
        (told,) if told else (),
    )


def _compare(request: Request, file: str) -> tuple[NDArray[np.str_], list[Decisions], int]:
    truths: list[NDArray[np.str_]] = []
    decisions: list[Decisions] = []
    n_rows = 0
    for table, made in judged_batches(request, file):
        if table.target is None:
            raise TableError(f"{Path(file).name} has no classes to compare with: name a target.")
        known = table.target != ""
        truths.append(table.target[known])
        decisions.append(made.take(known))
        n_rows += table.n_rows
    return np.concatenate(truths), decisions, n_rows


def evaluate_files(
    client: Client,
    model: str | PathLike[str],
    source: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    target: str | None = None,
    advance: Callable[[int], None] = lambda files: None,
    **options: Any,
) -> dict[str, Any]:
    """Compare the decisions of a model with the classes of all files of a pool.

    Parameters
    ----------
    client, model, source, advance, **options
        As in `predict_files`.
    target : str or None, default=None
        Column of classes; None for that of the training file.

    Returns
    -------
    dict
        The report of `rarebit.models.measure_decisions`, ``rows_without_class`` and
        ``unknown_classes``.
    """
    loaded = load_model(model, trusted=tuple(options.get("trusted", ())))
    column = loaded.manifest["target"] if target is None else target
    request = make_request(model, **options, target=column)
    tasks = [(request, str(path)) for path in list_files(source)]
    found = gather_in_order(client, _compare, tasks, advance)
    truth = np.concatenate([part[0] for part in found])
    if not len(truth):
        raise TableError(f"No row has a class in the column {column!r}: label some rows.")
    made = [piece for part in found for piece in part[1]]
    sought = {name: options.get(name) for name in ("rare", "normal")}
    measured = measure_decisions(loaded, truth, made, **sought)
    return {
        **measured.report,
        "rows_without_class": sum(part[2] for part in found) - len(truth),
        "unknown_classes": measured.unknown,
    }
