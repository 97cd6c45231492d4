"""Fitted fields of SVMs, checked before anything counts with them: files may hold others."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp

KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed")
_REMEDY = "fit it again, or load it again."


def _numbers(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiu"


def _matrix(value: Any) -> bool:
    return (_numbers(value) or sp.issparse(value)) and value.ndim == 2


def _truth(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))


# What deciding reads, what it must be, and a test of it.
_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "classes_": (
        "an array of two labels or more",
        lambda v: isinstance(v, np.ndarray) and v.ndim == 1 and len(v) > 1,
    ),
    "n_features_in_": ("an integer", lambda v: isinstance(v, Integral)),
    "intercept_": ("an array of numbers", _numbers),
    "dual_coef_": ("an array of numbers", _numbers),
    "support_": ("an array of numbers", lambda v: _numbers(v) and v.ndim == 1),
    "support_vectors_": ("a matrix of numbers", _matrix),
    "_centre": ("an array of numbers", lambda v: _numbers(v) and v.ndim == 1),
    "_wide": ("true or false", _truth),
    "_sparse": ("true or false", _truth),
    "_gamma": ("a number", lambda v: isinstance(v, Real) and np.isfinite(float(v))),
}


def check_fitted_fields(machine: Any) -> None:
    """Refuse fitted fields that are missing, of another kind, or do not belong together.

    Parameters
    ----------
    machine : KernelMachine
        A fitted SVM, or one with fields of somebody else's making.

    Examples
    --------
    >>> from rarebit import KernelSVC
    >>> machine = KernelSVC().fit([[0.0], [1.0]], [0, 1])
    >>> machine.intercept_ = None
    >>> machine.predict([[0.5]])
    Traceback (most recent call last):
    ...
    ValueError: The field intercept_ of this SVM must be an array of numbers, got None: ...
    """
    for name, (kind, holds) in _KINDS.items():
        value = getattr(machine, name, None)
        if not holds(value):
            shown = repr(value) if value is None else f"one of type {type(value).__name__}"
            raise ValueError(f"The field {name} of this SVM must be {kind}, got {shown}: {_REMEDY}")
    if not (
        machine.kernel in KERNELS
        and isinstance(machine.degree, Integral)
        and 0 <= int(machine.degree) < 2**31
        and isinstance(machine.coef0, Real)
    ):
        machine._validate_params()  # says what is wrong; too slow for every call
    _check_shapes(machine)


def _check_shapes(machine: Any) -> None:
    precomputed = machine.kernel == "precomputed"
    vectors = machine.support_vectors_
    support = len(machine.support_) if precomputed else vectors.shape[0]
    machines = machine.intercept_.size  # ensembles and paths have several for a class
    for name, wanted in (("intercept_", (machines,)), ("dual_coef_", (machines, support))):
        array = getattr(machine, name)
        if array.shape != wanted or not np.isfinite(array).all():
            raise ValueError(
                f"The {name} of this SVM must be finite numbers of shape {wanted}, got an "
                f"array of shape {array.shape}: {_REMEDY}"
            )
    if precomputed:
        return
    if vectors.shape[1] != machine.n_features_in_:
        raise ValueError(
            f"The support vectors of this SVM must have {machine.n_features_in_} columns, got "
            f"{vectors.shape[1]}: {_REMEDY}"
        )
    if sp.issparse(vectors) != machine._sparse:
        raise ValueError(
            "The support vectors of this SVM must have the layout (dense or CSR) of the rows "
            f"that it was fitted on, got another shape: {_REMEDY}"
        )
