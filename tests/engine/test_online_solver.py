"""The online machine against its NumPy twin: rows kept, objective, gap, saved state, epochs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from rarebit import _core
from rarebit._engine.reference import (
    OnlineTwin,
    dual_objective,
    kernel_matrix,
    kkt_gap,
    solve_batch,
)

from .problems import overlapping_classes

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]

KERNELS: dict[str, dict[str, float]] = {
    "linear": {},
    "rbf": {"gamma": 0.4},
    "poly": {"gamma": 0.5, "degree": 2, "coef0": 1.0},
}
TOL = 1e-3
CACHE = 1 << 22


def kernel_of(rows: _core.Rows, name: str = "rbf") -> _core.Kernel:
    settings = KERNELS.get(name, {})
    return _core.Kernel(
        name,
        float(settings.get("gamma", 1.0)),
        float(settings.get("coef0", 0.0)),
        int(settings.get("degree", 3)),
        rows,
    )


def new_machine(
    X: Any, name: str = "rbf", tol: float = TOL, cache: int = CACHE
) -> tuple[_core.OnlineMachine, _core.Rows]:
    rows = rows_of(X)
    return _core.OnlineMachine(kernel_of(rows, name), rows, tol, cache), rows


def rows_of(X: Any) -> _core.Rows:
    if sp.issparse(X):
        return _core.Rows.csr(X.data, X.indices, X.indptr, X.shape[1])
    return _core.Rows.dense(np.ascontiguousarray(X))


def process(
    machine: _core.OnlineMachine,
    rows: _core.Rows,
    order: NDArray[Any],
    y: Floats,
    cost: float | Floats,
    tags: Ids | None = None,
) -> None:
    order = np.asarray(order, dtype=np.int32)
    costs = np.broadcast_to(np.asarray(cost, dtype=np.float64), y.shape)
    machine.process(rows, order, order if tags is None else tags, y[order], costs[order], None)


def seeds_first(y: Floats, n_seed: int = 5) -> Ids:
    """The order in which `OnlineTwin.run_pass` meets rows 0, 1, 2, ..."""
    positive, negative = (np.flatnonzero(y == c)[:n_seed].tolist() for c in (1.0, -1.0))
    seeds = [k for turn in range(n_seed) for rows in (positive, negative) for k in rows[turn:][:1]]
    rest = np.setdiff1d(np.arange(y.size), seeds)
    return np.concatenate([seeds, rest]).astype(np.int32)


def alpha_of(machine: _core.OnlineMachine, n: int) -> Floats:
    state = machine.state()
    alpha = np.zeros(n)
    alpha[state["tags"]] = state["alpha"]
    return alpha


def assert_invariants(machine: _core.OnlineMachine) -> None:
    state = machine.state()
    alpha, y, cost = state["alpha"], state["y"], state["cost"]
    assert machine.size == len(alpha) == len(np.unique(state["tags"]))
    assert (alpha * y >= 0.0).all()
    assert (alpha * y <= cost).all()
    assert abs(alpha.sum()) <= 1e-11 * max(1.0, float(np.abs(alpha).sum()))


def has_tie(twin: OnlineTwin) -> bool:
    """Whether rounding chooses an extreme: a free step leaves two rows with equal gradients."""
    S = twin.S
    up = np.sort(-twin.g[S][twin.alpha[S] < twin.B[S]])
    low = np.sort(twin.g[S][twin.alpha[S] > twin.A[S]])
    ties = (side.size > 1 and side[1] - side[0] < 1e-5 for side in (up, low))
    return any(ties) or beside_a_limit(twin)


def beside_a_limit(twin: OnlineTwin) -> bool:
    """Whether rounding left a row a hair off its limit; the engine puts such a row on it."""
    room = np.minimum(twin.alpha - twin.A, twin.B - twin.alpha)[twin.S]
    return bool(((room > 0.0) & (room < 1e-12 * twin.B.max())).any())


# Against the twin


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("C", [0.2, 1.0, 10.0])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_one_pass_equals_the_twin(name: str, C: float, seed: int) -> None:
    X, y = overlapping_classes(seed, n=120)
    K = kernel_matrix(X, X, name, **KERNELS[name])
    twin = OnlineTwin(K, y, C, tol=TOL)
    machine, rows = new_machine(X, name)
    twin.run_pass(range(y.size))
    process(machine, rows, seeds_first(y), y, C)
    assert_invariants(machine)
    assert machine.rows_seen == y.size
    # A free step leaves two equal gradients, so rounding chooses the next row: paths part at once
    # and stay near each other.
    assert machine.objective == pytest.approx(dual_objective(K, y, twin.alpha), rel=0.4)
    kept = set(machine.state()["tags"].tolist())
    assert len(kept ^ set(twin.S.tolist())) <= len(kept) // 2

    twin.finish()
    assert machine.finish(-1, None)
    assert machine.gap <= TOL
    assert twin.gap <= TOL
    assert_invariants(machine)
    assert machine.objective == pytest.approx(dual_objective(K, y, twin.alpha), rel=0.1)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", [0, 1])
def test_epochs_end_where_the_twin_does(name: str, seed: int) -> None:
    X, y = overlapping_classes(seed, n=80)
    K = kernel_matrix(X, X, name, **KERNELS[name])
    twin = OnlineTwin(K, y, 1.0, tol=1e-4)
    machine, rows = new_machine(X, name, tol=1e-4)
    for _ in range(8):
        twin.run_pass(range(y.size))
        twin.finish()
        process(machine, rows, seeds_first(y), y, 1.0)
        assert machine.finish(-1, None)
    assert machine.objective == pytest.approx(dual_objective(K, y, twin.alpha), rel=1e-4)
    bias = machine.bias
    if name == "linear":  # the engine's bias is for rows less the centre
        bias -= alpha_of(machine, 80) @ X @ kernel_of(rows, name).centre
    assert bias == pytest.approx(twin.bias, abs=2e-3 * max(1.0, abs(twin.bias)))


def state_of(
    tags: NDArray[np.int32],
    y: NDArray[np.float64],
    cost: NDArray[np.float64],
    alpha: NDArray[np.float64],
    gradient: NDArray[np.float64],
) -> dict[str, Any]:
    """A machine's state with its rows in the first slots."""
    slots = np.arange(tags.size, dtype=np.int32)
    return {
        "tags": tags,
        "y": y,
        "cost": cost,
        "alpha": alpha,
        "gradient": gradient,
        "slots": slots,
        "closed": np.empty(0, dtype=np.int32),
        "idle": slots[alpha == 0.0],
        "seen": 0,
    }


