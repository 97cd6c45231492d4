"""The machines that are compared, all at one thread, one tolerance and one cache size."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from benchmarks.settings import CACHE_MB, TOLERANCE

KERNEL = "KernelSVC"
ONLINE = "OnlineSVC"
BORDER = "BorderSVC"
SVC = "SVC"
INTELEX = "intelex"


def intelex_is_here() -> bool:
    """Return whether scikit-learn-intelex, which exists for x86-64 only, is installed."""
    try:
        version("scikit-learn-intelex")
    except PackageNotFoundError:
        return False
    return True


def use_one_thread(contender: str) -> None:
    """Limit the thread pools of this process; call it after the imports."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
    if contender == INTELEX:
        import daal4py
        import sklearnex

        daal4py.daalinit(1)
        if daal4py.num_threads() != 1:
            raise RuntimeError(f"oneDAL has {daal4py.num_threads()} threads, 1 was asked for.")
        # A failure inside oneDAL must be seen; by default scikit-learn takes over in silence.
        sklearnex.set_config(allow_sklearn_after_onedal=False)


def make(contender: str, C: float, gamma: float, seed: int = 0) -> Any:
    """Return the machine, not fitted."""
    common: dict[str, Any] = {
        "kernel": "rbf",
        "C": C,
        "gamma": gamma,
        "tol": TOLERANCE,
        "cache_size": CACHE_MB,
    }
    if contender == KERNEL:
        from rarebit import KernelSVC

        return KernelSVC(**common)
    if contender == ONLINE:
        from rarebit import OnlineSVC

        return OnlineSVC(**common, random_state=seed)
    if contender == BORDER:
        from rarebit import BorderSVC

        return BorderSVC(**common, random_state=seed)
    if contender == SVC:
        from sklearn.svm import SVC as LibSVM

        return LibSVM(**common)
    if contender == INTELEX:
        from sklearnex.svm import SVC as OneDAL

        return OneDAL(**common, n_jobs=1)
    raise ValueError(f"There is no contender {contender!r}.")


def backend(contender: str, model: Any) -> str:
    """Name the code that fitted ``model``: intelex hands over what it does not support."""
    if contender in (KERNEL, ONLINE, BORDER):
        return "rarebit"
    if contender == INTELEX and hasattr(model, "_onedal_estimator"):
        return "oneDAL"
    return "libsvm"
