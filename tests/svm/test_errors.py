"""Bad input: the message says what is wrong and what to do. Odd input that is fine: it works."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from rarebit import BaggedSVC, BorderSVC, KernelSVC, OnlineSVC
from rarebit.classifiers import BlendedClassifier

MACHINES = [KernelSVC, OnlineSVC]
X = np.random.default_rng(0).normal(size=(30, 3))
y = np.tile([0, 0, 1], 10)

pytestmark = pytest.mark.filterwarnings("error")


def expect(words: str, call: Any, *args: Any, **kwargs: Any) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the words are compared below
        call(*args, **kwargs)
    for word in words.split("|"):
        assert word.lower() in str(error.value).lower(), str(error.value)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("size", [2**63, 2**70, 1e308, 1e-9])
def test_any_size_of_the_cache(machine: Any, size: float) -> None:
    usual = machine(random_state=0) if machine is OnlineSVC else machine()
    other = machine(**usual.get_params() | {"cache_size": size})
    wanted = usual.fit(X, y).decision_function(X)
    np.testing.assert_array_equal(other.fit(X, y).decision_function(X), wanted)


# Rows


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
@pytest.mark.parametrize("sparse", [False, True])
def test_numbers_that_are_none(machine: Any, value: float, word: str, sparse: bool) -> None:
    bad = X.copy()
    bad[3, 1] = value
    given = sp.csr_matrix(bad) if sparse else bad
    expect(f"{word}|X", machine().fit, given, y)
    fitted = machine().fit(X, y)
    for method in (fitted.predict, fitted.decision_function, fitted.minority_score):
        expect(word, method, given)
    expect(word, OnlineSVC().partial_fit, given, y)


@pytest.mark.parametrize("machine", MACHINES)
def test_no_rows(machine: Any) -> None:
    expect("0 sample|minimum of 1", machine().fit, X[:0], y[:0])
    expect("0 sample|minimum of 1", machine().fit(X, y).predict, X[:0])
    expect("0 feature|minimum of 1", machine().fit, X[:, :0], y)


@pytest.mark.parametrize("machine", MACHINES)
def test_shapes(machine: Any) -> None:
    expect("1D array|reshape", machine().fit, X[0], y[:3])
    expect("inconsistent numbers of samples", machine().fit, X, y[:-1])
    fitted = machine().fit(X, y)
    expect("2 features|3 features", fitted.predict, X[:, :2])
    expect("4 features|3 features", fitted.decision_function, np.hstack([X, X[:, :1]]))
    online = OnlineSVC().partial_fit(X, y)
    expect("2 features|3 features", online.partial_fit, X[:, :2], y)


@pytest.mark.parametrize("machine", MACHINES)
def test_text_is_not_a_number(machine: Any) -> None:
    with pytest.raises(ValueError, match="could not convert string"):
        machine().fit([["a", "b"], ["c", "d"]], [0, 1])


@pytest.mark.parametrize("machine", MACHINES)
def test_precomputed(machine: Any) -> None:
    K = X @ X.T
    expect("square|(30, 29)|all pairs", machine("precomputed").fit, K[:, :29], y)
    with pytest.raises((TypeError, ValueError), match=r"(?i)sparse.*dense"):
        machine("precomputed").fit(sp.csr_matrix(K), y)
    fitted = machine("precomputed").fit(K, y)
    assert fitted.predict(K[:4]).shape == (4,)
    expect("29 features|30 features", fitted.predict, K[:4, :29])


# Labels


@pytest.mark.parametrize("machine", MACHINES)
def test_one_class(machine: Any) -> None:
    expect("two classes|one class|'a'|add rows", machine().fit, X, ["a"] * 30)


@pytest.mark.parametrize("machine", MACHINES)
def test_no_labels(machine: Any) -> None:
    expect("y is None|one class label per row", machine().fit, X, None)


@pytest.mark.parametrize("machine", MACHINES)
def test_labels_that_are_none(machine: Any) -> None:
    expect("unknown label type|continuous", machine().fit, X, X[:, 0])
    expect("NaN", machine().fit, X, np.where(y == 1, np.nan, 0.0))
    expect("y should be a 1d array", machine().fit, X, np.column_stack([y, 1 - y]))


# Weights


@pytest.mark.parametrize("machine", MACHINES)
def test_weights(machine: Any) -> None:
    def fit(weights: Any) -> None:
        machine().fit(X, y, sample_weight=weights)

    expect("negative|-1|use 0", fit, np.where(np.arange(30) == 4, -1.0, 1.0))
    expect("weight", fit, np.zeros(30))  # scikit-learn may be the first to object
    expect("two classes|one class|(0)|add rows", fit, np.where(y == 1, 0.0, 1.0))
    expect("NaN", fit, np.full(30, np.nan))
    expect("sample_weight|30", fit, np.ones(29))


@pytest.mark.parametrize("machine", MACHINES)
def test_weights_by_class(machine: Any) -> None:
    expect("negative|-1|class 1", machine(class_weight={0: 1.0, 1: -1.0}).fit, X, y)
    expect("class_weight|balanced|dict", machine(class_weight="equal").fit, X, y)
    for weight in (np.inf, np.nan, "heavy", None):
        expect("finite numbers|class 1", machine(class_weight={1: weight}).fit, X, y)


# Parameters


WRONG: list[tuple[str, Any]] = [
    ("kernel", "gauss"),
    ("kernel", None),
    ("C", 0.0),
    ("C", -1.0),
    ("C", "1"),
    ("C", np.nan),
    ("gamma", -0.1),
    ("gamma", "wide"),
    ("degree", -1),
    ("degree", 2.5),
    ("degree", 2**31),
    ("degree", 2**64),
    ("coef0", "0"),
    ("coef0", np.inf),
    ("class_weight", "equal"),
    ("tol", 0.0),
    ("tol", -1e-3),
    ("cache_size", 0),
    ("max_iter", -2),
    ("max_iter", 1.5),
    ("max_iter", 2**63),
    ("verbose", "yes"),
]
WRONG_ONLINE: list[tuple[str, Any]] = [
    ("n_epochs", 0),
    ("n_epochs", 1.5),
    ("finish", "no"),
    ("random_state", "seed"),
]


@pytest.mark.parametrize(
    ("machine", "name", "value"),
    [(m, *wrong) for m in MACHINES for wrong in WRONG] + [(OnlineSVC, *w) for w in WRONG_ONLINE],
)
def test_parameters(machine: Any, name: str, value: Any) -> None:
    model = machine(**{name: value})  # __init__ never judges
    expect(f"'{name}' parameter of {machine.__name__} must be|Got|instead", model.fit, X, y)
    if machine is OnlineSVC:
        expect(f"'{name}' parameter", model.partial_fit, X, y)


# Order of calls


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("method", ["predict", "decision_function", "minority_score"])
def test_before_fit(machine: Any, method: str) -> None:
    with pytest.raises(NotFittedError, match=r"not fitted yet.*fit"):
        getattr(machine(), method)(X)


@pytest.mark.parametrize("machine", MACHINES)
def test_weights_of_features_exist_for_the_linear_kernel_only(machine: Any) -> None:
    with pytest.raises(AttributeError, match=r"kernel='linear' only.*'rbf'"):
        _ = machine().fit(X, y).coef_
    with pytest.raises(NotFittedError):
        _ = machine("linear").coef_


def test_partial_fit() -> None:
    expect("one class|classes=", OnlineSVC().partial_fit, X[:4], np.zeros(4))
    expect("precomputed|fit", OnlineSVC("precomputed").partial_fit, X @ X.T, y)
    balanced = OnlineSVC(class_weight="balanced")
    expect("balanced|dict|compute_class_weight", balanced.partial_fit, X, y)
    online = OnlineSVC().partial_fit(X, y)
    expect("[7]|[0, 1]|fit again", online.partial_fit, X[:2], [0, 7])
    expect("classes", online.partial_fit, X, y, classes=[0, 1, 2])
    expect("[1]|[0, 2]", OnlineSVC().partial_fit, X, y, classes=[0, 2])
    expect("y is None", OnlineSVC().partial_fit, X, None)
    expect("negative", OnlineSVC().partial_fit, X, y, sample_weight=np.full(30, -1.0))


def test_a_refused_call_leaves_the_machine_as_it_was() -> None:
    online = OnlineSVC().partial_fit(X, y)
    before = online.decision_function(X)
    expect("[7]", online.partial_fit, X[:2], [0, 7])
    assert online.n_samples_seen_ == 30
    assert (online.decision_function(X) == before).all()
    assert online.partial_fit(X[:5], y[:5]).n_samples_seen_ == 35


# Odd input that is fine


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
def test_a_class_with_one_row(machine: Any, kernel: str) -> None:
    labels = np.zeros(30, dtype=int)
    labels[11] = 1
    model = machine(kernel).fit(X, labels)
    assert model.minority_class_ == 1
    assert np.isfinite(model.decision_function(X)).all()
    assert 11 in model.support_


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "sigmoid"])
def test_duplicate_rows(machine: Any, kernel: str) -> None:
    rows = np.repeat(X[:5], 6, axis=0)
    model = machine(kernel).fit(rows, y)  # equal rows of both classes among them
    assert np.isfinite(model.decision_function(rows)).all()
    assert np.isfinite(machine(kernel).fit(np.ones((30, 2)), y).decision_function(X[:, :2])).all()


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("gamma", ["scale", "auto", 0.0, 0.5])
def test_constant_features(machine: Any, gamma: Any) -> None:
    constant = np.column_stack([X, np.full(30, 5.0), np.zeros(30)])
    assert np.isfinite(machine(gamma=gamma).fit(constant, y).decision_function(constant)).all()
    alike = np.full((30, 2), 7.0)
    assert np.isfinite(machine(gamma=gamma).fit(alike, y).decision_function(alike)).all()


@pytest.mark.parametrize("machine", MACHINES)
def test_two_rows_one_feature(machine: Any) -> None:
    model = machine("linear", C=10.0).fit([[3.0], [1.0]], ["b", "a"])
    assert model.predict([[0.0], [5.0]]).tolist() == ["a", "b"]
    np.testing.assert_allclose(model.coef_, [[1.0]], rtol=1e-3)
    np.testing.assert_allclose(model.intercept_, [-2.0], rtol=1e-3)


@pytest.mark.parametrize("machine", MACHINES)
def test_lists_integers_and_columns_in_any_order(machine: Any) -> None:
    whole = np.round(X * 10).astype(int)
    expected = machine(gamma=0.01, **seeded(machine)).fit(whole.astype(float), y)
    for given in (whole.tolist(), whole, np.asfortranarray(whole.astype(float))):
        model = machine(gamma=0.01, **seeded(machine)).fit(given, y)
        assert (model.decision_function(given) == expected.decision_function(whole)).all()


def seeded(machine: Any) -> dict[str, int]:
    return {"random_state": 0} if machine is OnlineSVC else {}


@pytest.mark.parametrize("model", [KernelSVC(), OnlineSVC(), BaggedSVC(), BorderSVC(),
                                   BlendedClassifier()])  # fmt: skip
@pytest.mark.parametrize(
    "classes",
    [
        np.array(["a", "b", None, "a"], dtype=object),
        np.array([0.0, 1.0, np.nan, 1.0]),
        pd.Series([0, 1, None, 1], dtype="Int64"),
        pd.Series(["a", "b", None, "a"], dtype="string"),
        pd.Series(pd.Categorical(["a", "b", None, "a"])),
        pl.Series(["a", "b", None, "a"]),
        ["a", "b", None, "a"],
    ],
)
def test_rows_without_a_class_are_named(model: Any, classes: Any) -> None:
    with pytest.raises(ValueError, match=r"1 row of y has no class, the first is row 2.*: leave"):
        model.fit(np.eye(4), classes)
