"""Large values for another process: written once to a file, mapped there instead of copied."""

from __future__ import annotations

import mmap
import pickle
from pathlib import Path
from typing import IO, Any

from rarebit._scratch import NamedScratch

Ticket = tuple[str, list[tuple[int, int]]]  # a path, and places and sizes of what is there
_STEP = 64  # bytes at whose multiples arrays begin, as vector instructions want


class Shared:
    """A value that other processes can load as long as this object lives.

    The arrays in it are mapped, so that processes share their memory until one writes to them.
    The file vanishes with this process, however it ends. Without a value it is a place for one,
    which another process writes there by `fill_shared`.

    Parameters
    ----------
    *value : object
        One that can be pickled, or none.

    Attributes
    ----------
    ticket : tuple
        What `load_shared` needs; can be sent to a child process.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.projects._sharing import Shared, fill_shared, load_shared
    >>> shared = Shared({"x": np.arange(3.0)})
    >>> load_shared(shared.ticket)["x"]
    array([0., 1., 2.])
    >>> place = Shared()
    >>> place.ticket = fill_shared(place.ticket, "from a child")
    >>> load_shared(place.ticket)
    'from a child'
    """

    def __init__(self, *value: Any) -> None:
        self._scratch = NamedScratch("pool")
        self.ticket: Ticket = (str(self._scratch.path), [])
        if value:
            self.ticket = (self.ticket[0], _write(self._scratch.stream, value[0]))


def fill_shared(ticket: Ticket, value: Any) -> Ticket:
    """Write a value into an empty place of another process.

    Parameters
    ----------
    ticket : tuple
        Of a `Shared` without a value, of a process that is alive.
    value : object
        Can be pickled.

    Returns
    -------
    tuple
        The ticket with which either process loads the value.
    """
    with Path(ticket[0]).open("wb") as stream:
        return ticket[0], _write(stream, value)


def _write(stream: IO[bytes], value: Any) -> list[tuple[int, int]]:
    """Write a value and its arrays; return where each of them begins, and its size."""
    buffers: list[pickle.PickleBuffer] = []
    frame = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    places: list[tuple[int, int]] = []
    at = 0
    for part in (memoryview(frame), *(buffer.raw() for buffer in buffers)):
        places.append((at, part.nbytes))
        stream.write(part)
        padding = -part.nbytes % _STEP
        stream.write(bytes(padding))
        at += part.nbytes + padding
    stream.flush()
    return places


def load_shared(ticket: Ticket) -> Any:
    """Return a value that another process shares.

    Parameters
    ----------
    ticket : tuple
        Of a `Shared` of a process that is alive, and trusted.

    Returns
    -------
    object
        Its arrays are mapped; writing to them changes this process's copy only.
    """
    path, places = ticket
    with Path(path).open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    view = memoryview(mapped)
    frame, *arrays = (view[at : at + size] for at, size in places)
    return pickle.loads(frame, buffers=arrays)