@pytest.mark.parametrize("C", [0.05, 1.0, 10.0])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_from_the_same_state_a_row_is_met_alike(C: float, seed: int) -> None:
    """The engine is set to the twin's state before each row, so that differences do not add up."""
    X, y = overlapping_classes(seed, n=100, d=2)
    K = kernel_matrix(X, X, "rbf", gamma=0.4)
    twin = OnlineTwin(K, y, C, tol=TOL)
    clear = 0
    for k in seeds_first(y).tolist():
        machine, rows = new_machine(X)
        S = twin.S.astype(np.int32)
        costs = np.full(S.size, C)
        if S.size:
            machine.restore(rows_of(X[S]), state_of(S, y[S], costs, twin.alpha[S], twin.g[S]))
        tied = has_tie(twin)
        twin.process(k)
        tied |= has_tie(twin)
        twin.reprocess()
        tied |= beside_a_limit(twin)
        process(machine, rows, np.array([k]), y, C)
        if tied:
            continue
        clear += 1
        assert sorted(machine.state()["tags"].tolist()) == twin.S.tolist()
        assert_allclose(alpha_of(machine, 100), twin.alpha, atol=1e-5 * C)
        assert machine.objective == pytest.approx(dual_objective(K, y, twin.alpha), rel=1e-4)
        assert machine.bias == pytest.approx(twin.bias, abs=1e-5 * max(1.0, C))
    assert clear >= 25


def test_finished_gap_is_the_gap_over_the_rows_kept() -> None:
    X, y = overlapping_classes(5, n=600)
    machine, rows = new_machine(X, tol=1e-5)
    process(machine, rows, seeds_first(y), y, 2.0)
    machine.finish(-1, None)
    state = machine.state()
    kept = state["tags"]
    K = kernel_matrix(X[kept], X[kept], "rbf", gamma=0.4)
    gap = kkt_gap(K, y[kept], 2.0, state["alpha"])
    assert gap <= 1e-5 + 1e-5
    assert gap == pytest.approx(machine.gap, abs=1e-5)
    assert machine.objective == pytest.approx(dual_objective(K, y[kept], state["alpha"]), rel=1e-5)
    assert_allclose(state["gradient"], y[kept] - K @ state["alpha"], atol=1e-5)


def test_several_epochs_come_near_the_optimum() -> None:
    X, y = overlapping_classes(6, n=300)
    K = kernel_matrix(X, X, "rbf", gamma=0.4)
    best = solve_batch(K, y, 1.0, tol=1e-5).dual_objective
    machine, rows = new_machine(X)
    objectives = []
    for _ in range(4):
        process(machine, rows, seeds_first(y), y, 1.0)
        machine.finish(-1, None)
        objectives.append(machine.objective)
    assert objectives[0] >= 0.97 * best
    assert objectives[-1] == pytest.approx(best, rel=1e-3)
    assert kkt_gap(K, y, 1.0, alpha_of(machine, 300)) <= 5e-3


