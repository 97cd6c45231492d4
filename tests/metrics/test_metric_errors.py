"""Every refusal says what is wrong, what is allowed, what was given and what to do next."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rarebit.metrics import (
    g_mean_score,
    prbep_score,
    rare_report,
    sensitivity_score,
    specificity_score,
)

OF_LABELS = [g_mean_score, sensitivity_score, specificity_score, rare_report]


def _is_complete(message: str, got: str) -> bool:
    """One sentence with the four parts."""
    return (
        ("allowed" in message or "needed" in message)
        and f"got {got}" in message
        and ";" in message
        and message.endswith(".")
        and "\n" not in message
    )


@pytest.mark.parametrize("score", OF_LABELS)
@pytest.mark.parametrize(
    ("error", "truth", "guess", "what", "got"),
    [
        (ValueError, [0, 1], [0], "differ in length", "2 and 1"),
        (ValueError, [], [], "y_true is empty", "0"),
        (ValueError, [[0, 1]], [0], "y_true must be one column", "shape (1, 2)"),
        (ValueError, [0, 1], [0.0, np.nan], "y_pred has missing", "nan at row 1"),
        (ValueError, [np.inf, 1], [0, 1], "y_true has missing", "inf at row 0"),
        (ValueError, [0, 1], [0.2, 1.0], "y_pred must hold class labels", "numbers such as 0.2"),
        (TypeError, ["a", None], ["a", "a"], "mixes types", "['NoneType', 'str']"),
        (
            TypeError,
            pd.Series(["a", pd.NA], dtype="string"),
            ["a", "a"],
            "mixes",
            "['NAType', 'str']",
        ),
        (TypeError, ["a", "b"], [0, 1], "different kinds", "['a', 'b'] and [0, 1]"),
        (TypeError, [b"a", b"b"], [b"a", b"b"], "unknown type", "dtype |S1"),
    ],
)
def test_bad_labels(score, error, truth, guess, what, got):
    with pytest.raises(error, match=what) as caught:
        score(truth, guess)
    assert _is_complete(str(caught.value), got), caught.value


@pytest.mark.parametrize("score", OF_LABELS)
@pytest.mark.parametrize(
    ("error", "options", "what", "got"),
    [
        (ValueError, {"pos_label": "atack"}, "pos_label is not a class", "'atack'"),
        (ValueError, {"pos_label": "c", "labels": ["a", "b"]}, "pos_label is not", "'c'"),
        (TypeError, {"pos_label": 1}, "different kinds", "[1] and ['a', 'b']"),
        (TypeError, {"pos_label": ["a"]}, "pos_label must be one class label", "['a']"),
        (ValueError, {"labels": ["a"]}, "labels must name every class once", "['a']"),
        (ValueError, {"labels": ["a", "b", "a"]}, "labels must name", "['a', 'b', 'a']"),
        (TypeError, {"labels": [1, 2]}, "different kinds", "[1, 2] and ['a', 'b']"),
    ],
)
def test_bad_classes(score, error, options, what, got):
    with pytest.raises(error, match=what) as caught:
        score(["a", "b", "b"], ["a", "b", "a"], **options)
    assert _is_complete(str(caught.value), got), caught.value


def test_a_lone_class_is_not_joined_when_all_classes_are_named():
    with pytest.raises(ValueError, match="pos_label is not a class"):
        sensitivity_score(["n", "n"], ["n", "n"], labels=["n"], pos_label="a")


@pytest.mark.parametrize("score", OF_LABELS[:3])
@pytest.mark.parametrize(
    ("weights", "what", "got"),
    [
        ([1, 1], "sample_weight has the wrong length", "2"),
        ([1, -1, 1], "negative weights", "[1.0, -1.0, 1.0]"),
        ([0, 0, 0], "zeros only", "[0.0, 0.0, 0.0]"),
        ([1, np.nan, 1], "sample_weight has NaN", "1 such value"),
    ],
)
def test_bad_weights(score, weights, what, got):
    with pytest.raises(ValueError, match=what) as caught:
        score([0, 1, 1], [0, 1, 0], sample_weight=weights)
    assert _is_complete(str(caught.value), got), caught.value


@pytest.mark.parametrize("score", [sensitivity_score, specificity_score])
def test_bad_average(score):
    with pytest.raises(ValueError, match="average is unknown") as caught:
        score([0, 1], [0, 1], average="micro")
    assert _is_complete(str(caught.value), "'micro'")
    with pytest.raises(ValueError, match="pos_label has no meaning") as caught:
        score([0, 1], [0, 1], average="macro", pos_label=1)
    assert _is_complete(str(caught.value), "1")


@pytest.mark.parametrize(
    ("error", "scores", "what", "got"),
    [
        (ValueError, [0.1, np.nan], "NaN or infinities", "1 such value(s), the first nan at row 1"),
        (ValueError, [np.inf, 0.1], "NaN or infinities", "1 such value(s), the first inf at row 0"),
        (ValueError, [-np.inf, 0.1], "NaN or inf", "1 such value(s), the first -inf at row 0"),
        (ValueError, [None, 0.1], "NaN or infinities", "1 such value(s), the first nan at row 0"),
        (ValueError, [0.1], "differ in length", "2 and 1"),
        (ValueError, [], "y_score is empty", "0"),
        (ValueError, [[0.1, 0.9], [0.9, 0.1]], "y_score must favour one class", "shape (2, 2)"),
        (TypeError, ["high", "low"], "y_score must be numbers", "dtype <U4"),
        (TypeError, np.array([1j, 2j]), "y_score must be numbers", "dtype complex128"),
        (TypeError, [{}, 1.0], "y_score must be numbers", "[{}, 1.0]"),
    ],
)
def test_bad_scores(error, scores, what, got):
    for call in (
        lambda: prbep_score([0, 1], scores),
        lambda: rare_report([0, 1], [0, 1], scores),
    ):
        with pytest.raises(error, match=what) as caught:
            call()
        assert _is_complete(str(caught.value), got), caught.value


@pytest.mark.parametrize(
    "truth", [["attack", "normal"], ["0", "1"], [1, 2], [-1, 0], [0, 2], [-1, 0, 1], [2]]
)
def test_prbep_needs_pos_label(truth):
    with pytest.raises(ValueError, match="The positive class is not clear") as caught:
        prbep_score(truth, np.arange(len(truth)))
    assert _is_complete(str(caught.value), f"labels {sorted(truth)}"), caught.value
    assert "{0, 1} and {-1, 1}" in str(caught.value)


def test_prbep_refuses_a_misspelt_pos_label():
    with pytest.raises(ValueError, match="pos_label is not a class"):
        prbep_score(["attack", "normal"], [1, 0], pos_label="atack")


@pytest.mark.parametrize(
    ("error", "options"),
    [
        (ValueError, {"output": "html"}),
        (ValueError, {"output": None}),
        (ValueError, {"digits": -1}),
        (ValueError, {"digits": 16}),
        (TypeError, {"digits": 2.5}),
        (TypeError, {"digits": True}),
    ],
)
def test_bad_report_options(error, options):
    with pytest.raises(error, match=f"{next(iter(options))} (is|must)") as caught:
        rare_report([0, 1], [0, 1], **options)
    assert _is_complete(str(caught.value), repr(next(iter(options.values()))))


def test_long_lists_are_cut():
    with pytest.raises(ValueError, match=r"\[0, 1, 2, 3, 4, 5, \.\.\. 14 more\]"):
        prbep_score(np.arange(20), np.arange(20))
