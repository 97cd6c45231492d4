"""Projects over folders of files: the same questions, answers and models, on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarebit.distributed._files import list_files
from rarebit.distributed._pool import PartitionedPool
from rarebit.distributed._table import PooledTable, check_settings
from rarebit.projects import Project, Settings, as_settings, silent

if TYPE_CHECKING:
    from distributed import Client

Progress = Callable[[str, int | None], AbstractContextManager[Callable[[int], None]]]


@contextmanager
def open_pooled_table(
    client: Client,
    source: str | PathLike[str],
    settings: Settings | Mapping[str, Any] | None = None,
    *,
    progress: Progress = silent,
) -> Iterator[PooledTable]:
    """Encode a folder of files on the workers, which forget it with the block.

    Parameters
    ----------
    client : distributed.Client
        Client that `open_cluster` returned.
    source : path
        A folder of Parquet, CSV or JSON-lines files, or one of them, on a path that every worker
        sees.
    settings : Settings, mapping or None, default=None
        With ``oracle``, ``reading`` and ``seed``.
    progress : function of str and int or None, optional
        As in `Project.open`.

    Yields
    ------
    PooledTable
        For `Project.open` or `Desk.open`.
    """
    given = as_settings(settings)
    check_settings(given)
    reading = {name: value for name, value in given.reading.items() if value is not None}
    if given.oracle is not None:
        reading["target"] = given.oracle
    files = list_files(source)
    with progress(f"Reading {Path(source).name}", len(files)) as advance:
        pool = PartitionedPool.open(
            client, source, random_state=given.seed, advance=advance, **reading
        )
    try:
        yield PooledTable.of(pool, Path(source).resolve().name)
    finally:
        pool.close()


@contextmanager
def open_project(
    client: Client,
    source: str | PathLike[str],
    *,
    store: str | None = None,
    settings: Settings | Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> Iterator[Project]:
    """Begin a project over a folder of files, or continue one where it was.

    Rows stay with the workers. A question about the border looks at 59 rows that are drawn
    uniformly over all files; a harvest takes the best rows of each file; audits are uniform over
    all rows that nobody was asked for.

    Parameters
    ----------
    client, source, progress
        As in `open_pooled_table`.
    store : str or None, default=None
        As in `Project.open`; None for ``FOLDER.labels.db`` in the current folder.
    settings : Settings, mapping or None, default=None
        What decides how it asks and learns. Rows held out, words that rows are like, other
        explorers and tuned costs need one computer.

    Yields
    ------
    Project
        Ready for `Project.question`; closed with the block.

    Examples
    --------
    >>> from rarebit.distributed import open_cluster, open_project
    >>> with (  # doctest: +SKIP
    ...     open_cluster("local", n_workers=4) as client,
    ...     open_project(client, "payments/", settings={"recall": 0.9}) as project,
    ... ):
    ...     question = project.question()
    """
    with (
        open_pooled_table(client, source, settings, progress=progress) as table,
        Project.open(table, store=store, settings=settings, progress=progress) as project,
    ):
        yield project
