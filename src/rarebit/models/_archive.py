"""Zip archives and arrays from strangers: nothing is unpacked before its size is known.

A deflated member can be a thousand times its size, and archives lie in archives here: the model
file holds a skops file, which holds ``.npy`` and ``.npz`` files. Each of these archives may unpack
to `unpacked_limit` bytes, and the header of an array must agree with the bytes that are there.
"""

from __future__ import annotations

import io
import math
import os
import zipfile

import numpy as np

from rarebit.exceptions import MissingFileError, RarebitError
from rarebit.models._nodes import ArrayHeader, SparseHeader
from rarebit.tables import free_memory

# A model unpacks to at most this many times the size of its file ...
RATIO = 200
# ... but a small file always to as much as this.
FLOOR = 64 << 20
# Share of the free memory: there are copies of the arrays while they are read.
_SHARE = 0.25
VARIABLE = "RAREBIT_MAX_MODEL_BYTES"
_LAST_LETTER = 0x10FFFF
_SURROGATES = 0xD800 >> 11  # up to 0xDFFF
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_CSR = {"indices.npy", "indptr.npy", "format.npy", "shape.npy", "data.npy", "_is_array.npy"}


class ModelError(RarebitError, ValueError):
    """A file is not a model, or not one that can be loaded here; the message says why."""


class MissingModelError(MissingFileError, ModelError):
    """The model file that was named is not there: a `FileNotFoundError` and a `ModelError`."""


class Damaged(Exception):
    """Something in a file contradicts itself; the reader of the file puts its name to it."""


def unpacked_limit(file_size: int, max_bytes: int | None = None) -> int:
    """Return the bytes that an archive within a model may unpack to.

    Parameters
    ----------
    file_size : int
        Bytes of the model file.
    max_bytes : int or None, default=None
        The limit; None takes the environment variable ``RAREBIT_MAX_MODEL_BYTES``, and where it is
        not set 200 times the size of the file, but at least 64 MiB and at most a quarter of the
        free memory.

    Examples
    --------
    >>> unpacked_limit(3_000, max_bytes=10**9)
    1000000000
    """
    if max_bytes is None and os.environ.get(VARIABLE):
        try:
            max_bytes = int(os.environ[VARIABLE])
        except ValueError:
            max_bytes = 0
        if max_bytes < 1:
            raise ModelError(
                f"{VARIABLE} must be a number of bytes above 0, got {os.environ[VARIABLE]!r}."
            )
    if max_bytes is not None:
        if max_bytes < 1:
            raise ModelError(f"max_bytes must be above 0, got {max_bytes}.")
        return max_bytes
    return int(min(max(RATIO * file_size, FLOOR), max(_SHARE * free_memory(), FLOOR)))


def read_archive(data: bytes, limit: int, name: str) -> dict[str, bytes]:
    """Return all members of a zip archive.

    Parameters
    ----------
    data : bytes
        The archive.
    limit : int
        Bytes that all members together may have.
    name : str
        What the archive is, for the error.

    Returns
    -------
    dict of str to bytes
        Content by name.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        size = sum(member.file_size for member in members)
        if size > limit:
            raise ModelError(
                f"{name} unpacks to {size:,} bytes, and {limit:,} are allowed for a file of its "
                f"size and the free memory: if you know who made it, raise the limit with "
                f"max_bytes or the environment variable {VARIABLE}."
            )
        if len({member.filename for member in members}) != len(members):
            raise Damaged("two members have one name")
        if any(member.compress_type not in _METHODS for member in members):
            raise Damaged("a member is neither stored nor deflated")
        # `read` gives no more than the size that was announced, and compares the checksum.
        return {member.filename: archive.read(member) for member in members}


def read_header(data: bytes) -> ArrayHeader:
    """Return what a ``.npy`` file says that it holds, if it holds just that.

    Examples
    --------
    >>> file = io.BytesIO()
    >>> np.save(file, np.zeros((2, 3)))
    >>> read_header(file.getvalue())
    ArrayHeader(kind='f', shape=(2, 3))
    """
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    elif version == (2, 0):
        shape, _, dtype = np.lib.format.read_array_header_2_0(file)
    else:
        raise Damaged(f"an array of format {version}")
    if dtype.kind not in "biufUS" or dtype.itemsize == 0 or any(n < 0 for n in shape):
        raise Damaged(f"an array of {dtype} with the shape {shape}")
    if math.prod(shape) * dtype.itemsize != len(data) - file.tell():
        raise Damaged(f"an array of {dtype} with the shape {shape} in {len(data):,} bytes")
    if not math.prod(shape) and max(shape) > np.iinfo(np.int32).max:
        raise Damaged(f"an empty array with the shape {shape}")
    if dtype.kind == "U":
        # NumPy takes any number for a letter; native code behind it may end the process.
        letters = np.frombuffer(data, np.dtype("u4").newbyteorder(dtype.byteorder), -1, file.tell())
        if ((letters > _LAST_LETTER) | ((letters >> 11) == _SURROGATES)).any():
            raise Damaged("strings that are not Unicode")
    return ArrayHeader(dtype.kind, tuple(int(n) for n in shape))


def read_sparse_header(data: bytes, limit: int) -> SparseHeader:
    """Return the shape of a CSR array in a ``.npz`` file, with all its indices checked."""
    from scipy import sparse

    members = read_archive(data, limit, "A sparse array in the model")
    if not set(members) <= _CSR:
        raise Damaged(f"a sparse array with {', '.join(sorted(set(members) - _CSR))}")
    for content in members.values():
        read_header(content)
    rows = sparse.load_npz(io.BytesIO(data))
    if rows.format != "csr" or rows.ndim != 2:
        raise Damaged(f"a sparse array in the format {rows.format}")
    if rows.data.dtype.kind not in "biuf":
        raise Damaged(f"a sparse array of {rows.data.dtype}")
    rows.check_format(full_check=True)
    return SparseHeader((int(rows.shape[0]), int(rows.shape[1])))
