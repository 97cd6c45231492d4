"""A pool whose rows stay with the workers; single rows and the best ones come when asked for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from rarebit.distributed._encoded import (
    FeatureRecipe,
    best_rows,
    candidates,
    chunked_scores,
    count_rows,
    fetch,
    prepare,
    sample_rows,
)
from rarebit.distributed._files import Partitions, list_files, number_rows
from rarebit.distributed._tasks import gather_in_order
from rarebit.tables import FrameScan, TableEncoder, concatenate, scan_table

if TYPE_CHECKING:
    from distributed import Client


class PoolRows(Protocol):
    """What `PoolLearner` needs of a pool."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        ...

    @property
    def gamma(self) -> float:
        """Width of an rbf kernel by the spread of the features."""
        ...

    def take(self, rows: ArrayLike) -> Any:
        """Return features of rows by number, in that order."""
        ...

    def best(self, classifier: Any, rare: Any, k: int, out: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the ``k`` rows with the highest scores, without those in ``out``."""
        ...

    def candidates(self, k: int) -> NDArray[np.intp]:
        """Return rows where rare classes are likely, the most likely first."""
        ...


def gamma_of(sample: Any) -> float:
    """Return 1 / (features × variance), as ``gamma="scale"`` of the sample."""
    if sparse.issparse(sample):
        mean = sample.mean()
        spread = float(sample.multiply(sample).mean() - mean**2)
    else:
        spread = float(np.asarray(sample, dtype=np.float64).var())
    return 1.0 / (sample.shape[1] * spread) if spread > 0.0 else 1.0


def stack_rows(blocks: list[Any]) -> Any:
    """Return blocks of rows below each other."""
    if sparse.issparse(blocks[0]):
        return sparse.vstack(blocks, format="csr")
    return np.concatenate(blocks)


class ArrayPool:
    """The same for a matrix in memory: what one computer does without a cluster.

    Parameters
    ----------
    X : ndarray or CSR array of shape (n_rows, n_features)
        The features.
    gamma : float
        As of `PoolRows`.
    find_candidates : function of int
        Returns rows where rare classes are likely.
    """

    def __init__(
        self, X: Any, gamma: float, find_candidates: Callable[[int], NDArray[np.intp]]
    ) -> None:
        self._X = X
        self.gamma = gamma
        self.candidates = find_candidates

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self._X.shape[0])

    def take(self, rows: ArrayLike) -> Any:
        """Return features of rows by number, in that order."""
        return self._X[np.asarray(rows, dtype=np.intp)]

    def best(self, classifier: Any, rare: Any, k: int, out: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the ``k`` rows with the highest scores, without those in ``out``."""
        scores = chunked_scores(self._X, classifier, rare)
        scores[out] = -np.inf
        order = np.lexsort((np.arange(self.n_rows), -scores))
        return order[: min(k, self.n_rows - len(out))]


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
    n_bytes : int
        Size of the features on the disks of the workers.
    """

    def __init__(
        self, client: Client, partitions: Partitions, recipe: FeatureRecipe, gamma: float
    ) -> None:
        self._client = client
        self._recipe = recipe
        self.partitions = partitions
        self.gamma = gamma
        self.encoder = recipe.encoder
        self.n_bytes = 0

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
        counts = gather_in_order(client, count_rows, [(path, roles) for path in files])
        partitions = number_rows(files, counts)
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
        text = json.dumps([[part.path, part.n_rows] for part in partitions.files])
        key = f"{text}{drawn.tolist()}{sorted(encoder.schema_.items())}{reading!r}"
        digest = hashlib.blake2b(key.encode(), digest_size=8).hexdigest()
        kept = {name: value for name, value in reading.items() if name != "schema"}
        pool = cls(client, partitions, FeatureRecipe(encoder, kept, digest),
                   gamma_of(encoder.transform(sample)))  # fmt: skip
        tasks = [(pool._recipe, part) for part in partitions.files]
        sizes = gather_in_order(client, prepare, tasks, advance, workers=pool._preferred())
        pool.n_bytes = sum(sizes)
        return pool

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.partitions.n_rows

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
        numbers = np.asarray(rows, dtype=np.intp)
        starts = np.array([part.start for part in self.partitions.files])
        owner = np.searchsorted(starts, numbers, side="right") - 1
        homes = self._preferred()
        # One call per worker, however many of its partitions are concerned.
        calls: dict[str, list[int]] = {}
        for number in np.unique(owner).tolist():
            calls.setdefault(homes[number], []).append(number)
        arguments = [
            (
                self._recipe,
                [(self.partitions.files[p], numbers[owner == p] - starts[p]) for p in of_worker],
            )
            for of_worker in calls.values()
        ]
        found = gather_in_order(self._client, fetch, arguments, workers=list(calls))
        blocks = {
            number: block
            for of_worker, result in zip(calls.values(), found, strict=True)
            for number, block in zip(of_worker, result, strict=True)
        }
        order = np.argsort(np.concatenate([np.flatnonzero(owner == p) for p in blocks]))
        return stack_rows(list(blocks.values()))[order]

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
        return [workers[part.number % len(workers)] for part in self.partitions.files]
