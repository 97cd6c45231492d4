"""The table of a pool on many machines: rows, ids and answers come when they are asked for."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from rarebit.active import Hunt
from rarebit.distributed._cells import as_rows
from rarebit.distributed._explorer import PoolExplorer
from rarebit.distributed._learner import PoolLearner
from rarebit.distributed._pool import PartitionedPool
from rarebit.projects import Prepared, Settings, SettingsError, left_out, stop_rule
from rarebit.tables import Shown, Table

_CHUNK = 100_000
_MOST_KEPT = 256
_EXPLORE = 0.2  # as of BorderLearner


class PooledColumn:
    """One column of all rows, of which some are fetched at a time.

    Parameters
    ----------
    pool : PartitionedPool
        The pool.
    name : {"id", "target"}
        Which column.
    counts : bool, default=False
        Whether rows have no names and are numbered through.

    Attributes
    ----------
    digest : str
        Names the values of all rows, for stores, which would otherwise read them all.
    """

    dtype = np.dtype(object)

    def __init__(self, pool: PartitionedPool, name: str, *, counts: bool = False) -> None:
        self._pool, self._name = pool, name
        self._counts = counts
        if counts:
            self.dtype = np.dtype(np.intp)
        self.digest = pool.checksum

    def __len__(self) -> int:
        return self._pool.n_rows

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, int | np.integer):
            return self[np.array([at])][0]
        rows = np.arange(len(self))[at] if isinstance(at, slice) else np.asarray(at, dtype=np.intp)
        if self._counts:
            return rows
        values = self._pool.cells(rows, [self._name])[self._name].to_list()
        found = np.empty(len(values), dtype=object)
        found[:] = values
        return found

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), _CHUNK):
            yield from self[start : start + _CHUNK].tolist()

    def tolist(self) -> list[Any]:
        """Return the values of all rows, which takes a pass over the pool."""
        return list(self)


@dataclass(frozen=True, eq=False, repr=False)
class PooledTable(Table):
    """Rows of a `PartitionedPool` as a project sees them.

    Attributes
    ----------
    pool : PartitionedPool
        The pool; what else is not named here is of its sample.
    """

    pool: PartitionedPool | None = None
    _kept: OrderedDict[int, Table] = field(default_factory=OrderedDict)

    @classmethod
    def of(cls, pool: PartitionedPool, source: str) -> PooledTable:
        """Return the table of a pool.

        Parameters
        ----------
        pool : PartitionedPool
            The pool.
        source : str
            Its name, for people.
        """
        sample = pool.sample
        own = {name: getattr(sample, name) for name in sample.__dataclass_fields__}
        own |= {
            "source": source,
            "ids": PooledColumn(pool, "id", counts=sample.counts_rows),
            "target": None if sample.target is None else PooledColumn(pool, "target"),
            "checksum": partial(str, pool.checksum),
            "raw": None,
        }
        return cls(**own, pool=pool)

    @property
    def _rows(self) -> PartitionedPool:
        assert self.pool is not None
        return self.pool

    def take(self, rows: ArrayLike | slice) -> Table:
        """Return some of the rows, fetched from the workers.

        Parameters
        ----------
        rows : array-like of int or bool, or slice
            Positions in the pool.

        Returns
        -------
        Table
            These rows, in memory.
        """
        if isinstance(rows, slice):
            numbers: NDArray[np.intp] = np.arange(self.n_rows)[rows]
        else:
            given = np.asarray(rows)
            numbers = np.flatnonzero(given) if given.dtype == bool else given.astype(np.intp)
        cells = self._rows.cells(numbers)
        ids = np.empty(len(numbers), dtype=object)
        ids[:] = cells["id"].to_list()
        return as_rows(cells, self._rows.sample, numbers if self.counts_rows else ids)

    def single(self, row: int) -> tuple[Table, int]:
        """Return a table in memory that holds a row, and its position in it."""
        if row not in self._kept:
            self._kept[row] = self.take([row])
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return self._kept[row], 0

    def _understood(self, row: int) -> Shown:
        table, at = self.single(int(row))
        return table.show(at)

    def written_cells(self, rows: ArrayLike | None = None) -> pl.DataFrame | None:
        """Return cells as the files have them, which the workers read again for it.

        Parameters
        ----------
        rows : array-like of int or None, default=None
            Positions in the pool; None for all.

        Returns
        -------
        DataFrame or None
            As `Table.written_cells` returns them.
        """
        chosen = np.arange(self.n_rows) if rows is None else np.asarray(rows, dtype=np.intp)
        return self._rows.written_cells(chosen) if len(chosen) else None

    def seen_cells(self, rows: ArrayLike) -> pl.DataFrame | None:
        """Return cells for people to look at, as `written_cells` does.

        Parameters
        ----------
        rows : array-like of int
            Positions in the pool.

        Returns
        -------
        DataFrame or None
            As `written_cells`.
        """
        return self.written_cells(rows)

    # --- for projects -------------------------------------------------------------------

    @property
    def sample(self) -> Table:
        """Some of the rows, drawn uniformly, in memory."""
        return self._rows.sample

    def prepared(self, settings: Settings) -> Prepared:
        """Return encoder and features, which the workers have made."""
        if settings.imported:
            raise SettingsError(
                "'imported' takes columns out of the features, and those of a cluster are made "
                "when it is opened: leave the column out with 'drop'."
            )
        return Prepared(self._rows.encoder, self._rows, left_out(self._rows.encoder.dropped_))

    def make_asker(self, settings: Settings) -> Hunt:
        """Return what asks over all files, not started."""
        check_settings(settings)
        learner = PoolLearner(
            kernel=settings.kernel or ("linear" if self._rows.is_sparse else "rbf"),
            C=float(settings.C),
            gamma="scale" if settings.gamma is None else settings.gamma,
            explore=_EXPLORE,
            stop=stop_rule(settings),
            random_state=settings.seed,
        )
        return Hunt(
            explorer=PoolExplorer(settings.seed),
            learner=learner,
            goal=settings.goal,
            target=settings.recall,
            confidence=settings.confidence,
            rare=list(settings.rare) or None,
            normal=list(settings.normal) or None,
            random_state=settings.seed,
        )


def check_settings(settings: Settings) -> None:
    """Refuse settings that need all rows on one computer."""
    refused = {
        "holdout": settings.holdout is not None,
        "target": settings.target is not None,
        "like": bool(settings.like),
        "explorer": settings.explorer != "scout",
        "C": settings.C == "tuned",
        "gamma": settings.gamma == "tuned",
        "task": settings.task != "learn",
        "missing": settings.missing != "mean",
    }
    wrong = [repr(name) for name, is_wrong in refused.items() if is_wrong]
    if wrong:
        raise SettingsError(
            f"{' and '.join(wrong)} cannot be changed for a pool on a cluster: leave out "
            f"{'it' if len(wrong) == 1 else 'them'}, or learn without a cluster."
        )
