"""Stores of labels: one protocol, one history of events per project, whatever keeps it."""

from rarebit._journal.file import LabelFile
from rarebit._journal.line import LabelError, LabelFileError, Line
from rarebit._journal.reading import BadLine
from rarebit._journal.recovery import (
    FileCheck,
    Recovery,
    check_label_file,
    recover_label_file,
)
from rarebit.projects.stores._answers import Answers, Rule
from rarebit.projects.stores._errors import OtherDataError, StoreConflictError, StoreError
from rarebit.projects.stores._event import CURRENT, Audit, Event
from rarebit.projects.stores._history import StoredHistory, begin_anew, move_aside, read_history
from rarebit.projects.stores._mirror import MirrorStore
from rarebit.projects.stores._open import address_name, default_address, is_address, open_store
from rarebit.projects.stores._protocol import Lease, Store, Wish

__all__ = [
    "CURRENT",
    "Answers",
    "Audit",
    "BadLine",
    "Event",
    "FileCheck",
    "LabelError",
    "LabelFile",
    "LabelFileError",
    "Lease",
    "Line",
    "MirrorStore",
    "OtherDataError",
    "Recovery",
    "Rule",
    "Store",
    "StoreConflictError",
    "StoreError",
    "StoredHistory",
    "Wish",
    "address_name",
    "begin_anew",
    "check_label_file",
    "default_address",
    "is_address",
    "move_aside",
    "open_store",
    "read_history",
    "recover_label_file",
]
