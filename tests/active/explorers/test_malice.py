"""Alice and Malice, question by question, against the paper's listing in plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rarebit import Alice, Malice, discover
from rarebit.active import Explorer
from rarebit.datasets import make_malice_synthetic_1, make_malice_synthetic_2


class Listing:
    """The paper's algorithm with all distances in memory; classes have names, in their order."""

    def __init__(self, X: np.ndarray, priors: dict[Any, float], *, modified: bool) -> None:
        self.D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
        self.modified = modified
        self.classes = list(priors)
        n = len(X)
        self.r = {}
        self.n = {}
        for c in self.classes:
            K = min(max(2, round(n * priors[c])), n)
            radii = np.sort(self.D, axis=1)[:, K - 1]
            self.r[c] = radii[radii > 0].min() * (1 + 1e-10)
            self.n[c] = (self.r[c] >= self.D).sum(axis=1)
        self.r_majority = max(self.r.values())
        self.found: set[Any] = set()
        self.out = np.zeros(n, dtype=bool)
        self.t = 2

    def sought(self) -> Any:
        return next((c for c in self.classes if c not in self.found), None)

    def scores(self) -> np.ndarray:
        c = self.sought()
        near = self.t * self.r[c] * (1 + 1e-12) >= self.D
        lowest = np.where(near, self.n[c], 10**9).min(axis=1)
        return np.where(self.out, -1, self.n[c] - lowest)

    def tell(self, row: int, label: Any) -> None:
        c = self.sought()
        if self.modified:
            self.out[self.D[row] <= self.r.get(label, self.r_majority)] = True
        self.out[row] = True
        self.found.add(label)
        if label == c or c in self.found:
            self.t = 2
        elif not self.modified or label not in self.r:
            self.t += 1


@pytest.mark.parametrize("modified", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_every_question_is_the_one_of_the_listing(seed: int, modified: bool) -> None:
    X, y = make_malice_synthetic_2(seed, n_majority=500, n_rare=(40, 30, 12, 20))
    priors = {c: float(np.mean(y == c)) for c in (1, 2, 3, 4)}
    X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    explorer: Explorer = Malice(priors) if modified else Alice(priors)
    explorer.start(X)
    listing = Listing(X, priors, modified=modified)
    for _ in range(60):
        if explorer.done or listing.out.all():
            break
        row = int(explorer.ask()[0])
        # The largest score, and of equals the lowest row.
        assert row == listing.scores().argmax()
        explorer.tell(row, y[row])
        listing.tell(row, int(y[row]))
    assert explorer.done == (listing.sought() is None)


@pytest.mark.parametrize("order", [(1, 2, 3, 4), (4, 3, 2, 1), (3, 1, 4, 2)])
def test_classes_are_sought_in_the_order_given(order: tuple[int, ...]) -> None:
    X, _ = make_malice_synthetic_2(0, n_majority=500, n_rare=(40, 30, 12, 20))
    shares = {1: 0.066, 2: 0.05, 3: 0.02, 4: 0.033}
    named = Malice({c: shares[c] for c in order}).start(X)
    assert f"Seeking class {order[0]} of about" in str(named.status())
    unnamed = Malice([shares[c] for c in order]).start(X)
    assert f"of about {round(len(X) * shares[order[0]])} rows" in str(unnamed.status())
    assert named.ask().tolist() == unnamed.ask().tolist()


@pytest.mark.parametrize("kind", [Alice, Malice])
@pytest.mark.parametrize("seed", range(3))
def test_dense_and_sparse_pools_get_the_same_questions(kind: Any, seed: int) -> None:
    # On a grid many rows tie, and many are equal.
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(size=(400, 2)), rng.normal(2.0, 0.1, size=(12, 2))])
    X = np.round(np.clip((X + 4.0) / 8.0, 0.0, 1.0), 2)
    y = np.repeat([0, 1], [400, 12])
    shuffled = rng.permutation(len(X))
    X, y = X[shuffled], y[shuffled]
    asked = []
    for pool in (X, sp.csr_matrix(X)):
        explorer = kind({"never": 12 / 412}, scale=False).start(pool)
        rows = []
        for _ in range(80):
            row = int(explorer.ask()[0])
            rows.append(row)
            explorer.tell(row, "rare" if y[row] else "common")
        asked.append(rows)
    assert asked[0] == asked[1]
    assert len(set(asked[0])) == 80


