"""Which data a store belongs to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit._text import counted
from rarebit.projects.stores._errors import OtherDataError, StoreError
from rarebit.projects.stores._event import plain_id

_CHUNK = 65536


@dataclass(frozen=True)
class Header:
    """The data that labels belong to.

    Attributes
    ----------
    source : str
        Name of the data, for people.
    fingerprint : str
        Checksum of the data, such as the SHA-256 of the file; may be empty.
    n_rows : int
        Number of rows.
    digest : str
        SHA-256 of the ids of all rows, in their order.
    """

    source: str
    fingerprint: str
    n_rows: int
    digest: str

    @classmethod
    def of(cls, ids: Sequence[Any] | NDArray[Any], source: str, fingerprint: str) -> Header:
        """Return the header of data with these ids."""
        return cls(source, fingerprint, len(ids), digest_of(ids))

    def to_json(self) -> dict[str, Any]:
        """Return the header as a dict that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_text(cls, text: Any, place: str) -> Header:
        """Return the header that JSON describes.

        Parameters
        ----------
        text : str
            As a store holds it.
        place : str
            Address of the store, for the message.
        """
        try:
            header = cls(**json.loads(text))
            if type(header.n_rows) is not int or not isinstance(header.source, str):
                raise TypeError("another kind")
        except (TypeError, ValueError, RecursionError) as error:
            raise StoreError(
                f"{place} is damaged and was left as it is: what it says about its data cannot be "
                "read; restore the store from a copy."
            ) from error
        return header

    def check(self, given: Header, place: str) -> None:
        """Refuse data that differ from those of the store.

        Parameters
        ----------
        given : Header
            Header of the data at hand.
        place : str
            Address of the store, for the message.
        """
        same_rows = (self.n_rows, self.digest) == (given.n_rows, given.digest)
        if same_rows and self.fingerprint == given.fingerprint:
            return
        difference = (
            "other content" if same_rows else counted(given.n_rows, "row")
            if self.n_rows != given.n_rows else "other row ids"
        )  # fmt: skip
        raise OtherDataError(
            f"{place} holds labels of {self.source or 'other data'} "
            f"({counted(self.n_rows, 'row')}), but the data given, {given.source or 'unnamed'}, "
            f"have {difference}: give the data that the labels belong to, read with the same "
            "options, or another store (store='NAME.db' in Python, --labels NAME.db in commands)."
        )


def digest_of(ids: Sequence[Any] | NDArray[Any]) -> str:
    """Return the SHA-256 of ids in their order; those of rows elsewhere know what names them."""
    own = getattr(ids, "digest", None)
    if own is not None:
        return str(own)
    total = hashlib.sha256()
    for start in range(0, len(ids), _CHUNK):
        part = ids[start : start + _CHUNK]
        values = part.tolist() if isinstance(part, np.ndarray) else part
        total.update(json.dumps([plain_id(value) for value in values]).encode())
    return total.hexdigest()
