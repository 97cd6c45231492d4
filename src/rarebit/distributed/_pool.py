"""A pool whose rows stay with the workers; single rows and the best ones come when asked for."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from rarebit.distributed._array_pool import gamma_of, stack_rows
from rarebit.distributed._encoded import (
    FeatureRecipe,
    best_rows,
    candidates,
    count_rows,
    fetch,
    fetch_cells,
    fetch_written,
    forget,
    predicted_classes,
    prepare,
    sample_rows,
)
from rarebit.distributed._files import Partitions, list_files, number_rows
from rarebit.distributed._homes import assign_homes
from rarebit.distributed._tasks import gather_in_order
from rarebit.tables import FrameScan, Table, TableEncoder, concatenate, scan_table

if TYPE_CHECKING:
    from distributed import Client


class PartitionedPool:
    """Rows of many files, encoded once on the workers that keep them.

    Make one with `open`. The encoder is fitted on a sample of rows of all files; workers turn their
    files into features in single precision, in files of their own disk that are mapped into memory,
    so that a pool may be many times as large as the memory of all workers.

    Attributes
    ----------
    partitions : Partitions
        Files with global row numbers.
    encoder : TableEncoder
        Fitted on a sample.
    sample : Table
        The rows that the encoder was fitted on.
    checksum : str
        SHA-256 of the names, sizes and contents of all files.
    n_bytes : int
        Size of features and cells on the disks of the workers.
    """

    def __init__(
        self,
        client: Client,
        partitions: Partitions,
        recipe: FeatureRecipe,
        sample: Table,
        checksum: str,
    ) -> None:
        self._client = client
        self._recipe = recipe
        self.partitions = partitions
        self.sample = sample
        self.checksum = checksum
        self.encoder = recipe.encoder
        self.gamma = gamma_of(self.encoder.transform(sample))
        self.n_bytes = 0
        self._homes: Sequence[str | None] = [None] * len(partitions.files)

    @classmethod
    def open(
        cls,
        client: Client,
        source: str | PathLike[str] | Sequence[str | PathLike[str]],
        *,
        n_sample: int = 20_000,
        random_state: int = 0,
        advance: Callable[[int], None] = lambda files: None,
        **reading: Any,
    ) -> PartitionedPool:
        """Count rows, fit the encoder on a sample, and make features on the workers.

        Parameters
        ----------
        client : distributed.Client
            Client that `open_cluster` returned.
        source : path or sequence of paths
            A folder of Parquet, CSV or JSON-lines files, or such files, on paths that every worker
            sees.
        n_sample : int, default=20_000
            Rows that the encoder is fitted on, drawn uniformly.
        random_state : int, default=0
            Seed of that draw.
        advance : function of int, optional
            Called with 1 for each file that is ready.
        **reading
            Options of `rarebit.tables.scan_table`, such as ``id`` and ``drop``.

        Returns
        -------
        PartitionedPool
            Ready.
        """
        files = [str(path) for path in list_files(source)]
        # The first file says what the columns are and how their cells are written; all others are
        # read the same way, and one that contradicts it is an error.
        first = scan_table(files[0], **reading)
        forms = first.forms if isinstance(first, FrameScan) else None
        roles = {**reading, "schema": dict(first.columns), "forms": forms}
        read = gather_in_order(client, count_rows, [(path, roles) for path in files])
        partitions = number_rows(files, [n_rows for n_rows, _ in read])
        told = [[Path(path).name, *each] for path, each in zip(files, read, strict=True)]
        checksum = hashlib.sha256(json.dumps(told).encode()).hexdigest()
        rng = np.random.default_rng(random_state)
        n_rows = partitions.n_rows
        drawn = np.sort(rng.choice(n_rows, min(n_sample, n_rows), replace=False))
        wanted = [
            (part.path, roles, drawn[(drawn >= part.start) & (drawn < part.start + part.n_rows)]
             - part.start)
            for part in partitions.files
        ]  # fmt: skip
        pieces = gather_in_order(client, sample_rows, [each for each in wanted if len(each[2])])
        sample = concatenate([table for piece in pieces for table in piece])
        encoder = TableEncoder(random_state=random_state).fit(sample)
        # A name of its own: no run takes files that another one has left.
        recipe = FeatureRecipe(encoder, roles, uuid.uuid4().hex)
        pool = cls(
            client, partitions, recipe, replace(sample, checksum=None, written=None), checksum
        )
        tasks = [(pool._recipe, part) for part in partitions.files]
        sizes = gather_in_order(client, prepare, tasks, advance, workers=pool._preferred())
        pool.n_bytes = sum(sizes)
        return pool

    def close(self) -> None:
        """Remove the files of this pool from the disks of the workers."""
        self._client.run(forget, self._recipe.digest)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.partitions.n_rows

    @property
    def is_sparse(self) -> bool:
        """Whether features are sparse."""
        return bool(self.encoder.sparse_)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of features."""
        return self.n_rows, int(self.encoder.n_features_)

    def __len__(self) -> int:
        return self.n_rows

    @property
    def dtype(self) -> np.dtype[np.float32]:
        """Type of the features."""
        return np.dtype(np.float32)

    def __getitem__(self, rows: Any) -> Any:
        """Return features of rows as a matrix would: by number, numbers, or every so-manieth."""
        if isinstance(rows, int | np.integer):
            return self.take([int(rows)])[0]
        return self.take(np.arange(self.n_rows)[rows] if isinstance(rows, slice) else rows)

    def __getstate__(self) -> dict[str, Any]:
        # Another process has its own connection to the cluster.
        return {**vars(self), "_client": self._client.scheduler.address}

    def __setstate__(self, state: dict[str, Any]) -> None:
        from distributed import Client

        address = state["_client"]
        vars(self).update(state)
        self._client = Client(address, set_as_default=False)

    def take(self, rows: ArrayLike) -> Any:
        """Return features of rows by global number, in that order.

        Parameters
        ----------
        rows : array-like of int
            Global row numbers.

        Returns
        -------
        ndarray or CSR array of shape (n, n_features)
            Features.
        """
        found, order = self._gathered(rows, fetch)
        return stack_rows(found)[order]

    def cells(self, rows: ArrayLike, names: list[str] | None = None) -> pl.DataFrame:
        """Return cells of rows by global number, in that order; see `rarebit.distributed._cells`.

        Parameters
        ----------
        rows : array-like of int
            Global row numbers.
        names : list of str or None, default=None
            Columns; None for all.

        Returns
        -------
        polars.DataFrame
            One row per number.
        """
        found, order = self._gathered(rows, fetch_cells, names)
        return pl.concat(found, how="vertical_relaxed")[order]

    def written_cells(self, rows: ArrayLike) -> pl.DataFrame | None:
        """Return cells of rows as the files have them, read again where these are.

        Parameters
        ----------
        rows : array-like of int
            Global row numbers.

        Returns
        -------
        polars.DataFrame or None
            One row per number; None where a file is not what it was.
        """
        found, order = self._gathered(rows, fetch_written)
        if any(frame is None for frame in found):
            return None
        try:
            return pl.concat(found, how="diagonal_relaxed")[order]
        except pl.exceptions.PolarsError:  # a column of another type in each file
            return None

    def predict(self, classifier: Any) -> NDArray[Any]:
        """Return the class that a classifier gives to each row of the pool.

        Parameters
        ----------
        classifier : estimator
            Fitted; sent to each worker.

        Returns
        -------
        ndarray of shape (n_rows,)
            Classes.
        """
        tasks = [(self._recipe, part, classifier) for part in self.partitions.files]
        found = gather_in_order(self._client, predicted_classes, tasks, workers=self._preferred())
        return np.concatenate(found)

    def _gathered(
        self, rows: ArrayLike, function: Callable[..., Any], *more: Any
    ) -> tuple[list[Any], NDArray[np.intp]]:
        """Call a function on the workers that keep rows; blocks, and the order of their rows."""
        numbers = np.asarray(rows, dtype=np.intp)
        starts = np.array([part.start for part in self.partitions.files])
        owner = np.searchsorted(starts, numbers, side="right") - 1
        homes = self._preferred()
        # One call per worker, however many of its partitions are concerned.
        calls: dict[str, list[int]] = {}
        for number in np.unique(owner).tolist() or [0]:
            calls.setdefault(homes[number], []).append(number)
        arguments = [
            (
                self._recipe,
                [(self.partitions.files[p], numbers[owner == p] - starts[p]) for p in of_worker],
                *more,
            )
            for of_worker in calls.values()
        ]
        found = gather_in_order(self._client, function, arguments, workers=list(calls))
        blocks = {
            number: block
            for of_worker, result in zip(calls.values(), found, strict=True)
            for number, block in zip(of_worker, result, strict=True)
        }
        order = np.argsort(np.concatenate([np.flatnonzero(owner == p) for p in blocks]))
        return list(blocks.values()), order

    def best(self, classifier: Any, rare: Any, k: int, out: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the ``k`` rows with the highest scores, without those in ``out``.

        Parameters
        ----------
        classifier : estimator
            Fitted; sent to each worker.
        rare : object
            The class that the scores speak of.
        k : int
            Number of rows.
        out : ndarray of int
            Global numbers of rows to leave out.

        Returns
        -------
        ndarray of int of shape (k,)
            Global row numbers, the highest score first; of equal ones the lowest row.
        """
        rows = np.asarray(out, dtype=np.intp)
        tasks = []
        for part in self.partitions.files:
            inside = rows[(rows >= part.start) & (rows < part.start + part.n_rows)] - part.start
            tasks.append((self._recipe, part, classifier, rare, k, inside))
        found = gather_in_order(self._client, best_rows, tasks, workers=self._preferred())
        numbers = np.concatenate([each[0] for each in found])
        scores = np.concatenate([each[1] for each in found])
        return numbers[np.lexsort((numbers, -scores))[:k]]

    def candidates(self, k: int) -> NDArray[np.intp]:
        """Return rows where the density changes in their partition, one partition after the other.

        Parameters
        ----------
        k : int
            Number of rows.

        Returns
        -------
        ndarray of int of shape (at most k,)
            Global row numbers.
        """
        files = self.partitions.files
        each = -(-k // len(files))
        tasks = [(self._recipe, part, each, 20_000) for part in files]
        found = gather_in_order(self._client, candidates, tasks, workers=self._preferred())
        merged = [int(rows[i]) for i in range(each) for rows in found if i < len(rows)]
        return np.array(merged[:k], dtype=np.intp)

    def _preferred(self) -> list[str]:
        """Return the worker that keeps each partition; partitions of a lost one move on."""
        workers = sorted(self._client.scheduler_info(n_workers=-1)["workers"])
        if not workers:
            self._client.wait_for_workers(1, timeout=60)
            workers = sorted(self._client.scheduler_info(n_workers=-1)["workers"])
        self._homes = assign_homes(self._homes, workers)
        return list(self._homes)
