"""A cluster of worker processes: one of this computer, or one that runs already."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rarebit._extras import how_to_install
from rarebit.exceptions import RarebitError

if TYPE_CHECKING:
    from distributed import Client


class ClusterError(RarebitError, RuntimeError):
    """A cluster that cannot be used; the message says what to do."""


@contextmanager
def open_cluster(
    address: str = "local",
    *,
    n_workers: int | None = None,
    memory_limit: str | int = "auto",
    timeout: float = 10.0,
) -> Iterator[Client]:
    """Connect to a cluster; a local one is started, and ended with the block.

    Dask sends Python objects between its processes by pickle, so whoever can reach a scheduler can
    run programs on its workers: use clusters that you trust only. A local cluster and its dashboard
    listen on 127.0.0.1 only.

    Parameters
    ----------
    address : str, default="local"
        ``"local"`` for worker processes of this computer, or the address of a scheduler, such as
        ``"tcp://10.0.0.5:8786"`` or ``"tls://…"``.
    n_workers : int or None, default=None
        Workers of a local cluster; None for one per processor.
    memory_limit : str or int, default="auto"
        Memory of each local worker, such as ``"1GB"``; it spills to the disk before it reaches
        the limit.
    timeout : float, default=10.0
        Seconds to wait for the scheduler.

    Yields
    ------
    distributed.Client
        Connected; ``client.dashboard_link`` is the address of the dashboard.

    Examples
    --------
    >>> from rarebit.distributed import open_cluster
    >>> with open_cluster("local", n_workers=1) as client:  # doctest: +SKIP
    ...     client.submit(sum, [1, 2]).result()
    3
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise ClusterError(
            "Clusters need the packages dask and distributed, which are not installed: "
            f"{how_to_install('dask')}."
        ) from error
    if n_workers is not None and n_workers < 1:
        raise ClusterError(f"n_workers must be 1 or more, got {n_workers}.")
    if address != "local":
        _check_address(address)
        try:
            client = Client(address, timeout=timeout, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterError(
                f"No scheduler answers at {address!r} ({type(error).__name__}): start one with "
                "`dask scheduler`, or use 'local'."
            ) from error
        with client:
            if not client.scheduler_info()["workers"]:
                raise ClusterError(
                    f"The cluster at {address!r} has no workers: start some with `dask worker "
                    f"{address}`."
                )
            yield client
        return
    workers = n_workers or os.cpu_count() or 1
    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            memory_limit=memory_limit,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def _check_address(address: str) -> None:
    """Refuse what is no address: a client that stumbles over it breaks the one that follows."""
    from distributed.comm import get_address_host_port

    try:
        get_address_host_port(address)
    except (ValueError, TypeError) as error:
        raise ClusterError(
            f"{address!r} is no address of a scheduler: give its host and port, such as "
            "'tcp://127.0.0.1:8786', or 'local' for a cluster on this computer."
        ) from error
