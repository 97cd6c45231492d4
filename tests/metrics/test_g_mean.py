"""Sensitivity, specificity and g-mean, against values worked out by hand."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from imblearn import metrics as imblearn_metrics

from rarebit.metrics import g_mean_score, sensitivity_score, specificity_score

# attack: 4 rows, 3 found. normal: 10 rows, 8 left alone.
ATTACKS = ["attack"] * 4 + ["normal"] * 10
GUESSES = ["attack"] * 3 + ["normal"] + ["attack"] * 2 + ["normal"] * 8

# Rows are truth, columns prediction:      a  b  c
#                                       a  1  1  0   recall 1/2
#                                       b  0  3  1   recall 3/4
#                                       c  0  2  6   recall 3/4
THREE_TRUE = ["a"] * 2 + ["b"] * 4 + ["c"] * 8
THREE_PRED = ["a", "b"] + ["b"] * 3 + ["c"] + ["b"] * 2 + ["c"] * 6


@pytest.fixture(autouse=True)
def _warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


class TestBinary:
    def test_the_rarer_class_is_positive_though_it_sorts_first(self):
        assert sensitivity_score(ATTACKS, GUESSES) == pytest.approx(3 / 4)
        assert specificity_score(ATTACKS, GUESSES) == pytest.approx(8 / 10)

    def test_pos_label_overrides_rarity(self):
        assert sensitivity_score(ATTACKS, GUESSES, pos_label="normal") == pytest.approx(8 / 10)
        assert specificity_score(ATTACKS, GUESSES, pos_label="normal") == pytest.approx(3 / 4)

    @pytest.mark.parametrize("pos_label", [None, "attack", "normal"])
    def test_g_mean_is_the_same_from_both_sides(self, pos_label):
        expected = np.sqrt(0.75 * 0.8)
        assert g_mean_score(ATTACKS, GUESSES, pos_label=pos_label) == pytest.approx(expected)

    @pytest.mark.parametrize(
        ("low", "high"), [(0, 1), (-1, 1), (False, True), ("a", "b"), (1.0, 2.0), (7, 3)]
    )
    def test_ties_go_to_the_greater_label(self, low, high):
        greater, lesser = max(low, high), min(low, high)
        truth = [lesser, lesser, greater, greater]
        guess = [lesser, lesser, greater, lesser]
        assert sensitivity_score(truth, guess) == 0.5
        assert specificity_score(truth, guess) == 1.0

    def test_rarity_is_counted_in_the_truth_not_in_the_prediction(self):
        # 1 is rarer in truth, 0 in prediction.
        truth, guess = [0, 0, 0, 1, 1], [0, 1, 1, 1, 1]
        assert sensitivity_score(truth, guess) == 1.0
        assert specificity_score(truth, guess) == pytest.approx(1 / 3)

    def test_perfect_and_useless(self):
        assert g_mean_score(ATTACKS, ATTACKS) == 1.0
        assert g_mean_score(ATTACKS, ["normal"] * 14) == 0.0

    def test_result_is_a_plain_float(self):
        for score in (sensitivity_score, specificity_score, g_mean_score):
            assert type(score(ATTACKS, GUESSES)) is float

    @pytest.mark.parametrize(
        "container",
        [
            list,
            tuple,
            np.array,
            pd.Series,
            pl.Series,
            pd.Categorical,
            lambda v: np.array(v, dtype=object),
            lambda v: pd.DataFrame({"y": v}),
            lambda v: np.array(v, dtype=np.dtypes.StringDType()),
        ],
    )
    def test_containers(self, container):
        assert g_mean_score(container(ATTACKS), container(GUESSES)) == pytest.approx(
            np.sqrt(0.75 * 0.8)
        )


class TestManyClasses:
    def test_g_mean_is_the_geometric_mean_of_recalls(self):
        expected = (0.5 * 0.75 * 0.75) ** (1 / 3)
        assert g_mean_score(THREE_TRUE, THREE_PRED) == pytest.approx(expected)

    def test_one_against_rest(self):
        # b: 3 of 4 found; of the 10 others 3 are called b.
        assert sensitivity_score(THREE_TRUE, THREE_PRED, pos_label="b") == pytest.approx(3 / 4)
        assert specificity_score(THREE_TRUE, THREE_PRED, pos_label="b") == pytest.approx(7 / 10)
        assert g_mean_score(THREE_TRUE, THREE_PRED, pos_label="b") == pytest.approx(
            np.sqrt(3 / 4 * 7 / 10)
        )

    def test_the_rarest_of_three_is_positive(self):
        assert sensitivity_score(THREE_TRUE, THREE_PRED) == pytest.approx(1 / 2)
        assert specificity_score(THREE_TRUE, THREE_PRED) == pytest.approx(12 / 12)

    def test_averages(self):
        sens, spec, rows = [1 / 2, 3 / 4, 3 / 4], [12 / 12, 7 / 10, 5 / 6], [2, 4, 8]
        both = (THREE_TRUE, THREE_PRED)
        assert sensitivity_score(*both, average="macro") == pytest.approx(np.mean(sens))
        assert specificity_score(*both, average="macro") == pytest.approx(np.mean(spec))
        assert sensitivity_score(*both, average="weighted") == pytest.approx(
            np.average(sens, weights=rows)
        )
        assert specificity_score(*both, average="weighted") == pytest.approx(
            np.average(spec, weights=rows)
        )


class TestUndefined:
    def test_no_positive_row(self):
        truth, guess = ["n"] * 4, ["n", "n", "n", "a"]
        # The predicted class has no rows, so it is the rarest.
        assert sensitivity_score(truth, guess) == 0.0
        assert specificity_score(truth, guess) == 0.75
        assert g_mean_score(truth, guess) == 0.0

    def test_one_class_only_is_the_rest(self):
        truth = ["n"] * 3
        assert sensitivity_score(truth, truth) == 0.0
        assert specificity_score(truth, truth) == 1.0
        assert g_mean_score(truth, truth) == 0.0

    def test_pos_label_may_join_a_lone_class(self):
        truth = ["n"] * 3
        assert sensitivity_score(truth, truth, pos_label="a") == 0.0
        assert specificity_score(truth, truth, pos_label="a") == 1.0
        assert g_mean_score(truth, truth, pos_label="a") == 0.0

    def test_no_negative_row(self):
        truth = ["a"] * 3
        assert sensitivity_score(truth, truth, pos_label="a") == 1.0
        assert specificity_score(truth, truth, pos_label="a") == 0.0

    def test_no_negative_row_with_weights_is_not_a_rounding_error(self):
        truth, weights = ["a"] * 7, np.linspace(0.1, 0.7, 7) / 3
        for guess in (["a"] * 7, ["a"] * 5 + ["b"] * 2):
            assert (
                specificity_score(
                    truth, guess, pos_label="a", labels=["a", "b"], sample_weight=weights
                )
                == 0.0
            )

    def test_a_named_class_without_rows(self):
        truth, guess = [0, 0, 1], [0, 0, 1]
        assert g_mean_score(truth, guess) == 1.0
        assert g_mean_score(truth, guess, labels=[0, 1, 2]) == 0.0
        assert sensitivity_score(truth, guess, labels=[0, 1, 2], pos_label=2) == 0.0
        assert sensitivity_score(truth, guess, labels=[0, 1, 2], average="macro") == pytest.approx(
            2 / 3
        )


class TestWeights:
    TRUE, PRED, WEIGHT = [0, 0, 0, 1], [0, 1, 0, 1], [1.0, 3.0, 1.0, 2.0]

    def test_by_hand(self):
        # Of the weight 5 of class 0, 2 is left alone.
        weighted = {"sample_weight": self.WEIGHT}
        assert specificity_score(self.TRUE, self.PRED, **weighted) == pytest.approx(2 / 5)
        assert sensitivity_score(self.TRUE, self.PRED, **weighted) == 1.0
        assert g_mean_score(self.TRUE, self.PRED, **weighted) == pytest.approx(np.sqrt(2 / 5))

    def test_zero_weight_is_no_row(self):
        weight = [1, 1, 0, 1]
        kept = ([0, 0, 1], [0, 1, 1])
        for score in (sensitivity_score, specificity_score, g_mean_score):
            assert score(self.TRUE, self.PRED, sample_weight=weight) == score(*kept)

    def test_a_class_of_zero_weight_is_no_class(self):
        truth, guess = [0, 0, 1, 2], [0, 0, 1, 1]
        assert g_mean_score(truth, guess, sample_weight=[1, 1, 1, 0]) == 1.0
        assert g_mean_score(truth, guess, sample_weight=[1, 1, 1, 1]) == 0.0


LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)


# No deadline: the first call of a library is slow, and no test measures time.
few = settings(deadline=None, max_examples=40)


class TestProperties:
    @few
    @given(LABELS, st.randoms(use_true_random=False))
    def test_the_order_of_rows_does_not_matter(self, pairs, random):
        shuffled = list(pairs)
        random.shuffle(shuffled)
        for score in (sensitivity_score, specificity_score, g_mean_score):
            assert score(*zip(*pairs, strict=True)) == pytest.approx(
                score(*zip(*shuffled, strict=True))
            )

    @few
    @given(LABELS)
    def test_names_of_classes_do_not_matter(self, pairs):
        truth, guess = (np.array(side) for side in zip(*pairs, strict=True))
        names = np.array(["d", "e", "f", "g"])
        for score in (sensitivity_score, specificity_score, g_mean_score):
            assert score(truth, guess) == score(names[truth], names[guess])

    @few
    @given(LABELS)
    def test_integer_weights_repeat_rows(self, pairs):
        truth, guess = (np.array(side) for side in zip(*pairs, strict=True))
        repeats = np.arange(len(truth)) % 3 + 1
        many_true, many_pred = np.repeat(truth, repeats), np.repeat(guess, repeats)
        for label in np.unique([truth, guess]):
            options = {"pos_label": label, "labels": [0, 1, 2, 3]}
            for score in (sensitivity_score, specificity_score, g_mean_score):
                assert score(truth, guess, sample_weight=repeats, **options) == pytest.approx(
                    score(many_true, many_pred, **options), abs=1e-7
                )
        assert g_mean_score(truth, guess, sample_weight=repeats) == pytest.approx(
            g_mean_score(many_true, many_pred)
        )

    @few
    @given(hnp.arrays(np.int64, (2, 12), elements=st.integers(0, 2)))
    def test_same_as_imbalanced_learn_where_it_is_defined(self, both):
        # The last three rows give each class a row.
        truth, guess = np.r_[both[0], 0, 1, 2], np.r_[both[1], 0, 1, 2]
        assert g_mean_score(truth, guess) == pytest.approx(
            imblearn_metrics.geometric_mean_score(truth, guess)
        )
        for average in ("macro", "weighted"):
            assert sensitivity_score(truth, guess, average=average) == pytest.approx(
                imblearn_metrics.sensitivity_score(truth, guess, average=average)
            )
            assert specificity_score(truth, guess, average=average) == pytest.approx(
                imblearn_metrics.specificity_score(truth, guess, average=average)
            )
