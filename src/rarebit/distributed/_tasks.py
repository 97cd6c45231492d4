"""Tasks on the workers: results in the order asked, repeats after lost workers, clear errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rarebit.distributed._cluster import ClusterError

if TYPE_CHECKING:
    from distributed import Client

# How often a task whose worker died is tried again before it is held to be the cause.
_RETRIES = 3


def gather_in_order(
    client: Client,
    function: Callable[..., Any],
    arguments: Sequence[tuple[Any, ...]],
    advance: Callable[[int], None] = lambda done: None,
    *,
    workers: Sequence[str | None] | None = None,
) -> list[Any]:
    """Run a function once per tuple of arguments, and return the results in that order.

    Parameters
    ----------
    client : distributed.Client
        Client that `open_cluster` returned.
    function : function
        Importable by the workers; must give the same result when it is run again.
    arguments : sequence of tuple
        Positional arguments of each call.
    advance : function of int, optional
        Called with 1 for each result.
    workers : sequence of str or None, default=None
        Address of the worker that each call prefers; any other takes it over when that is gone.

    Returns
    -------
    list
        One result per call.
    """
    from distributed import KilledWorker, as_completed

    futures = []
    for i, given in enumerate(arguments):
        preferred = None if workers is None else workers[i]
        # Calls of one run share nothing with those of an earlier one: `pure=False`.
        futures.append(
            client.submit(
                function, *given, pure=False, retries=_RETRIES,
                workers=None if preferred is None else [preferred],
                allow_other_workers=preferred is not None,
            )
        )  # fmt: skip
    try:
        for _ in as_completed(futures, loop=client.loop, raise_errors=False):
            advance(1)
        return list(client.gather(futures))
    except KilledWorker as error:
        raise ClusterError(
            "Workers died again and again at the same part of the data, most likely for lack of "
            "memory: give workers more memory, or split the data into smaller files."
        ) from error
    finally:
        client.cancel(futures)