def test_counts_of_the_paper() -> None:
    """Three labels on the first synthetic set, four on the second, in the median of 50 draws."""
    first, second = [], []
    for seed in range(50):
        X, y = make_malice_synthetic_1(seed)
        first.append(discover(X, lambda row: y[row], Malice({1: 10 / 1010})).curve[-1])  # noqa: B023
        X, y = make_malice_synthetic_2(seed)
        priors = {c: float(np.mean(y == c)) for c in (1, 2, 3, 4)}
        result = discover(X, lambda row: y[row], Malice(priors))  # noqa: B023
        second.append(result.curve[-1])
    assert np.median(first) <= 3
    assert np.median(second) <= 4


def test_names_are_not_needed() -> None:
    X, y = make_malice_synthetic_1(3)
    for priors in ([0.01], 0.05, np.array([0.01])):
        result = discover(X, lambda row: y[row], Malice(priors), max_labels=60)
        assert set(result.discovered) == {0, 1}, priors


def test_unnamed_priors_end_the_search() -> None:
    X, y = make_malice_synthetic_1(3)
    explorer = Malice([0.01])
    discover(X, lambda row: y[row], explorer)
    assert explorer.done
    assert "Every class that was sought is found" in str(explorer.status())


def test_one_bound_has_no_end_of_its_own() -> None:
    X, y = make_malice_synthetic_1(3)
    explorer = Malice(0.02)
    discover(X, lambda row: y[row], explorer, max_labels=60)
    assert not explorer.done


def test_scaling_is_the_default() -> None:
    X, _ = make_malice_synthetic_1(0)
    stretched = X * [1.0, 1000.0] + [0.0, 5.0]
    plain = Malice({1: 0.01}).start(X).ask().tolist()
    assert Malice({1: 0.01}).start(stretched).ask().tolist() == plain
    assert Malice({1: 0.01}, scale=False).start(stretched).ask().tolist() != plain


def test_status_names_the_class_and_its_size() -> None:
    X, _ = make_malice_synthetic_1(0)
    status = str(Malice({"fraud": 0.01}).start(X).status())
    assert "Seeking class 'fraud' of about 10 rows" in status
    assert "2 times that distance" in status


@pytest.mark.parametrize("bad", [0.0, 1.0, -0.1, float("nan"), True, "0.1"])
def test_priors_are_shares(bad: Any) -> None:
    for priors in ({"a": bad}, [bad]):
        with pytest.raises(ValueError, match=r"above 0 and below 1, got .*: divide"):
            Malice(priors).start([[0.0], [1.0]])


@pytest.mark.parametrize("bad", [None, "abc", object()])
def test_priors_of_no_known_form(bad: Any) -> None:
    with pytest.raises(TypeError, match="use Scout, which needs no priors"):
        Malice(bad).start([[0.0], [1.0]])


@pytest.mark.parametrize("bad", [{}, []])
def test_priors_of_nothing(bad: Any) -> None:
    with pytest.raises(ValueError, match="at least one rare class"):
        Malice(bad).start([[0.0], [1.0]])


def test_unknown_metric() -> None:
    with pytest.raises(ValueError, match="'euclidean', 'cosine', got 'manhattan'"):
        Malice(0.1, metric="manhattan").start([[0.0], [1.0]])
    with pytest.raises(TypeError, match="True or False"):
        Malice(0.1, scale="yes").start([[0.0], [1.0]])  # type: ignore[arg-type]
