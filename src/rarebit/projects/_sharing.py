"""Large values for another process: written once to a file, mapped there instead of copied."""

from __future__ import annotations

import mmap
import pickle
from pathlib import Path
from typing import Any

from rarebit._scratch import NamedScratch

_STEP = 64  # bytes at whose multiples arrays begin, as vector instructions want


class Shared:
    """A value that other processes can load as long as this object lives.

    The arrays in it are mapped, so that processes share their memory until one writes to them.
    The file vanishes with this process, however it ends.

    Parameters
    ----------
    value : object
        Can be pickled.

    Attributes
    ----------
    ticket : tuple
        What `load_shared` needs; can be sent to a child process.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.projects._sharing import Shared, load_shared
    >>> shared = Shared({"x": np.arange(3.0)})
    >>> load_shared(shared.ticket)["x"]
    array([0., 1., 2.])
    """

    def __init__(self, value: Any) -> None:
        buffers: list[pickle.PickleBuffer] = []
        frame = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        self._scratch = NamedScratch("pool")
        stream = self._scratch.stream
        places: list[tuple[int, int]] = []
        at = 0
        for part in (memoryview(frame), *(buffer.raw() for buffer in buffers)):
            places.append((at, part.nbytes))
            stream.write(part)
            padding = -part.nbytes % _STEP
            stream.write(bytes(padding))
            at += part.nbytes + padding
        stream.flush()
        self.ticket: tuple[str, list[tuple[int, int]]] = (str(self._scratch.path), places)


def load_shared(ticket: tuple[str, list[tuple[int, int]]]) -> Any:
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
