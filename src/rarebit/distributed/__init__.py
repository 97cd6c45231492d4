"""Pools on many machines, by Dask: partitions stay where they are, results are those of one.

- `open_cluster` starts worker processes of this computer, or connects to a scheduler.
- `predict_files` and `evaluate_files` run a model over folders of files.
- `fit_bags` fits the bags of a `BaggedSVC` on the workers.
- `PartitionedPool` encodes a pool file by file, and then fetches single rows, the rows with the
  highest scores, and uniform draws; `PoolExplorer` and `PoolLearner` ask for labels over it.
- `open_project` is a `rarebit.Project` over it: `Hunt` with both of them, harvest and audits.

Dask sends objects between its processes by pickle: use clusters that you trust only.
"""

from __future__ import annotations

from rarebit._extras import naming_extras as _naming_extras

with _naming_extras("Clusters need", "dask"):
    from ._bags import fit_bags
    from ._cluster import ClusterError, open_cluster
    from ._explorer import PoolExplorer
    from ._files import Partition, Partitions, list_files, number_rows
    from ._judging import Predicted, evaluate_files, predict_files
    from ._learner import PoolLearner
    from ._pool import PartitionedPool
    from ._project import open_pooled_table, open_project
    from ._table import PooledTable

__all__ = [
    "ClusterError",
    "Partition",
    "PartitionedPool",
    "Partitions",
    "PoolExplorer",
    "PoolLearner",
    "PooledTable",
    "Predicted",
    "evaluate_files",
    "fit_bags",
    "list_files",
    "number_rows",
    "open_cluster",
    "open_pooled_table",
    "open_project",
    "predict_files",
]
