"""Deprecated: label files and sessions over them; use `rarebit.Project` and its stores."""

import warnings

from rarebit._journal.file import LabelFile as LabelStore
from rarebit._journal.line import LabelError, LabelFileError
from rarebit._journal.line import Line as Event
from rarebit._journal.recovery import FileCheck, Recovery
from rarebit._journal.recovery import check_label_file as check_labels
from rarebit._journal.recovery import recover_label_file as recover_labels
from rarebit.labels._session import LabelSession

__all__ = [
    "Event",
    "FileCheck",
    "LabelError",
    "LabelFileError",
    "LabelSession",
    "LabelStore",
    "Recovery",
    "check_labels",
    "recover_labels",
]

warnings.warn(
    "rarebit.labels is deprecated and will be removed in 0.2: use rarebit.Project, and "
    "rarebit.projects.stores for label files.",
    DeprecationWarning,
    stacklevel=2,
)
