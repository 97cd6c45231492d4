"""Weights and saved states of any layout are read as their contiguous copies would be."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import make_classification

from rarebit import KernelSVC, OnlineSVC

X, y = make_classification(n_samples=300, n_features=8, weights=[0.8], random_state=0)


def strided(array: NDArray[Any]) -> NDArray[Any]:
    wide = np.full((len(array), 3), 7, dtype=array.dtype)
    wide[:, 1] = array
    return wide[:, 1]


@pytest.mark.parametrize("machine", [KernelSVC(gamma=0.1), OnlineSVC(gamma=0.1, random_state=0)])
def test_strided_weights(machine: Any) -> None:
    weights = np.random.default_rng(0).uniform(0.1, 3.0, 300)
    wanted = machine.fit(X, y, sample_weight=weights).decision_function(X)
    found = machine.fit(X, y, sample_weight=strided(weights)).decision_function(X)
    np.testing.assert_array_equal(found, wanted)


def test_strided_states() -> None:
    first = OnlineSVC(finish=False, random_state=0).partial_fit(X[:150], y[:150])
    one = pickle.loads(pickle.dumps(first))
    other = copy.deepcopy(one)
    state = other._states[0]
    for name, value in state.items():
        if isinstance(value, np.ndarray) and value.ndim == 1 and value.size:
            state[name] = strided(value)
    wanted = one.partial_fit(X[150:], y[150:]).decision_function(X)
    np.testing.assert_array_equal(other.partial_fit(X[150:], y[150:]).decision_function(X), wanted)
