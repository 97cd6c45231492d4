"""Data of the papers: raw sets, binary tasks, pools for discovery, generators.

Files are read from the directory named by the environment variable ``RAREBIT_DATA`` and fetched
from OpenML when they are not there.
"""

from rarebit.datasets._digits import load_rare_digits
from rarebit.datasets._info import DataMismatchError, DataNotFoundError, SetInfo
from rarebit.datasets._pools import list_pools, load_pool
from rarebit.datasets._raw import RawSet, fetch, find_file, load_raw
from rarebit.datasets._registry import list_sets, set_info
from rarebit.datasets._sampling import set_imbalance, thin_class
from rarebit.datasets._synthetic import (
    make_gaussian_pair,
    make_malice_synthetic_1,
    make_malice_synthetic_2,
    make_waveform,
)
from rarebit.datasets._tasks import Task, list_tasks, load_task

__all__ = [
    "DataMismatchError",
    "DataNotFoundError",
    "RawSet",
    "SetInfo",
    "Task",
    "fetch",
    "find_file",
    "list_pools",
    "list_sets",
    "list_tasks",
    "load_pool",
    "load_rare_digits",
    "load_raw",
    "load_task",
    "make_gaussian_pair",
    "make_malice_synthetic_1",
    "make_malice_synthetic_2",
    "make_waveform",
    "set_imbalance",
    "set_info",
    "thin_class",
]
