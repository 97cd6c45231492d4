"""Fitted fields and saved states that do not belong together are refused: they may come from a
file of a stranger, and the engine must not follow their numbers."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification

from rarebit import BaggedSVC, KernelSVC, OnlineSVC

X, y = make_classification(n_samples=160, n_features=8, weights=[0.8], random_state=1)


def fitted(machine: type, kernel: str = "rbf", sparse: bool = False) -> tuple[Any, Any]:
    rows = sp.csr_matrix(X) if sparse else X
    rows = X @ X.T if kernel == "precomputed" else rows
    return machine(kernel=kernel).fit(rows, y), rows


def wider_vectors(m: Any) -> None:
    m.support_vectors_ = np.hstack([m.support_vectors_, m.support_vectors_])


def fewer_vectors(m: Any) -> None:
    m.support_vectors_ = np.ascontiguousarray(m.support_vectors_[:-3])


def longer_centre(m: Any) -> None:
    m._centre = np.zeros(10_000)


def shorter_centre(m: Any) -> None:
    m._centre = np.zeros(1)


def centre_of_nan(m: Any) -> None:
    m._centre = np.full(8, np.nan)


def other_layout(m: Any) -> None:
    m._sparse = True


def nan_coefficient(m: Any) -> None:
    m.dual_coef_ = np.full_like(m.dual_coef_, np.nan)


def more_coefficients(m: Any) -> None:
    m.dual_coef_ = np.hstack([m.dual_coef_, m.dual_coef_])


def more_machines(m: Any) -> None:
    m.dual_coef_ = np.vstack([m.dual_coef_, m.dual_coef_])


def no_intercept(m: Any) -> None:
    m.intercept_ = np.empty(0)


@pytest.mark.parametrize("machine", [KernelSVC, OnlineSVC])
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
@pytest.mark.parametrize(
    "damage",
    [
        wider_vectors,
        fewer_vectors,
        longer_centre,
        shorter_centre,
        centre_of_nan,
        other_layout,
        nan_coefficient,
        more_coefficients,
        more_machines,
        no_intercept,
    ],
    ids=lambda damage: damage.__name__,
)
def test_dense_fields_that_do_not_fit_are_refused(machine: type, kernel: str, damage: Any) -> None:
    made, rows = fitted(machine, kernel)
    damage(made)
    with pytest.raises(ValueError, match=r"columns|finite|shape"):
        made.decision_function(rows)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("number", [-1, 8, 2**30])
def test_sparse_support_vectors_with_columns_out_of_range_are_refused(
    kernel: str, number: int
) -> None:
    made, rows = fitted(KernelSVC, kernel, sparse=True)
    made.support_vectors_.indices[4] = number
    with pytest.raises(ValueError, match="CSR matrix"):
        made.decision_function(rows)


@pytest.mark.parametrize("machine", [KernelSVC, OnlineSVC])
@pytest.mark.parametrize("number", [-1, 160, 2**31 - 1])
def test_support_numbers_out_of_range_are_refused(machine: type, number: int) -> None:
    made, rows = fitted(machine, "precomputed")
    made.support_ = made.support_.copy()
    made.support_[0] = number
    with pytest.raises(ValueError, match="numbered from 0 to 159"):
        made.decision_function(rows)


FIELDS = (
    "classes_", "n_features_in_", "intercept_", "dual_coef_", "support_", "support_vectors_",
    "_centre", "_wide", "_sparse", "_gamma",
)  # fmt: skip
PARAMETERS = ("kernel", "degree", "coef0")
STRANGE: tuple[Any, ...] = (
    None, -1, 2**64, 1.5, float("nan"), float("inf"), "x", [], {}, [1.0],
)  # fmt: skip
ARRAYS: tuple[Any, ...] = (
    np.array("x"), np.array(["one"]), np.array(["a", "b"]), np.array([None, 1]),
    np.zeros((2, 2, 2)), sp.csr_matrix((3, 3)),
)  # fmt: skip


@pytest.mark.parametrize("machine", [KernelSVC, OnlineSVC, BaggedSVC])
@pytest.mark.parametrize("name", [*FIELDS, *PARAMETERS])
def test_fields_of_another_kind_or_missing_are_refused_in_one_sentence(
    machine: type, name: str
) -> None:
    made, rows = fitted(machine)
    missing = object()
    for value in (*STRANGE, *(() if name in PARAMETERS else (*ARRAYS, missing))):
        if name == "n_features_in_" and sp.issparse(value):
            continue  # scikit-learn compares it before we do
        other = copy.copy(made)
        setattr(other, name, value)
        if value is missing:
            delattr(other, name)
        try:
            values = other.decision_function(rows)
        except ValueError as error:
            sentence = str(error)
            assert len(sentence) > 25, sentence
            assert "\n" not in sentence, sentence
        else:
            # Such as a gamma of -1: another machine, not a damaged one.
            assert np.isfinite(values).all(), value


# --- states of online machines ------------------------------------------------------------


def saved(sparse: bool) -> OnlineSVC:
    rows = sp.csr_matrix(X[:100]) if sparse else X[:100]
    return pickle.loads(pickle.dumps(OnlineSVC(finish=False).partial_fit(rows, y[:100])))


def mutate(state: dict[str, Any], random: np.random.Generator) -> str:
    """Change one field of a state and return what was done."""
    name = str(random.choice(sorted(state)))
    how = str(random.choice(["drop", "cut", "longer", "huge", "negative", "nan", "kind", "twice"]))
    value = state[name]
    if how == "drop":
        del state[name]
    elif how == "kind" or not isinstance(value, np.ndarray) or not value.size:
        state[name] = [None, "x", 1.5, np.ones((2, 2)), {}][int(random.integers(5))]
    else:
        value = value.copy()
        at = int(random.integers(len(value)))
        if how == "cut":
            value = value[:-1]
        elif how == "longer":
            value = np.concatenate([value, value[:1]])
        elif how == "huge":
            value[at] = np.iinfo(np.int32).max if value.dtype.kind == "i" else 1e300
        elif how == "negative":
            value[at] = -5
        elif how == "nan" and value.dtype.kind == "f":
            value[at] = np.nan
        else:
            value[at] = value[at - 1]
        state[name] = value
    return f"{how} {name}"


@pytest.mark.parametrize("sparse", [False, True])
def test_damaged_states_of_online_machines_never_crash(sparse: bool) -> None:
    whole = saved(sparse)
    random = np.random.default_rng(0)
    refused: list[str] = []
    for _ in range(300):
        machine = copy.deepcopy(whole)
        what = mutate(machine._states[0], random)
        rows = sp.csr_matrix(X[100:]) if sparse else X[100:]
        try:
            machine.partial_fit(rows, y[100:])
        except ValueError as error:
            refused.append(str(error))
            continue
        # What is accepted is a machine: its values are numbers.
        assert np.isfinite(machine.decision_function(rows)).all(), what
    assert len(refused) > 150
    assert not any("\n" in sentence for sentence in refused)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("_kept_tags", np.arange(3)),
        ("_kept_classes", np.full(500, 9)),
        ("_class_counts", np.zeros(9)),
        ("_class_counts", np.array(["a", "b"])),
        ("_states", []),
        ("_states", [{}]),
        ("_states", [{}, {}]),
        ("_states", [None]),
        ("_dtype", "O"),
        ("n_samples_seen_", 3),
        ("n_samples_seen_", "x"),
        ("n_samples_seen_", None),
    ],
)
def test_damaged_fields_of_online_machines_are_refused(name: str, value: Any) -> None:
    machine = saved(False)
    setattr(machine, name, value)
    if isinstance(value, list) and not value:
        machine.partial_fit(X[100:], y[100:])  # a machine that kept nothing starts anew
        return
    with pytest.raises(ValueError, match="saved state of this OnlineSVC is damaged"):
        machine.partial_fit(X[100:], y[100:])


@pytest.mark.parametrize("states", [[], None])
@pytest.mark.parametrize("missing", ["_class_counts", "_kept_tags", "_kept_classes"])
def test_machines_that_kept_nothing_need_their_other_fields(missing: str, states: Any) -> None:
    machine = saved(False)
    machine._states = states
    delattr(machine, missing)
    with pytest.raises(ValueError, match="saved state of this OnlineSVC is damaged"):
        machine.partial_fit(X[100:], y[100:])


@pytest.mark.parametrize("machine", [KernelSVC, OnlineSVC, BaggedSVC])
@pytest.mark.parametrize("state", [[[[], []]], [["C", 1.0]], None, 3, {("C",): 1.0}, {1: 2}])
def test_states_that_are_no_attributes_by_name_are_refused(machine: type, state: Any) -> None:
    with pytest.raises(TypeError, match="must be a dict of attributes by name"):
        machine().__setstate__(state)