def test_costs_by_row_and_rows_of_cost_zero() -> None:
    X, y = overlapping_classes(7, n=120)
    costs = np.random.default_rng(0).uniform(0.2, 3.0, size=y.size)
    costs[::4] = 0.0
    twin = OnlineTwin(kernel_matrix(X, X, "rbf", gamma=0.4), y, costs, tol=TOL)
    machine, rows = new_machine(X)
    twin.run_pass(range(y.size))
    process(machine, rows, seeds_first(y), y, costs)
    assert_invariants(machine)
    assert not set(machine.state()["tags"].tolist()) & set(range(0, y.size, 4))
    assert machine.objective == pytest.approx(dual_objective(twin.K, y, twin.alpha), rel=0.15)


# Other inputs


def test_precomputed_kernel() -> None:
    X, y = overlapping_classes(8, n=120)
    K = kernel_matrix(X, X, "rbf", gamma=0.4)
    from_rows, rows = new_machine(X)
    looked_up, values = new_machine(K, "precomputed")
    for machine, given in ((from_rows, rows), (looked_up, values)):
        process(machine, given, seeds_first(y), y, 1.0)
        machine.finish(-1, None)
    assert looked_up.objective == pytest.approx(from_rows.objective, rel=1e-3)
    assert looked_up.gap <= TOL
    assert "rows" not in looked_up.state()


@pytest.mark.parametrize("number", [np.float32, np.float64])
def test_sparse_rows(number: Any) -> None:
    X, y = overlapping_classes(9, n=120, d=8)
    X[np.abs(X) < 0.7] = 0.0
    X = X.astype(number)
    dense, rows = new_machine(X)
    sparse, sparse_rows = new_machine(sp.csr_matrix(X))
    process(dense, rows, seeds_first(y), y, 1.0)
    process(sparse, sparse_rows, seeds_first(y), y, 1.0)
    for machine in (dense, sparse):
        machine.finish(-1, None)
        assert_invariants(machine)
    assert sparse.objective == pytest.approx(dense.objective, rel=1e-3)
    state = sparse.state()
    kept = sp.csr_matrix((state["values"], state["indices"], state["offsets"]), shape=(
        len(state["tags"]), 8))  # fmt: skip
    assert_array_equal(kept.toarray(), X[state["tags"]])


def test_the_rows_kept_are_copies() -> None:
    X, y = overlapping_classes(10, n=120)
    given = X.copy()
    rows = rows_of(given)
    machine = _core.OnlineMachine(kernel_of(rows), _core.Rows.dense(np.empty((0, 3))), TOL, CACHE)
    process(machine, rows, seeds_first(y), y, 1.0)
    before = machine.objective
    given[:] = np.nan
    state = machine.state()
    assert_array_equal(state["rows"], X[state["tags"]])
    assert machine.finish(-1, None)
    assert np.isfinite(machine.objective)
    assert machine.objective >= before


@pytest.mark.parametrize("cache", [0, 5000])
def test_a_tiny_cache_changes_time_only(cache: int) -> None:
    X, y = overlapping_classes(11, n=300)
    small, rows = new_machine(X, cache=cache)
    roomy, _ = new_machine(X)
    for machine in (small, roomy):
        process(machine, rows, seeds_first(y), y, 1.0)
        machine.finish(-1, None)
        assert_invariants(machine)
    assert small.gap <= TOL
    assert small.objective == pytest.approx(roomy.objective, rel=1e-3)


def test_one_class_is_only_collected() -> None:
    X, _ = overlapping_classes(12, n=30)
    machine, rows = new_machine(X)
    process(machine, rows, np.arange(30), np.ones(30), 1.0)
    assert (machine.size, machine.steps, machine.objective, machine.bias) == (30, 0, 0.0, 1.0)
    assert machine.finish(-1, None)


# Epochs and known rows


def test_known_rows_are_only_reprocessed() -> None:
    X, y = overlapping_classes(13, n=120)
    K = kernel_matrix(X, X, "rbf", gamma=0.4)
    twin = OnlineTwin(K, y, 1.0, tol=TOL)
    machine, rows = new_machine(X)
    twin.run_pass(range(y.size))
    process(machine, rows, seeds_first(y), y, 1.0)
    kept = machine.state()["tags"]
    size = machine.size
    process(machine, rows, kept, y, 1.0)
    twin.run_pass(kept.tolist())
    assert machine.size <= size
    assert len(np.unique(machine.state()["tags"])) == machine.size
    assert machine.objective == pytest.approx(dual_objective(K, y, twin.alpha), rel=0.1)


