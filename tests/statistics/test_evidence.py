"""The evidence is the product of the specified factors, a martingale, and does not fall in M."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln, roots_sh_jacobi

from rarebit.statistics import LedgerError, ceiling, evidence_path, log_evidence, proves_recall
from rarebit.statistics._evidence import log_product

N_ROWS = 14
Row = tuple[int, int, float, int]

_X, _W = roots_sh_jacobi(20, 1.5, 0.5)
NODES = [*(float(x) for x in _X), 1.0]
WEIGHTS = [*(float(w) * 0.98 / float(_W.sum()) for w in _W), 0.02]


def factor(M: int, theta_j: float, row: Row) -> float:
    """The factor of one draw, letter by letter."""
    n, m, kappa, y = row
    r = max(M - m, 0)
    share = (kappa * M - m) / r if r else 0.0
    theta = max(theta_j, min(max(share, 0.0), 1.0))
    if y:
        return theta
    return (n - theta * r) / (n - r)


def direct(M: int, ledger: list[Row]) -> list[float]:
    """E before the first draw and after every draw."""
    products, path = list(WEIGHTS), [1.0]
    for row in ledger:
        products = [p * factor(M, t, row) for p, t in zip(products, NODES, strict=True)]
        path.append(sum(products))
    return path


@st.composite
def ledgers(draw: st.DrawFn, n_rows: int = N_ROWS) -> tuple[list[Row], int, int, int]:
    """A ledger of a pool with other queries and rows without an answer in between.

    Returns the ledger, confirmed rare rows, confirmed negatives and rows without an answer.
    """
    steps = draw(
        st.lists(
            st.tuples(st.booleans(), st.sampled_from("nnnnrs"), st.sampled_from([0.0, 0.5, 0.95])),
            max_size=n_rows,
        )
    )
    ledger, m, known, negatives = [], 0, 0, 0
    for asked, (is_draw, answer, kappa) in enumerate(steps):
        y = int(answer != "n")
        if is_draw:
            ledger.append((n_rows - asked, m, kappa, y))
        m += y
        known += answer == "r"
        negatives += answer == "n"
    return ledger, known, negatives, m - known


@given(ledgers())
@settings(max_examples=60, deadline=None)
def test_the_evidence_is_the_product_of_its_factors(
    made: tuple[list[Row], int, int, int],
) -> None:
    ledger, known, negatives, _ = made
    for M in (known, (known + N_ROWS - negatives) // 2, N_ROWS - negatives):
        assert np.exp(log_evidence(M, ledger)) == pytest.approx(direct(M, ledger)[-1], rel=1e-11)


@given(ledgers())
@settings(max_examples=60, deadline=None)
def test_the_evidence_does_not_fall_in_the_total(made: tuple[list[Row], int, int, int]) -> None:
    ledger, known, negatives, _ = made
    values = log_evidence(np.arange(known, N_ROWS - negatives + 1), ledger)
    assert np.all(np.isfinite(values))
    assert np.all(np.diff(values) >= -1e-12)


@given(ledgers(), st.sampled_from([0.5, 0.2, 0.05, 0.001]))
@settings(max_examples=60, deadline=None)
def test_bisection_equals_a_scan(made: tuple[list[Row], int, int, int], risk: float) -> None:
    ledger, known, negatives, _ = made
    scan = known
    for M in range(known, N_ROWS - negatives + 1):
        if max(direct(M, ledger)) * risk < 1 - 1e-9:
            scan = M
    assert ceiling(ledger, N_ROWS, known, risk, known_negatives=negatives) == scan


@given(ledgers(), st.sampled_from([0.3, 0.5, 0.9, 1.0]))
@settings(max_examples=60, deadline=None)
def test_the_stop_rule_is_the_ceiling(made: tuple[list[Row], int, int, int], recall: float) -> None:
    ledger, known, negatives, _ = made
    top = ceiling(ledger, N_ROWS, known, 0.2, known_negatives=negatives)
    proved = proves_recall(ledger, N_ROWS, known, recall, 0.2, known_negatives=negatives)
    assert proved is (known > 0 and known / top >= recall)


@given(ledgers())
@settings(max_examples=50, deadline=None)
def test_the_path_holds_all_prefixes(made: tuple[list[Row], int, int, int]) -> None:
    ledger, known, negatives, _ = made
    M = (known + N_ROWS - negatives + 1) // 2
    whole = [log_evidence(M, ledger[: d + 1]) for d in range(len(ledger))]
    assert evidence_path(M, ledger) == pytest.approx(whole, abs=1e-11)


# --- the martingale, by enumeration --------------------------------------------------------

Choice = Callable[[int, int], tuple[str, float]]


def mean_by_enumeration(n_rows: int, M: int, choose: Choice) -> list[float]:
    """The exact mean of E after every draw, over all outcomes of the draws."""
    means: dict[int, float] = {}

    def walk(n: int, left: int, ledger: list[Row], chance: float) -> None:
        means[len(ledger)] = means.get(len(ledger), 0.0) + 0.0
        if n == 0:
            return
        action, kappa = choose(n, left)
        m = M - left
        if action == "rare" and left:
            walk(n - 1, left - 1, ledger, chance)
        elif action == "normal" and n > left:
            walk(n - 1, left, ledger, chance)
        else:
            for y, p in ((1, left / n), (0, 1 - left / n)):
                if p > 0:
                    longer = [*ledger, (n, m, kappa, y)]
                    value = np.exp(log_evidence(M, longer))
                    means[len(longer)] = means.get(len(longer), 0.0) + chance * p * value
                    walk(n - 1, left - y, longer, chance * p)

    walk(n_rows, M, [], 1.0)
    return [means[d] for d in sorted(means) if d]


POLICIES: dict[str, Choice] = {
    "audits only": lambda n, left: ("audit", 0.0),
    "audits with a target": lambda n, left: ("audit", 0.9),
    "rare rows taken in between": lambda n, left: ("rare" if n % 2 else "audit", 0.5),
    "normal rows taken in between": lambda n, left: ("normal" if n % 3 == 0 else "audit", 0.0),
    "target changes with the urn": lambda n, left: ("audit", 0.95 if left > 1 else 0.2),
}


@pytest.mark.parametrize("name", POLICIES)
def test_the_mean_is_one(name: str) -> None:
    # Draws whose number differs between outcomes would mix times, so the first ones are compared.
    means = mean_by_enumeration(7, 3, POLICIES[name])
    assert means[0] == pytest.approx(1.0, abs=1e-12)
    if "audits" in name or "target" in name:
        # From the fifth draw on the urn may hold rare rows only: no bet is fair, E can only fall.
        assert means[:4] == pytest.approx([1.0] * 4, abs=1e-12)
        assert max(means) <= 1 + 1e-12


def worst_case(n: int, left: int, M: int, wealth: np.ndarray, limit: float) -> float:
    """The largest chance that any policy that sees all labels and E drives E to the limit."""
    if float(wealth.sum()) >= limit:
        return 1.0
    if n == 0:
        return 0.0
    best = 0.0
    if left:
        best = max(best, worst_case(n - 1, left - 1, M, wealth, limit))
    if n > left:
        best = max(best, worst_case(n - 1, left, M, wealth, limit))
    for kappa in (0.0, 0.9):
        chance = 0.0
        for y, p in ((1, left / n), (0, 1 - left / n)):
            if p > 0:
                row = (n, M - left, kappa, y)
                chance += p * worst_case(n - 1, left - y, M, wealth * one_draw(M, row), limit)
        best = max(best, chance)
    return best


@cache
def one_draw(M: int, row: Row) -> np.ndarray:
    from rarebit.statistics._draws import merge_stretches, read_draws
    from rarebit.statistics._evidence import log_factors

    return np.exp(log_factors(np.array([float(M)]), merge_stretches(read_draws([row]))[0])[0, 0])


@pytest.mark.parametrize(("n_rows", "M"), [(6, 1), (6, 3), (6, 5)])
@pytest.mark.parametrize("risk", [0.5, 0.3])
def test_no_policy_beats_the_risk(n_rows: int, M: int, risk: float) -> None:
    start = np.array(WEIGHTS)
    chance = worst_case(n_rows, M, M, start, 1 / risk)
    assert chance <= risk + 1e-12
    if risk == 0.5 and M > 1:
        assert chance > 0  # the limit is within reach, so the test can fail


# --- closed form, limits, refusals ---------------------------------------------------------


@given(
    st.integers(1, 10**6),
    st.floats(0, 10**5),
    st.integers(1, 3000),
)
@settings(max_examples=60, deadline=None)
def test_the_closed_form_is_the_sum(a: int, s: float, length: int) -> None:
    exact = np.log1p(s / (a + np.arange(length))).sum()
    value = log_product(np.array([float(a)]), np.array([s]), np.array([float(length)]))[0]
    assert value == pytest.approx(exact, rel=1e-12, abs=1e-12)
    four = gammaln(a + s + length) - gammaln(a + s) - gammaln(a + length) + gammaln(a)
    assert value == pytest.approx(four, rel=1e-9, abs=1e-6)


def test_long_stretches_and_many_blocks_equal_single_draws(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ledger = [(5000 - d, 30, 0.9, 0) for d in range(1000)]
    ledger += [(4000, 30, 0.9, 1)]
    ledger += [(3999 - 2 * d, 31 + d // 100, 0.9, 0) for d in range(500)]
    path = evidence_path(60, ledger)
    assert log_evidence(60, ledger) == pytest.approx(path[-1], abs=1e-10)
    many = log_evidence(np.arange(40, 80), ledger)
    monkeypatch.setattr("rarebit.statistics._evidence.BLOCK", 200)
    assert log_evidence(np.arange(40, 80), ledger) == pytest.approx(many, abs=1e-12)
    assert many[20] == pytest.approx(log_evidence(60, ledger), abs=1e-12)


def test_impossible_totals_have_infinite_evidence() -> None:
    ledger = [(5, 0, 0.0, 0), (4, 0, 0.0, 1)]
    assert log_evidence([4, 5, 9], ledger).tolist()[1:] == [np.inf, np.inf]
    assert np.isfinite(log_evidence(4, ledger))
    assert log_evidence(6, [(5, 0, 0.0, 1)]) == np.inf
    assert ceiling(ledger, 5, 1) == 4  # although no negatives were named


def test_an_empty_ledger_proves_nothing() -> None:
    assert log_evidence(3, []) == 0.0
    assert log_evidence([3, 4], []).tolist() == [0.0, 0.0]
    assert ceiling([], 10, 2) == 10
    assert ceiling([], 10, 2, known_negatives=5) == 5
    assert ceiling([], 0, 0) == 0
    assert len(evidence_path(3, [])) == 0


def test_the_ceiling_is_never_below_what_is_known() -> None:
    ledger = [(1000 - d, 0, 0.0, 0) for d in range(500)]
    assert ceiling(ledger, 1000, 400, known_negatives=500) == 400


@pytest.mark.parametrize(
    ("ledger", "message"),
    [
        ([(10, 0, 0.9)], "columns n, m, kappa and y"),
        ("nothing", "array of numbers"),
        ([(10, 0, 0.9, 2)], "y = 0 or y = 1"),
        ([(10, 0, 0.9, np.nan)], "y = 0 or y = 1"),
        ([(10, 0, 1.0, 0)], "kappa from 0 and below 1"),
        ([(10.5, 0, 0.9, 0)], "integer n"),
        ([(0, 0, 0.9, 0)], "integer n"),
        ([(np.inf, 0, 0.9, 0)], "integer n"),
        ([(10, -1, 0.9, 0)], "integer m of 0"),
        ([(10, 0, 0.9, 0), (10, 0, 0.9, 0)], "smaller than n of the draw before"),
        ([(10, 0, 0.9, 1), (9, 0, 0.9, 0)], "compute m from the order asked"),
        ([(10, 0, 0.9, 0), (9, 1, 0.9, 0)], "compute m from the order asked"),
        ([(10, 3, 0.9, 0), (8, 2, 0.9, 0)], "compute m from the order asked"),
    ],
)
def test_malformed_ledgers_are_refused(ledger: object, message: str) -> None:
    with pytest.raises(LedgerError, match=message) as caught:
        log_evidence(3, ledger)
    assert str(caught.value).count(". ") == 0
    with pytest.raises(LedgerError, match=message):
        ceiling(ledger, 100, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_rows": 5}, "n and m of the first draw"),
        ({"known": -1}, "known must be an integer"),
        ({"known": 1.5}, "known must be an integer"),
        ({"known": 60, "known_negatives": 60}, "count every row of the pool once"),
        ({"risk": 0}, "risk must be a number above 0"),
        ({"risk": 1.0}, "risk must be a number above 0"),
        ({"risk": "5 %"}, "risk must be a number above 0"),
    ],
)
def test_wrong_counts_are_refused(arguments: dict[str, object], message: str) -> None:
    given_arguments = {"n_rows": 100, "known": 2, **arguments}
    with pytest.raises(LedgerError, match=message):
        ceiling([(10, 0, 0.9, 0)], **given_arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("M", [-1, 2.5, "three", [[1]], True])
def test_wrong_totals_are_refused(M: object) -> None:
    with pytest.raises(LedgerError, match="M must be"):
        log_evidence(M, [(10, 0, 0.9, 0)])
