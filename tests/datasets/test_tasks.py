"""Tasks of the papers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import sparse

from rarebit.datasets import list_tasks, load_task
from rarebit.datasets._features import standardize
from rarebit.datasets._recipes import RECIPES
from rarebit.datasets._sampling import draw_rows

Need = Callable[..., None]

# Table 2 of the border paper: positives, negatives, C and gamma. USPS is the standard split here.
TABLE_2 = {
    "reuters-crude": (389, 7381, 2.0, 1.0),
    "reuters-grain": (433, 7337, 2.0, 1.0),
    "reuters-interest": (347, 7423, 1.0, 2.0),
    "reuters-money-fx": (538, 7232, 1.0, 0.5),
    "reuters-ship": (197, 7573, 1.0, 0.5),
    "reuters-wheat": (212, 7558, 1.0, 0.5),
    "abalone-7": (352, 3407, 100.0, 0.01),
    "letter-A": (710, 17290, 10.0, 0.01),
    "satimage-4": (415, 4020, 50.0, 0.001),
    "usps-0": (1194, 6097, 1000.0, 2.0),
    "mnist-8": (5851, 54149, 1000.0, 0.02),
}


@pytest.mark.parametrize("name", list_tasks())
def test_every_task_is_well_formed(name: str, need: Need) -> None:
    recipe = RECIPES[name]
    need(*recipe.sets)
    task = load_task(name)
    assert task.note
    assert task.kernel in ("rbf", "linear")
    assert (task.X_test is None) == (task.y_test is None) == (recipe.test is None)
    for X, y, counts in (
        (task.X_train, task.y_train, recipe.train),
        (task.X_test, task.y_test, recipe.test),
    ):
        if y is None:
            continue
        assert (int(np.sum(y == 1)), int(np.sum(y == 0))) == counts
        assert y.dtype == np.int64
        assert X.shape == (sum(counts), task.X_train.shape[1])
        values = X.data if sparse.issparse(X) else X
        assert np.all(np.isfinite(values))
        assert values.flags.c_contiguous
        assert values.flags.writeable
    compact = name in ("mnist-8", "usps-0", "a9a")
    assert task.X_train.dtype == (np.float32 if compact else np.float64)


@pytest.mark.parametrize("name", TABLE_2)
def test_recipes_agree_with_table_2(name: str) -> None:
    recipe = RECIPES[name]
    assert (*recipe.train, recipe.C, recipe.gamma) == TABLE_2[name]


@pytest.mark.parametrize("name", ["reuters-corn", "reuters-trade", "adult", "waveform"])
def test_what_table_2_lacks_is_none_and_said(name: str) -> None:
    recipe = RECIPES[name]
    assert recipe.C is None
    assert recipe.gamma is None
    assert "not in the paper's Table 2" in recipe.note


def test_draws_repeat_and_differ_by_seed(need: Need) -> None:
    need("yeast")
    first, again, other = (load_task("yeast-ME3", random_state=s) for s in (0, 0, 1))
    np.testing.assert_array_equal(first.X_train, again.X_train)
    assert not np.array_equal(first.X_train, other.X_train)
    generators = [load_task("yeast-ME3", np.random.default_rng(0)).X_test for _ in range(2)]
    np.testing.assert_array_equal(*generators)


def test_train_and_test_of_a_draw_are_all_rows_once(need: Need) -> None:
    need("letter")
    task = load_task("letter-A")
    whole = load_task("letter-D")
    both = np.concatenate([task.X_train, task.X_test])
    np.testing.assert_array_equal(np.sort(both.sum(axis=1)), np.sort(whole.X_train.sum(axis=1)))


def test_changing_a_task_leaves_the_next_one_alone(need: Need) -> None:
    need("glass", "reuters")
    for name in ("glass-7", "reuters-corn"):
        task = load_task(name)
        before = task.X_train.copy()
        rows = task.X_train
        rows *= 0.0
        assert abs(load_task(name).X_train - before).max() == 0.0


def test_pixels_have_the_scale_of_table_2(need: Need) -> None:
    need("usps", "mnist")
    usps = load_task("usps-0")
    assert usps.X_train.min() == -1 / 16
    assert usps.X_train.max() == 1 / 16
    mnist = load_task("mnist-8")
    assert mnist.X_train.min() == 0.0
    assert mnist.X_train.max() == 1.0


def test_abalone_holds_no_ring_count(need: Need) -> None:
    need("abalone")
    task = load_task("abalone-7")
    assert task.X_train.shape[1] == 10
    # Three columns of sex, then lengths and weights in units of 200 mm and 200 g.
    assert np.all(task.X_train[:, :3].sum(axis=1) == 1.0)
    assert task.X_train[:, 3:].max() < 3.0


def test_reuters_rows_have_unit_norm_and_sorted_indices(need: Need) -> None:
    need("reuters")
    task = load_task("reuters-crude")
    for X in (task.X_train, task.X_test):
        assert X.has_canonical_format
        norms = np.sqrt(X.multiply(X).sum(axis=1))
        np.testing.assert_allclose(norms[norms > 0], 1.0)
    assert task.X_train.shape[1] == 10179
    assert (task.X_train > 0).sum(axis=0).min() >= 3


def test_dense_and_sparse_a9a_are_equal(need: Need) -> None:
    need("a9a_train", "a9a_test")
    dense = load_task("a9a", dense=True)
    rows = load_task("a9a", dense=False)
    assert isinstance(dense.X_train, np.ndarray)
    assert sparse.issparse(rows.X_test)
    assert rows.X_test.dtype == np.float32
    np.testing.assert_array_equal(dense.X_test, rows.X_test.toarray())
    assert set(np.unique(dense.X_train).tolist()) == {0.0, 1.0}


def test_adult_numbers_are_standardised_by_the_training_rows(need: Need) -> None:
    need("adult_train", "adult_test")
    task = load_task("adult")
    numeric = ~np.all(np.isin(task.X_train, (0.0, 1.0)), axis=0)
    assert numeric.sum() == 6
    np.testing.assert_allclose(task.X_train[:, numeric].mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(task.X_train[:, numeric].std(axis=0), 1.0)
    assert task.X_test.shape[1] == task.X_train.shape[1] == 108


def test_missing_cells_hold_the_median(need: Need) -> None:
    need("breast_w_original")
    task = load_task("breast")
    assert task.X_train[23, 5] == 1.0


def test_standardise_leaves_binary_columns() -> None:
    train = np.array([[0.0, 2.0], [1.0, 4.0]])
    X, Z = standardize(train, np.array([[1.0, 3.0]]))
    assert X.tolist() == [[0.0, -1.0], [1.0, 1.0]]
    assert Z.tolist() == [[1.0, 0.0]]


def test_drawing_too_many_rows_is_an_error() -> None:
    with pytest.raises(ValueError, match="Class 1 has 2 rows"):
        draw_rows(np.array([0, 1, 1]), {1: 3}, np.random.default_rng(0))


def test_ratio_and_repr(need: Need) -> None:
    need("haberman")
    task = load_task("haberman-2")
    assert task.ratio == pytest.approx(225 / 81)
    assert repr(task).startswith("Task('haberman-2', positive='2', train=81:225 of 3 features")


def test_unknown_task_lists_the_names() -> None:
    with pytest.raises(ValueError, match="no task 'letter': choose one of letter-A, "):
        load_task("letter")
