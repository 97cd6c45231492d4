"""Bags on the workers of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from joblib import parallel_config
from sklearn.base import clone

if TYPE_CHECKING:
    from distributed import Client

Estimator = TypeVar("Estimator")


def fit_bags(client: Client, estimator: Estimator, X: Any, y: Any) -> Estimator:
    """Fit an ensemble whose parts are fitted on the workers; the rows are sent to each once.

    The result equals that of one computer to the bit: a kernel value depends on its two rows alone.

    Parameters
    ----------
    client : distributed.Client
        Client that `open_cluster` returned.
    estimator : BaggedSVC
        Not fitted, and not changed. Its ``n_jobs`` is taken as the number of workers.
    X : array-like or CSR matrix of shape (n_rows, n_features)
        Rows.
    y : array-like of shape (n_rows,)
        Classes.

    Returns
    -------
    BaggedSVC
        A fitted copy.

    Examples
    --------
    >>> from rarebit import BaggedSVC
    >>> from rarebit.distributed import fit_bags, open_cluster
    >>> with open_cluster("local", n_workers=2) as client:  # doctest: +SKIP
    ...     bags = fit_bags(client, BaggedSVC(random_state=0), X, y)
    """
    fitted: Any = clone(estimator)
    own = fitted.n_jobs
    n_workers = len(client.scheduler_info(n_workers=-1)["workers"])
    fitted.set_params(n_jobs=max(n_workers, 2))
    with parallel_config("dask", client=client):
        fitted.fit(X, y)
    fitted.set_params(n_jobs=own)
    result: Estimator = fitted
    return result