def test_rows_without_a_tag_are_always_new() -> None:
    X, y = overlapping_classes(14, n=20)
    machine, rows = new_machine(X)
    order = np.arange(20, dtype=np.int32)
    nameless = np.full(20, -1, dtype=np.int32)
    ones = np.ones(20)  # one class, so every row is kept
    for _ in range(2):
        machine.process(rows, order, nameless, ones, ones, None)
    assert machine.size == 40
    assert y.size == 20


def test_a_row_that_was_dropped_may_return() -> None:
    """Its number is free again: a later epoch offers it like a new row."""
    X, y = overlapping_classes(15, n=400)
    machine, rows = new_machine(X)
    process(machine, rows, seeds_first(y), y, 1.0)
    machine.finish(-1, None)
    kept = set(machine.state()["tags"].tolist())
    process(machine, rows, seeds_first(y), y, 1.0)
    assert set(machine.state()["tags"].tolist()) - kept


# Saved state


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_restored_machine_goes_on_alike(sparse: bool, seed: int) -> None:
    X, y = overlapping_classes(seed, n=500, d=4)
    if sparse:
        X[np.abs(X) < 0.5] = 0.0
    matrix = sp.csr_matrix(X) if sparse else X
    order = seeds_first(y)
    whole, rows = new_machine(matrix)
    process(whole, rows, order[:250], y, 1.0)
    state = whole.state()
    saved = (
        sp.csr_matrix(
            (state["values"], state["indices"], state["offsets"]),
            shape=(len(state["tags"]), X.shape[1]),
        )
        if sparse
        else state["rows"]
    )
    restored = _core.OnlineMachine(kernel_of(rows), rows_of(matrix[:0]), TOL, CACHE)
    restored.restore(rows_of(saved), state)
    assert restored.bias == whole.bias
    assert restored.gap == whole.gap
    assert restored.size == whole.size
    assert restored.objective == whole.objective
    for machine in (whole, restored):
        process(machine, rows, order[250:], y, 1.0)
        machine.finish(-1, None)
        assert_invariants(machine)
    # To the bit: what a session asks later must not depend on whether it was saved.
    assert restored.objective == whole.objective
    assert restored.bias == whole.bias
    for name in ("tags", "alpha", "gradient", "slots", "closed", "idle"):
        np.testing.assert_array_equal(restored.state()[name], whole.state()[name])


def test_restored_rows_are_known() -> None:
    X, y = overlapping_classes(3, n=120)
    whole, rows = new_machine(X)
    process(whole, rows, seeds_first(y), y, 1.0)
    state = whole.state()
    restored, _ = new_machine(X)
    restored.restore(rows_of(state["rows"]), state)
    process(restored, rows, state["tags"], y, 1.0)
    assert restored.size <= whole.size


def test_pieces_are_met_as_one_pass() -> None:
    X, y = overlapping_classes(4, n=700)
    order = seeds_first(y)
    whole, rows = new_machine(X)
    pieces, _ = new_machine(X)
    process(whole, rows, order, y, 1.0)
    for part in np.split(order, [1, 10, 300, 301]):
        process(pieces, rows, part, y, 1.0)
    assert pieces.rows_seen == whole.rows_seen == 700
    # Only the blocks in which kernel values are summed differ.
    assert pieces.objective == pytest.approx(whole.objective, rel=1e-3)
    assert pieces.size == pytest.approx(whole.size, rel=0.05)


# Limits


def test_the_limit_of_finishing_steps_is_kept() -> None:
    X, y = overlapping_classes(5, n=500)
    machine, rows = new_machine(X)
    process(machine, rows, seeds_first(y), y, 10.0)
    before = machine.steps
    assert not machine.finish(3, None)
    assert machine.steps - before <= 3
    assert machine.finish(-1, None)


def test_wrong_lengths_are_refused() -> None:
    X, y = overlapping_classes(5, n=20)
    machine, rows = new_machine(X)
    order = np.arange(20, dtype=np.int32)
    with pytest.raises(ValueError, match="one entry per row"):
        machine.process(rows, order, order[:3], y, np.ones(20), None)
    with pytest.raises(IndexError):
        machine.process(rows, order + np.int32(1), order, y, np.ones(20), None)


def test_an_exception_of_the_observer_is_raised() -> None:
    X, y = overlapping_classes(6, n=600)
    machine, rows = new_machine(X)

    def fail(*_: object) -> None:
        raise RuntimeError("that will do")

    order = seeds_first(y)
    with pytest.raises(RuntimeError, match="that will do"):
        machine.process(rows, order, order, y[order], np.ones(600), fail)
    assert machine.rows_seen < 600
    assert_invariants(machine)
