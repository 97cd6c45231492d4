"""Features of one partition, kept in a file of the worker and mapped into memory.

Everything here runs on workers. A file is made again wherever it is missing, so that a worker that
dies, or a cluster that starts anew, costs time only.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import pickle
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from rarebit._whole_files import replaced_whole
from rarebit.active import Scout
from rarebit.distributed._cells import cells_writer, read_cells
from rarebit.distributed._files import Partition
from rarebit.metrics import minority_scores
from rarebit.tables import FrameScan, Table, TableEncoder, scan_table


@dataclass(frozen=True)
class FeatureRecipe:
    """How partitions become features.

    Attributes
    ----------
    encoder : TableEncoder
        Fitted.
    reading : dict
        Options of `rarebit.tables.scan_table`, with the columns of the sample and their forms: what
        is not learned from is shown to people all the same.
    digest : str
        Names the files of this pool; another pool, and another run, has another one.
    """

    encoder: TableEncoder
    reading: dict[str, Any] = field(default_factory=dict)
    digest: str = ""


def count_rows(file: str, reading: dict[str, Any]) -> tuple[int, str]:
    """Return the number of rows of a file, read as they will be read later, and its SHA-256."""
    n_rows = sum(table.n_rows for table in scan_table(file, **reading).batches())
    with Path(file).open("rb") as stream:
        return n_rows, hashlib.file_digest(stream, "sha256").hexdigest()


def sample_rows(file: str, reading: dict[str, Any], rows: NDArray[np.intp]) -> list[Table]:
    """Return some rows of a file, by rising position."""
    found: list[Table] = []
    start = 0
    for table in scan_table(file, **reading).batches():
        if start > rows[-1]:
            break
        inside = rows[(rows >= start) & (rows < start + table.n_rows)] - start
        if len(inside):
            found.append(table.take(inside))
        start += table.n_rows
    return found


def _folder(recipe: FeatureRecipe) -> Path:
    from distributed import get_worker

    folder = Path(get_worker().local_directory) / f"rarebit-{recipe.digest}"
    folder.mkdir(exist_ok=True)
    return folder


def forget(digest: str, dask_worker: Any) -> None:
    """Remove all files of a pool from a worker."""
    shutil.rmtree(Path(dask_worker.local_directory) / f"rarebit-{digest}", ignore_errors=True)


def features_of(recipe: FeatureRecipe, part: Partition) -> Any:
    """Return the features of a partition, mapped from a file of this worker."""
    folder = _folder(recipe)
    names = ("data", "indices", "indptr") if recipe.encoder.sparse_ else ("rows",)
    paths = [folder / f"{part.number}.{name}.npy" for name in names]
    kept = (*paths, _cells_file(recipe, part), _written_file(recipe, part))
    if not all(path.exists() for path in kept):
        _encode(recipe, part, paths)
    arrays = [np.load(path, mmap_mode="r") for path in paths]
    if not recipe.encoder.sparse_:
        return arrays[0]
    shape = (part.n_rows, recipe.encoder.n_features_)
    return sparse.csr_array(tuple(arrays), shape=shape, copy=False)


def _cells_file(recipe: FeatureRecipe, part: Partition) -> Path:
    return _folder(recipe) / f"{part.number}.cells.arrow"


def _written_file(recipe: FeatureRecipe, part: Partition) -> Path:
    """Return the file that says how cells are read again as they are written."""
    return _folder(recipe) / f"{part.number}.written.pickle"


def _encode(recipe: FeatureRecipe, part: Partition, paths: list[Path]) -> None:
    scan = scan_table(part.path, **recipe.reading)
    tables = scan.batches()
    written = scan.written if isinstance(scan, FrameScan) else None
    with replaced_whole(_written_file(recipe, part)) as partial:
        partial.write_bytes(pickle.dumps(None if written is None else written.portable()))
    with cells_writer(_cells_file(recipe, part)) as write:

        def encoded() -> Iterator[Any]:
            for table in tables:
                write(table)
                yield recipe.encoder.transform(table)

        _write_features(recipe, part, paths, encoded())


def _write_features(
    recipe: FeatureRecipe, part: Partition, paths: list[Path], batches: Iterator[Any]
) -> None:
    if recipe.encoder.sparse_:
        whole = sparse.vstack([sparse.csr_array(each) for each in batches], format="csr")
        for path, values in zip(paths, (whole.data, whole.indices, whole.indptr), strict=True):
            with replaced_whole(path) as partial:
                np.save(partial, values)
        return
    # Written, not mapped: pages of a map count as memory of the worker until it is closed.
    shape = (part.n_rows, recipe.encoder.n_features_)
    head = {"descr": "<f4", "fortran_order": False, "shape": shape}
    with replaced_whole(paths[0]) as partial, partial.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, head)
        for each in batches:
            file.write(np.ascontiguousarray(each, dtype="<f4").data)


def prepare(recipe: FeatureRecipe, part: Partition) -> int:
    """Make the features of a partition; returns the bytes of their files and of the cells."""
    features_of(recipe, part)
    return sum(os.path.getsize(path) for path in _folder(recipe).glob(f"{part.number}.*"))


def fetch(recipe: FeatureRecipe, wanted: list[tuple[Partition, NDArray[np.intp]]]) -> list[Any]:
    """Return rows of several partitions, by position."""
    found = []
    for part, positions in wanted:
        rows = features_of(recipe, part)[positions]
        found.append(rows if sparse.issparse(rows) else np.array(rows))
    return found


def fetch_cells(
    recipe: FeatureRecipe,
    wanted: list[tuple[Partition, NDArray[np.intp]]],
    names: list[str] | None,
) -> list[pl.DataFrame]:
    """Return cells of rows of several partitions, by position; None for all columns."""
    found = []
    for part, positions in wanted:
        features_of(recipe, part)  # makes the files where they are missing
        found.append(read_cells(_cells_file(recipe, part), positions, names))
    return found


def fetch_written(
    recipe: FeatureRecipe, wanted: list[tuple[Partition, NDArray[np.intp]]]
) -> list[pl.DataFrame | None]:
    """Return cells as the files have them; None for a file that is not what it was."""
    found = []
    for part, positions in wanted:
        features_of(recipe, part)
        cells = pickle.loads(_written_file(recipe, part).read_bytes())
        found.append(None if cells is None else cells.read(positions))
    return found


def predicted_classes(recipe: FeatureRecipe, part: Partition, classifier: Any) -> NDArray[Any]:
    """Return the class that a classifier gives to each row of a partition."""
    blocks = row_blocks(features_of(recipe, part))
    return np.concatenate([classifier.predict(block) for block in blocks])


def row_blocks(rows: Any, step: int = 8192) -> Iterator[Any]:
    """Yield some thousand rows at a time, so that little is in memory."""
    mapped = getattr(rows, "_mmap", None)
    for start in range(0, rows.shape[0], step):
        yield rows[start : start + step]
        if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
            mapped.madvise(mmap.MADV_DONTNEED)


def best_rows(
    recipe: FeatureRecipe,
    part: Partition,
    classifier: Any,
    rare: Any,
    k: int,
    out: NDArray[np.intp],
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the rows of a partition with the highest scores, and these, without those in `out`."""
    scores = chunked_scores(features_of(recipe, part), classifier, rare)
    scores[out] = -np.inf
    k = min(k, part.n_rows - len(out))
    # Of equal scores the lowest row comes first, whatever the partitions.
    order = np.lexsort((np.arange(part.n_rows), -scores))[:k]
    return order + part.start, scores[order]


