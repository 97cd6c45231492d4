"""The classifier that labelling ends in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics import roc_auc_score

from rarebit.active import Query, QueryReason
from rarebit.classifiers import BlendedClassifier, final_classifier
from rarebit.metrics import g_mean_score
from rarebit.svm import KernelSVC


def make_pool(seed: int = 0, n: int = 1000, share: float = 0.05) -> tuple[Any, Any]:
    """Rows of which few are rare; names sort so that the rare one comes first."""
    rng = np.random.default_rng(seed)
    rare = rng.random(n) < share
    X = rng.normal(size=(n, 4))
    X[rare] += 2.5
    return X, np.where(rare, "attack", "normal")


def asked_labels(X: Any, y: Any, n_rare: int, n_common: int) -> dict[int, str]:
    """More rare labels than common ones, as questions on the border end in."""
    rare = np.flatnonzero(y == "attack")[:n_rare]
    common = np.flatnonzero(y == "normal")[:n_common]
    return {int(row): str(y[row]) for row in [*rare, *common]}


@pytest.mark.parametrize("method", ["auto", "bagged", "border"])
@pytest.mark.parametrize("given", [False, True])
def test_the_rare_class_is_that_of_the_pool_and_not_of_the_labels(method: str, given: bool) -> None:
    X, y = make_pool()
    labels = asked_labels(X, y, 29, 26)
    border = KernelSVC().fit(X[list(labels)], list(labels.values())) if given else None
    classifier = final_classifier(X, labels, border=border, method=method)
    assert classifier.minority_class_ == "attack"
    predicted = classifier.predict(X)
    assert np.mean(predicted == "attack") < 0.25
    scores = classifier.minority_score(X)
    assert scores[y == "attack"].mean() > scores[y == "normal"].mean()
    if border is not None:
        assert border.minority_class_ == "normal"  # the machine that asked stays as it is


def test_uniform_rows_outweigh_a_machine_that_is_wrong() -> None:
    X, y = make_pool()
    labels = {int(row): str(y[row]) for row in range(300)}
    wrong = KernelSVC().fit(X[:40], np.where(np.arange(40) < 3, "normal", "attack"))
    assert final_classifier(X, dict(list(labels.items())[:60]), border=wrong, method="border"
                            ).minority_class_ == "normal"  # fmt: skip
    queries = [Query(row + 1, row, QueryReason.AUDIT) for row in labels]
    reasons = dict.fromkeys(labels, "random")
    for history in (queries, reasons):
        found = final_classifier(X, labels, border=wrong, history=history, method="border")
        assert found.minority_class_ == "attack"


def test_one_random_row_does_not_make_the_class_with_fewer_labels_the_more_frequent_one() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(["hole", "ok", "scratch"], [8, 282, 10])
    X = rng.normal(scale=0.3, size=(300, 2))
    X += np.select([y[:, None] == "hole", y[:, None] == "scratch"], [[[4.0, 0.0]], [[0.0, 4.0]]])
    rows = [*range(200), *range(290, 300)]  # every rare row has its label
    labels = {row: str(y[row]) for row in rows}
    history = dict.fromkeys(rows, "harvest") | dict.fromkeys([0, *range(20, 28)], "random")
    for method in ("border", "auto"):
        found = final_classifier(X, labels, history=history, method=method)
        assert found.minority_class_ == "hole", method


@pytest.mark.parametrize("method", ["auto", "border"])
def test_labels_may_be_text_where_the_asker_learned_numbers(method: str) -> None:
    X, y = make_pool()
    labels = asked_labels(X, y, 20, 20)
    numbers = np.array([1 if label == "attack" else 0 for label in labels.values()])
    border = KernelSVC(C=3.0).fit(X[list(labels)], numbers)
    named = {row: str(number) for row, number in zip(labels, numbers, strict=True)}
    classifier = final_classifier(X, named, border=border, method=method)
    assert classifier.classes_.tolist() == ["0", "1"]
    assert classifier.minority_class_ == "1"


# --- the blend ----------------------------------------------------------------------------------


def labelled(y: Any, n: int, seed: int = 0) -> dict[int, str]:
    rng = np.random.default_rng(seed)
    rare = rng.permutation(np.flatnonzero(y == "attack"))[: n // 4]
    common = rng.permutation(np.flatnonzero(y == "normal"))[: n - n // 4]
    return {int(row): str(y[row]) for row in [*rare, *common]}


def test_the_blend_says_what_it_took_and_why() -> None:
    X, y = make_pool()
    model = final_classifier(X, labelled(y, 80))
    assert isinstance(model, BlendedClassifier)
    assert sum(model.weights_.values()) == pytest.approx(1.0)
    assert set(model.weights_) == set(model.parts_) <= set(model.precision_)
    assert model.reason_.startswith("Took a blend of ")
    assert "in 5 folds of 80 labels" in model.reason_
    proba = model.predict_proba(X)
    assert_allclose(proba.sum(axis=1), 1.0)
    # Scores, probabilities and classes say the same; the rare class sorts first here.
    score = model.minority_score(X)
    assert_array_equal(model.predict(X) == "attack", score >= 0.0)
    assert_array_equal(np.argsort(score), np.argsort(-model.decision_function(X)))
    order = np.argsort(score)
    assert (np.diff(proba[order, 0]) >= -1e-12).all()


def test_the_blend_is_the_same_for_any_number_of_jobs_and_any_batch() -> None:
    X, y = make_pool(n=300)
    rows = list(labelled(y, 40))
    first, second = (
        BlendedClassifier(n_trees=10, n_jobs=jobs, random_state=0).fit(X[rows], y[rows])
        for jobs in (1, 2)
    )
    assert first.weights_ == second.weights_
    assert_array_equal(first.predict_proba(X), second.predict_proba(X))
    one_by_one = np.vstack([first.predict_proba(X[i : i + 1]) for i in range(20)])
    assert_allclose(one_by_one, first.predict_proba(X[:20]), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("n_rare", "n_common"), [(1, 1), (2, 2), (1, 30), (2, 30), (3, 1)])
def test_few_labels_are_enough(n_rare: int, n_common: int) -> None:
    X, y = make_pool()
    model = final_classifier(X, asked_labels(X, y, n_rare, n_common))
    assert model.classes_.tolist() == ["attack", "normal"]
    assert np.isfinite(model.minority_score(X)).all()
    assert ((model.predict_proba(X) >= 0) & (model.predict_proba(X) <= 1)).all()
    if n_common == 30:
        assert roc_auc_score(y == "attack", model.minority_score(X)) > 0.75
        assert ("nothing can be cross-validated" in model.reason_) == (n_rare == 1)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_several_classes_one_of_them_with_a_single_label(as_sparse: bool) -> None:
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b", "c"], 400, p=[0.8, 0.15, 0.05])
    X = rng.normal(size=(400, 3)) + 4.0 * np.stack([y == c for c in "abc"], axis=1)
    rows = [*np.flatnonzero(y == "a")[:30], *np.flatnonzero(y == "b")[:10]]
    pool = sparse.csr_array(X) if as_sparse else X
    for n_third in (1, 5):
        chosen = [*rows, *np.flatnonzero(y == "c")[:n_third]]
        model = final_classifier(pool, {int(row): str(y[row]) for row in chosen})
        assert model.minority_class_ == "c"
        assert model.predict_proba(pool).shape == (400, 3)
        assert np.mean(model.predict(pool) == y) > (0.6 if n_third == 1 else 0.85)


def test_the_threshold_serves_the_pool_and_not_the_labels() -> None:
    """Half of the labels are rare; over the pool one row in twenty is."""
    X, y = make_pool(n=4000)
    near = np.argsort(np.abs(X.sum(axis=1) - 5.0))[:400]  # the border, where labels are asked for
    labels = {int(row): str(y[row]) for row in near[:150]}
    labels |= asked_labels(X, y, 20, 20)
    model = final_classifier(X, labels)
    assert g_mean_score(y, model.predict(X), labels=["attack", "normal"]) > 0.88


@pytest.mark.parametrize("rare", ["a rare one", "rare"])
def test_a_large_pool_is_not_called_rare_for_its_tail(rare: str) -> None:
    """Log odds of 150 labels end at 1 : 100, and one row in 500 is rare."""
    rng = np.random.default_rng(0)
    y = np.full(20_000, "common", dtype="U12")
    y[:40] = rare
    X = rng.normal(size=(len(y), 12)).astype(np.float32)
    X[:40, :4] = 2.5 + 0.6 * X[:40, :4]
    near = 40 + np.argsort(-X[40:, :4].sum(axis=1))[:50]  # those that look most like rare ones
    chosen = [*range(30), *near.tolist(), *range(10_000, 10_070)]
    model = final_classifier(X, {row: str(y[row]) for row in chosen})
    called = model.predict(X) == rare
    # 0.14 if rows without a label count by their log odds alone.
    assert called[40:].mean() < 0.05
    assert called[30:40].mean() > 0.8


@pytest.mark.parametrize("rare", ["a rare one", "rare"])
def test_texts_that_nobody_read_count_as_common(rare: str) -> None:
    rng = np.random.default_rng(0)
    y = np.full(3_000, "common", dtype="U12")
    y[:60] = rare
    words = rng.poisson(0.3, size=(len(y), 80)).astype(np.float64)
    words[:60, :6] += rng.poisson(1.0, size=(60, 6))
    chosen = [*range(30), *range(60, 130)]
    model = final_classifier(sparse.csr_array(words), {row: str(y[row]) for row in chosen})
    called = model.predict(sparse.csr_array(words)) == rare
    assert called[60:].mean() < 0.15
    assert called[30:60].mean() > 0.6


def test_rows_drawn_uniformly_set_the_base_rate() -> None:
    X, y = make_pool(n=4000)
    labels = asked_labels(X, y, 60, 60)
    drawn = np.random.default_rng(1).choice(4000, 600, replace=False)
    audits = {int(row): str(y[row]) for row in drawn}
    reasons = {**dict.fromkeys(labels, "border"), **dict.fromkeys(audits, "audit")}
    unknown = final_classifier(X, labels)
    known = final_classifier(X, labels | audits, history=reasons)
    assert not unknown.base_rate_known_
    assert known.base_rate_known_
    truth = np.count_nonzero(y == "attack")
    assert 0.85 < known.predict_proba(X)[:, 0].sum() / truth < 1.15
    wide, narrow = (np.diff(model.probability_band(X)).mean() for model in (unknown, known))
    assert wide > 2 * narrow
    band = known.probability_band(X)
    assert (band[:, 0] <= known.predict_proba(X)[:, 0] + 1e-9).all()
    assert (band[:, 1] >= known.predict_proba(X)[:, 0] - 1e-9).all()


def test_a_named_class_is_the_rare_one() -> None:
    X, y = make_pool()
    assert final_classifier(X, labelled(y, 40), rare="normal").minority_class_ == "normal"


@pytest.mark.parametrize("rare", ["a rare one", "rare"])
def test_labels_that_tell_nothing_apart_in_folds_still_rank_the_pool(rare: str) -> None:
    """Most labels are rare, and the two others share words with them."""
    areas = []
    for seed in (0, 3, 5, 10):  # of the first twelve, those with no better folds than chance
        rng = np.random.default_rng(seed)
        y = np.full(600, "common", dtype="U12")
        y[:40] = rare
        words = rng.poisson(0.3, size=(len(y), 80)).astype(np.float64)
        words[:40, :6] += rng.poisson(1.0, size=(40, 6))
        words[40:44, :2] += 1.0
        pool = sparse.csr_array(words / np.linalg.norm(words, axis=1, keepdims=True))
        labels = {row: str(y[row]) for row in [*range(18), 40, 41]}
        model = final_classifier(pool, labels, rare=rare)
        if rare == "rare":  # names in another order have other folds
            assert "better than chance" in model.reason_
        scores = model.minority_score(pool)
        assert len(np.unique(scores)) > 500
        assert not len(model.pool_points_)  # guessed log odds estimate nothing
        areas.append(roc_auc_score(y == rare, scores))
    assert np.mean(areas) > 0.6


@pytest.mark.parametrize(("n_rare", "n_common", "estimates"), [(8, 20, True), (20, 8, False)])
def test_more_rare_labels_than_others_estimate_no_recall(
    n_rare: int, n_common: int, estimates: bool
) -> None:
    """Their log odds would make half of the pool rare, and the recall tiny."""
    X, y = make_pool()
    model = final_classifier(X, asked_labels(X, y, n_rare, n_common), rare="attack")
    assert bool(len(model.pool_points_)) == estimates
