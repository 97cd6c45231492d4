"""BorderLearner: what people do to an ask/tell loop."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from sklearn.datasets import make_blobs, make_classification
from sklearn.exceptions import NotFittedError

from rarebit import BorderLearner, BorderSVC, KernelSVC
from rarebit.active.border._history import ENGINE_REASONS

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]


def problem(n: int = 1200, seed: int = 0) -> tuple[Floats, Labels]:
    X, y = make_classification(
        n_samples=n, n_features=5, weights=[0.92], class_sep=1.5, random_state=seed
    )
    return X, y


def run(learner: BorderLearner, y: Labels, steps: int, at_once: int = 1) -> list[int]:
    asked: list[int] = []
    for _ in range(steps):
        rows = learner.ask(at_once)
        learner.tell(rows, y[rows])
        asked.extend(rows.tolist())
    return asked


@pytest.mark.parametrize("search", ["pool", "full", "random"])
def test_asking_one_by_one_is_what_border_svc_does(search: str) -> None:
    X, y = problem()
    fitted = BorderSVC(search=search, random_state=3).fit(X, y)
    learner = BorderLearner(search=search, random_state=3).start(X)
    while not learner.done:
        rows = learner.ask()
        learner.tell(rows, y[rows])
    assert_array_equal(learner.history_["row"], fitted.queried_)
    assert learner.stop_reasons_ == fitted.stop_reasons_
    assert_array_equal(learner.classifier_.dual_coef_, fitted.dual_coef_)
    assert learner.classifier_.minority_class_ == fitted.minority_class_


def test_labels_may_come_out_of_order_partly_or_never() -> None:
    X, y = problem()
    learner = BorderLearner(random_state=0).start(X)
    rows = learner.ask(12)
    assert len(set(rows.tolist())) == 12
    later = rows[::-1][:5]
    learner.tell(later, y[later])
    assert_array_equal(np.sort(learner.pending_), np.sort(rows[:7]))
    assert not set(learner.ask(50).tolist()) & set(rows.tolist())
    assert learner.n_labels_ == 5


def test_labels_nobody_asked_for_are_welcome() -> None:
    X, y = problem()
    learner = BorderLearner(random_state=0).start(X)
    learner.tell([5, 900], y[[5, 900]])
    assert_array_equal(learner.history_["how"], ["given", "given"])
    assert learner.labels_ == {5: y[5], 900: y[900]}
    learner.retract([5])
    learner.tell([900], [y[900]], replace=True)
    assert learner.labels_ == {900: y[900]}
    learner.tell([5], [y[5]])
    assert not {5, 900} & set(learner.ask(1200).tolist())


def test_a_label_told_twice_is_an_error_and_changes_nothing() -> None:
    X, _ = problem()
    learner = BorderLearner(random_state=0).start(X)
    learner.tell([4], [0])
    with pytest.raises(ValueError, match=r"Row 4 was told class 0 before .*: pass replace=True"):
        learner.tell([8, 4], [1, 1])
    assert learner.n_labels_ == 1
    with pytest.raises(ValueError, match="tell each row once"):
        learner.tell([9, 9], [0, 1])


@pytest.mark.parametrize("row", [-1, 1200, 10**9])
def test_unknown_rows_are_named(row: int) -> None:
    X, _ = problem()
    learner = BorderLearner().start(X)
    with pytest.raises(ValueError, match=f"got row {row}"):
        learner.tell([3, row], [0, 1])
    with pytest.raises(ValueError, match=f"got row {row}"):
        learner.skip(row)
    assert learner.n_labels_ == 0


def test_rows_must_be_integers_and_labels_as_many() -> None:
    X, _ = problem()
    learner = BorderLearner().start(X)
    with pytest.raises(TypeError, match="Rows are whole numbers"):
        learner.tell([0.5], [1])
    with pytest.raises(ValueError, match="1 label for 2 rows"):
        learner.tell([1, 2], [1])
    with pytest.raises(ValueError, match="call skip"):
        learner.tell([1], [float("nan")])
    with pytest.raises(ValueError, match="from 1 to the"):
        learner.ask(0)


def test_skipped_rows_are_not_asked_for_again_but_may_be_told() -> None:
    X, y = problem(200)
    learner = BorderLearner(random_state=0).start(X)
    rows = learner.ask(20)
    learner.skip(rows)
    assert learner.pending_.size == 0
    rest = learner.ask(200)
    assert len(rest) == 180
    learner.tell(rows[0], y[rows[0]])
    with pytest.raises(ValueError, match="cannot be skipped"):
        learner.skip(rows[0])


def test_a_correction_leaves_the_learner_as_if_it_had_been_told_so_at_once() -> None:
    X, y = problem()
    right = BorderLearner(random_state=0).start(X, labels={i: int(y[i]) for i in range(100)})
    wrong = BorderLearner(random_state=0).start(
        X, labels={i: int(y[i]) if i != 40 else 1 - int(y[i]) for i in range(100)}
    )
    before = wrong.classifier_.dual_coef_
    wrong.tell(40, int(y[40]), replace=True)
    assert_array_equal(wrong.classifier_.dual_coef_, right.classifier_.dual_coef_)
    assert before.shape != right.classifier_.dual_coef_.shape or not np.array_equal(
        before, right.classifier_.dual_coef_
    )
    assert_array_equal(wrong.ask(10), right.ask(10))
    # The same label again is no correction.
    wrong.tell(40, int(y[40]), replace=True)
    assert wrong.history_["label"][40] == y[40]


def test_a_class_never_seen_before_gets_a_machine() -> None:
    X, y = make_blobs([500, 60, 40], n_features=3, cluster_std=1.2, random_state=0)
    learner = BorderLearner(random_state=0, stop=None).start(
        X, labels={int(i): int(y[i]) for i in np.flatnonzero(y < 2)[:120]}
    )
    assert learner.classifier_.classes_.tolist() == [0, 1]
    run(learner, np.minimum(y, 1), 10)
    new = int(np.flatnonzero((y == 2) & ~np.isin(np.arange(600), learner.history_["row"]))[0])
    learner.tell(new, 2)
    assert learner.classifier_.classes_.tolist() == [0, 1, 2]
    run(learner, y, 60)
    assert np.mean(learner.classifier_.predict(X) == y) > 0.9


def test_all_rows_labelled_is_the_end() -> None:
    X, y = problem(80)
    learner = BorderLearner(random_state=0, stop=None).start(X)
    asked = run(learner, y, 20, at_once=7)
    assert sorted(asked) == list(range(80))
    assert learner.done
    assert list(learner.stop_reasons_) == ["exhausted"]
    assert learner.ask(3).size == 0
    everything = KernelSVC(gamma=learner.classifier_._gamma).fit(X, y)
    assert learner.classifier_.dual_objective_ == pytest.approx(
        everything.dual_objective_, rel=1e-4
    )


@pytest.mark.parametrize("search", ["pool", "full"])
@pytest.mark.parametrize("way", ["pickle", "state", "deepcopy"])
def test_saved_in_the_middle_it_asks_the_same_later(way: str, search: str) -> None:
    X, y = problem()
    learner = BorderLearner(search=search, random_state=5).start(X)
    run(learner, y, 25, at_once=4)
    waiting = learner.ask(3)
    learner.skip(learner.ask(2))
    if way == "pickle":
        other = pickle.loads(pickle.dumps(learner))
    elif way == "deepcopy":
        other = copy.deepcopy(learner)
    else:
        state = json.loads(json.dumps(learner.state()))
        other = BorderLearner(search=search).restore(X, state)
    assert_array_equal(other.pending_, waiting)
    assert other.n_labels_ == learner.n_labels_
    learner.tell(waiting, y[waiting])
    other.tell(waiting, y[waiting])
    assert run(other, y, 40, at_once=3) == run(learner, y, 40, at_once=3)
    for column in ("row", "how", "probability", "distance", "drawn", "inside"):
        assert_array_equal(other.history_[column], learner.history_[column])
    assert other.done == learner.done
    assert_array_equal(other.classifier_.dual_coef_, learner.classifier_.dual_coef_)


def test_a_state_belongs_to_its_pool_and_version() -> None:
    X, _ = problem(200)
    learner = BorderLearner(random_state=0).start(X)
    state = learner.state()
    with pytest.raises(ValueError, match="pool of 200 rows, got one of 150"):
        BorderLearner().restore(X[:150], state)
    with pytest.raises(ValueError, match="version"):
        BorderLearner().restore(X, {**state, "version": 0})


def test_nothing_works_before_start() -> None:
    for call in (
        lambda: BorderLearner().ask(),
        lambda: BorderLearner().tell([0], [1]),
        lambda: BorderLearner().done,
        lambda: BorderLearner().status(),
        lambda: BorderLearner().history_,
    ):
        with pytest.raises(NotFittedError, match="call start"):
            call()


def test_a_classifier_needs_two_classes() -> None:
    X, y = problem()
    learner = BorderLearner(random_state=0).start(X)
    with pytest.raises(NotFittedError, match="two classes, got 0"):
        _ = learner.classifier_
    learner.tell([int(np.flatnonzero(y == 0)[0])], [0])
    with pytest.raises(NotFittedError, match="two classes, got 1"):
        _ = learner.classifier_
    assert "only class 0 is known" in str(learner.status())


def test_status_speaks() -> None:
    X, y = problem(3000)
    learner = BorderLearner(random_state=0).start(X)
    start = "0 labels told of 3,000 rows; 0 classes found. So far no class is known"
    assert str(learner.status()).startswith(start)
    run(learner, y, 10)
    learner.ask(2)
    assert "2 waiting for an answer" in str(learner.status())
    while not learner.done:
        run(learner, y, 5)
    said = str(learner.status())
    assert "Nothing more needs to be asked." in said
    assert "exploratory rows" in said
    assert "95 % confidence" in said


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_missing_values_are_refused_at_the_start(bad: float) -> None:
    X, _ = problem(50)
    X[3, 1] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        BorderLearner().start(X)


def test_pools_without_rows_and_with_one() -> None:
    with pytest.raises(ValueError, match="0 sample"):
        BorderLearner().start(np.empty((0, 3)))
    learner = BorderLearner().start(np.zeros((1, 2)))
    assert learner.ask().tolist() == [0]


def test_constant_features_and_duplicates_are_no_obstacle() -> None:
    X, y = problem(300)
    X[:, 2] = 4.0
    X = np.repeat(X, 3, axis=0)
    learner = BorderLearner(random_state=0).start(X)
    run(learner, np.repeat(y, 3), 60, at_once=2)
    assert learner.n_labels_ == 120


def test_text_labels_and_csr_pools() -> None:
    X, y = problem(400)
    names = np.where(y == 1, "fraud", "fine")
    learner = BorderLearner(random_state=0).start(sp.csr_matrix(X))
    for _ in range(100):
        rows = learner.ask()
        learner.tell(rows, names[rows])
    assert learner.classifier_.classes_.tolist() == ["fine", "fraud"]
    assert learner.classifier_.minority_class_ == "fraud"
    assert set(learner.history_["label"].tolist()) == {"fine", "fraud"}


def test_labels_given_at_the_start_are_learned_first() -> None:
    X, y = problem()
    known: dict[int, Any] = {int(i): int(y[i]) for i in np.flatnonzero(y == 1)[:3]}
    learner = BorderLearner(random_state=0).start(X, labels=known)
    rows = learner.ask(30)
    assert learner.n_labels_ == 3
    assert not set(rows.tolist()) & set(known)


def test_a_stop_rule_that_fails_loses_no_label() -> None:
    X, y = problem()

    def broken(history: Any) -> Any:
        if history.n_labels == 30:
            raise RuntimeError("the rule is broken")

    learner = BorderLearner(stop=broken, random_state=0).start(X)
    with pytest.raises(RuntimeError, match="broken"):
        run(learner, y, 40)
    assert learner.n_labels_ == len(learner.history_["row"]) == 30
    last = int(learner.history_["row"][-1])
    with pytest.raises(ValueError, match=f"Row {last} was told class"):
        learner.tell(last, int(y[last]))
    run(learner, y, 5)
    assert learner.n_labels_ == 35


def test_reasons_of_queries_are_the_engines_ones() -> None:
    X, y = problem()
    learner = BorderLearner(random_state=0, stop=None, explore=0.3).start(X)
    run(learner, y, 60, at_once=3)
    told = {
        row: str(how)
        for row, how in zip(learner.history_["row"], learner.history_["how"], strict=True)
    }
    asked = {query.row: str(query.reason) for query in learner.queries_}
    assert asked == told
    assert {"border", "explore"} <= set(asked.values())
    waiting = learner.ask(4).tolist()
    ways = learner._search.engine.pending()["way"].tolist()
    assert [str(query.reason) for query in learner.queries_[-4:]] == [
        str(ENGINE_REASONS[way]) for way in ways
    ]
    assert [query.row for query in learner.queries_[-4:]] == waiting


@pytest.mark.parametrize("row", [True, np.bool_(True), 1.0, -1, 1200, np.int64(-1), "1"])
def test_a_single_row_is_checked_like_a_list(row: Any) -> None:
    X, _ = problem()
    learner = BorderLearner(random_state=0).start(X)
    with pytest.raises((TypeError, ValueError)):
        learner.tell(row, "a")
    with pytest.raises((TypeError, ValueError)):
        learner.tell([row], ["a"])
    assert learner.n_labels_ == 0