def chunked_scores(rows: Any, classifier: Any, rare: Any) -> NDArray[np.float64]:
    """Return scores of all rows, some thousand at a time, so that little is in memory."""
    parts = [minority_scores(classifier, block, rare) for block in row_blocks(rows)]
    return np.concatenate(parts) if parts else np.empty(0)


def candidates(recipe: FeatureRecipe, part: Partition, k: int, most: int) -> NDArray[np.intp]:
    """Return rows of a partition where rare classes are likely, as `Scout` asks for them.

    Of a large partition every so-manieth row is looked at.
    """
    rows = features_of(recipe, part)
    chosen = np.arange(0, part.n_rows, max(1, -(-part.n_rows // most)))
    sample = rows[chosen]
    return chosen[scouted(sample if sparse.issparse(sample) else np.array(sample), k)] + part.start


def scouted(rows: Any, k: int) -> NDArray[np.intp]:
    """Return the rows that `Scout` asks for, were all of one class."""
    scout = Scout(metric="cosine" if sparse.issparse(rows) else "euclidean").start(rows)
    found: list[int] = []
    while len(found) < min(k, rows.shape[0]):
        # Without answers it would ask for the densest rows only, most of them in one place.
        row = int(scout.ask()[0])
        scout.tell([row], [0])
        found.append(row)
    return np.array(found, dtype=np.intp)
