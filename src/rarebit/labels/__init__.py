"""Labels that are never lost: a file that is safe after every answer, and sessions over it."""

from rarebit.labels._session import LabelSession
from rarebit.labels._store import Event, LabelFileError, LabelStore

__all__ = ["Event", "LabelFileError", "LabelSession", "LabelStore"]
