"""The report: every number by hand, the layout as text."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, balanced_accuracy_score, roc_auc_score

from rarebit.metrics import g_mean_score, prbep_score, rare_report

TRUE = ["attack"] * 4 + ["normal"] * 10
PRED = ["attack"] * 3 + ["normal"] + ["attack"] * 2 + ["normal"] * 8
SCORE = [0.9, 0.8, 0.7, 0.2, 0.75, 0.6, *np.linspace(0.0, 0.15, 8)]


@pytest.fixture(autouse=True)
def _warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_counts_and_rates_of_each_class():
    report = rare_report(TRUE, PRED, output="dict")
    assert list(report["classes"]) == ["attack", "normal"]
    assert report["classes"]["attack"] == pytest.approx(
        {
            "support": 4,
            "predicted": 5,
            "tp": 3,
            "fp": 2,
            "fn": 1,
            "tn": 8,
            "sensitivity": 0.75,
            "specificity": 0.8,
            "precision": 0.6,
        }
    )
    assert report["classes"]["normal"] == pytest.approx(
        {
            "support": 10,
            "predicted": 9,
            "tp": 8,
            "fp": 1,
            "fn": 2,
            "tn": 3,
            "sensitivity": 0.8,
            "specificity": 0.75,
            "precision": 8 / 9,
        }
    )


def test_summary():
    report = rare_report(TRUE, PRED, output="dict")
    assert report["n_rows"] == 14
    assert report["minority_class"] == report["positive_class"] == "attack"
    assert report["g_mean"] == pytest.approx(np.sqrt(0.6))
    assert report["balanced_accuracy"] == pytest.approx(0.775)
    assert report["accuracy"] == pytest.approx(11 / 14)
    assert report["notes"] == []
    assert not {"prbep", "roc_auc", "average_precision"} & set(report)


def test_scores_favour_the_rare_class_and_are_not_turned_round():
    report = rare_report(TRUE, PRED, SCORE, output="dict")
    attack = np.array(TRUE) == "attack"
    # The top four are three attacks and one normal row.
    assert report["prbep"] == pytest.approx(0.75)
    assert report["roc_auc"] == pytest.approx(roc_auc_score(attack, SCORE))
    assert report["roc_auc"] > 0.9
    assert report["average_precision"] == pytest.approx(average_precision_score(attack, SCORE))


def test_pos_label_moves_the_scores_to_another_class():
    report = rare_report(TRUE, PRED, -np.array(SCORE), pos_label="normal", output="dict")
    assert report["minority_class"] == "attack"
    assert report["positive_class"] == "normal"
    assert report["prbep"] == prbep_score(TRUE, -np.array(SCORE), pos_label="normal")
    assert report["roc_auc"] > 0.9


def test_an_inverted_score_is_noted():
    notes = rare_report(TRUE, PRED, -np.array(SCORE), output="dict")["notes"]
    assert len(notes) == 1
    assert "the scores rank 'attack' below the other rows" in notes[0]
    assert "minority_score" not in notes[0]


def test_text():
    assert rare_report(TRUE, PRED, SCORE, digits=3).splitlines() == [
        "Rare class: 'attack' (4 of 14 rows, 28.57 %)",
        "",
        "class     support  predicted  TP  FP  FN  TN  sensitivity  specificity  precision",
        "'attack'        4          5   3   2   1   8        0.750        0.800      0.600",
        "'normal'       10          9   8   1   2   3        0.800        0.750      0.889",
        "",
        "g-mean             0.775",
        "balanced accuracy  0.775",
        "accuracy           0.786",
        "PRBEP              0.750",
        "ROC AUC            0.925",
        "average precision  0.854",
    ]


def test_text_names_both_classes_when_they_differ():
    first = rare_report(TRUE, PRED, pos_label="normal").splitlines()[0]
    assert first == "Rare class: 'attack' (4 of 14 rows, 28.57 %); positive class: 'normal'"


def test_one_row_in_many_does_not_print_as_zero_percent():
    truth = np.r_[1, np.zeros(99_999, dtype=int)]
    assert "(1 of 100000 rows, 0.001 %)" in rare_report(truth, truth)


def test_digits_round_the_text_only():
    assert "\naccuracy           0.79\n" in rare_report(TRUE, PRED, digits=2) + "\n"
    assert rare_report(TRUE, PRED, output="dict", digits=0)["accuracy"] == 11 / 14


def test_three_classes():
    truth = [0] * 6 + [1] * 4 + [2] * 2
    guess = [0] * 5 + [1] + [1] * 3 + [0] + [2, 0]
    score = np.r_[np.zeros(10), 1.0, 0.0]
    report = rare_report(truth, guess, score, output="dict")
    assert report["minority_class"] == 2
    assert [row["tp"] for row in report["classes"].values()] == [5, 3, 1]
    assert [row["fp"] for row in report["classes"].values()] == [2, 1, 0]
    assert [row["fn"] for row in report["classes"].values()] == [1, 1, 1]
    assert [row["tn"] for row in report["classes"].values()] == [4, 7, 10]
    assert report["g_mean"] == pytest.approx(g_mean_score(truth, guess))
    assert report["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(truth, guess))
    # One place left for eleven tied rows, one of them positive.
    assert report["prbep"] == pytest.approx((1 + 1 / 11) / 2)


def test_labels_order_the_table_and_keep_empty_classes():
    report = rare_report([0, 0, 1], [0, 0, 1], labels=[2, 1, 0], output="dict")
    assert list(report["classes"]) == [2, 1, 0]
    assert report["minority_class"] == 2
    assert report["g_mean"] == 0.0
    assert report["balanced_accuracy"] == 1.0
    assert report["notes"] == [
        "2 has no rows: its sensitivity and the g-mean are 0 by definition.",
        "2 is never predicted: its precision is 0 by definition.",
    ]


def test_one_class_only():
    report = rare_report(["n", "n"], ["n", "n"], [0.1, 0.2], output="dict")
    assert report["minority_class"] is None
    assert report["positive_class"] is None
    assert (report["prbep"], report["roc_auc"], report["average_precision"]) == (0.0, 0.5, 0.0)
    assert report["accuracy"] == 1.0
    text = rare_report(["n", "n"], ["n", "n"], [0.1, 0.2])
    assert text.startswith("Rare class: none; all 2 rows are true and predicted 'n'\n")
    assert "Note: No row is positive: PRBEP and average precision are 0" in text


def test_only_positive_rows():
    report = rare_report(["a", "a"], ["a", "n"], [0.1, 0.2], pos_label="a", output="dict")
    assert (report["prbep"], report["roc_auc"], report["average_precision"]) == (1.0, 0.5, 1.0)
    assert report["classes"]["a"]["specificity"] == 0.0
    assert "Every row is positive: ROC AUC is 0.5 by definition." in report["notes"]
    assert any(note.startswith("'a' has all rows") for note in report["notes"])


def test_never_predicted():
    report = rare_report([0, 0, 1], [0, 0, 0], output="dict")
    assert report["classes"][1]["precision"] == 0.0
    assert report["notes"] == ["1 is never predicted: its precision is 0 by definition."]


@pytest.mark.parametrize("kind", [int, float, bool, str])
def test_the_dictionary_holds_plain_python_values(kind):
    truth = np.array([0, 0, 1]).astype(kind)
    report = rare_report(truth, truth, [0.1, 0.2, 0.3], output="dict")
    assert json.loads(json.dumps(report))["g_mean"] == 1.0
    assert {type(label) for label in report["classes"]} == {kind}


def test_counts_are_whole_where_no_row_is_right() -> None:
    report = rare_report(["a", "b"], ["c", "c"], labels=["a", "b", "c"], output="dict")
    counts = [row[key] for row in report["classes"].values() for key in ("support", "tp", "tn")]
    assert {type(each) for each in counts} == {int}
