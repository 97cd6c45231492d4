"""compare: the same folds for all, figures that can be recomputed, tables, failures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.stats import wilcoxon
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.tree import DecisionTreeClassifier

from rarebit import KernelSVC, compare
from rarebit.comparison import Comparison, default_methods, sample_keeping_rare
from rarebit.metrics import g_mean_score, prbep_score, sensitivity_score, specificity_score
from rarebit.rivals import list_rivals


def rare_cloud(seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(150) < 30, "rare", "rest")
    return rng.normal(size=(150, 3)) + 1.3 * (y == "rare")[:, None], y


@pytest.fixture(scope="module")
def found() -> Comparison:
    X, y = rare_cloud()
    methods = {
        "plain": LogisticRegression(),
        "balanced": LogisticRegression(class_weight="balanced"),
        "tree": DecisionTreeClassifier(random_state=0),
    }
    return compare(X, y, methods, cv=4)


def test_figures_are_those_of_the_folds(found: Comparison) -> None:
    X, y = rare_cloud()
    row = found.methods.index("balanced")
    folds = StratifiedKFold(4, shuffle=True, random_state=0).split(X, y)
    for fold, (train, test) in enumerate(folds):
        model = LogisticRegression(class_weight="balanced").fit(X[train], y[train])
        predicted, scores = model.predict(X[test]), -model.decision_function(X[test])
        rare = (y[test] == "rare").astype(int)
        want = {
            "g_mean": g_mean_score(y[test], predicted),
            "sensitivity": sensitivity_score(y[test], predicted, pos_label="rare"),
            "specificity": specificity_score(y[test], predicted, pos_label="rare"),
            "accuracy": np.mean(predicted == y[test]),
            "prbep": prbep_score(rare, scores),
            "auc": roc_auc_score(rare, scores),
        }
        for name, value in want.items():
            assert found.figures[name][row, fold] == pytest.approx(value), name
    assert found.minority_class == "rare"
    assert np.all(found.figures["fit_seconds"] > 0.0)


def test_the_best_stands_first_and_ranks_agree(found: Comparison) -> None:
    means = found.figures["g_mean"].mean(axis=1)
    assert np.all(np.diff(means) <= 0.0)
    ranks = found.ranks()
    assert_allclose(sum(ranks.values()), 4 * 1.5)
    by_hand = np.mean([np.sum(fold > fold[0]) + np.sum(fold == fold[0]) / 2 + 0.5
                       for fold in found.figures["g_mean"].T])  # fmt: skip
    assert ranks[found.methods[0]] == pytest.approx(by_hand)


def test_p_values_are_those_of_wilcoxon(found: Comparison) -> None:
    values = found.figures["g_mean"]
    tests = found.p_values()
    assert tests[found.methods[0]] == 1.0
    want = wilcoxon(values[2] - values[0], zero_method="zsplit").pvalue
    assert tests[found.methods[2]] == pytest.approx(want)
    assert found.p_values("fit_seconds").keys() == tests.keys()


def test_table_and_rows(found: Comparison) -> None:
    lines = found.markdown().splitlines()
    assert len(lines) == 5
    assert lines[2].startswith(f"| {found.methods[0]} |")
    assert len({line.count("|") for line in lines}) == 1
    rows = found.rows()
    assert rows[0]["method"] == found.methods[0]
    assert rows[0]["g_mean"] == pytest.approx(found.figures["g_mean"][0].mean())
    assert "3 methods on 4 folds" in repr(found)
    with pytest.raises(ValueError, match="no figure 'f1': choose one of g_mean"):
        found.ranks("f1")


def test_plot(found: Comparison, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    drawing = found.plot(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 1000
    labels = [text.get_text().removesuffix(" *") for text in drawing.axes[0].get_yticklabels()]
    assert labels == found.methods


def test_long_names_do_not_push_the_label_of_the_axis_out_of_the_drawing() -> None:
    pytest.importorskip("matplotlib")
    values = np.array([[0.1 + 0.2, 0.3, 0.3], [0.7, 0.7, np.nan]])
    names = ["the blend", "a balanced bag of forty trees"]
    found = Comparison(names, {"g_mean": values}, "rare")
    drawing = found.plot()
    drawing.set_size_inches(4.6, 2.0)
    drawing.draw_without_rendering()
    box = drawing.get_tightbbox()
    assert 0.0 <= box.x0 <= box.x1 <= 4.6
    assert "(failed in 1 of 3 folds)" in drawing.axes[0].get_yticklabels()[1].get_text()
    assert [row["g_mean_spread"] for row in found.rows()] == [0.0, 0.0]  # not the last digit


def test_matplotlib_is_imported_only_to_draw() -> None:
    code = "import rarebit, sys; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_names_of_default_methods() -> None:
    X, y = rare_cloud()
    names = ["KernelSVC", "BaggedSVC", "AdaCost"]
    result = compare(X, y, names, cv=2)
    assert sorted(result.methods) == sorted(names)
    assert result.failures == {}
    assert set(list_rivals()) < set(default_methods())
    again = compare(X, y, names, cv=2)
    assert_allclose(again.figures["g_mean"], result.figures["g_mean"])


def test_all_default_methods_run() -> None:
    X, y = rare_cloud()
    result = compare(X, y, cv=StratifiedShuffleSplit(1, random_state=0))
    assert len(result.methods) == len(default_methods())
    assert result.failures == {}
    assert not np.isnan(result.figures["g_mean"]).any()


def test_all_default_methods_take_three_classes() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(["ok", "dent", "scratch"], [120, 24, 24])
    X = rng.normal(size=(168, 3)) + 3.0 * np.c_[y == "dent", y == "scratch", y == "ok"]
    result = compare(X, y, cv=StratifiedShuffleSplit(1, random_state=0))
    assert result.failures == {}
    assert "BlendedClassifier" in result.methods
    assert result.figures["g_mean"].min() > 0.3
    assert result.figures["auc"].min() > 0.6


def test_sparse_rows_and_frames() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = rare_cloud()
    names = ["KernelSVC", "SMOTEBoost"]
    sparse = compare(sp.csr_matrix(X), y, names, cv=2)
    assert sparse.failures == {}
    frame = compare(pandas.DataFrame(X, columns=list("abc")), pandas.Series(y), names, cv=2)
    assert_allclose(frame.figures["auc"], compare(X, y, names, cv=2).figures["auc"])


class Broken(ClassifierMixin, BaseEstimator):
    def fit(self, X: Any, y: Any) -> Broken:
        raise RuntimeError("this one cannot")


def test_a_method_that_fails_is_reported_and_the_others_go_on() -> None:
    X, y = rare_cloud()
    result = compare(X, y, {"broken": Broken(), "tree": DecisionTreeClassifier()}, cv=3)
    assert result.methods == ["tree", "broken"]
    assert result.failures == {"broken": "RuntimeError: this one cannot"}
    assert np.isnan(result.figures["g_mean"][1]).all()
    assert "broken failed in 3 of 3 folds: RuntimeError" in str(result)
    assert result.ranks()["tree"] == 1.0
    with pytest.raises(ValueError, match=r"Every method failed.*this one cannot"):
        compare(X, y, {"broken": Broken()}, cv=3)


def test_three_classes_and_other_splitters() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [60, 40, 20])
    X = rng.normal(size=(120, 2)) + 3.0 * y[:, None]
    splitter = StratifiedKFold(3)
    result = compare(X, y, ["KernelSVC", "BaggedSVC"], cv=splitter)
    assert result.minority_class == 2
    assert result.figures["g_mean"].shape == (2, 3)
    assert result.failures == {}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"methods": ["SVM"]}, "methods must name some of 'KernelSVC'.*'?SVM"),
        ({"methods": {}}, "methods is empty"),
        ({"methods": []}, "methods must name some of"),
        ({"cv": 1}, "cv must be a number of folds"),
        ({"cv": "five"}, "cv must be a number of folds"),
        ({"cv": 31}, "at least 31 rows of each.*has 30"),
    ],
)
def test_bad_options(options: dict[str, Any], words: str) -> None:
    X, y = rare_cloud()
    with pytest.raises(ValueError, match=words):
        compare(X, y, **options)


def test_lengths_and_labels_are_checked() -> None:
    X, y = rare_cloud()
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        compare(X, y[:-1])
    with pytest.raises(ValueError, match="missing or infinite labels"):
        compare(X, np.full(150, np.nan))


class FailsSometimes(KernelSVC):
    """Perfect where it works, which is not in every fold."""

    def fit(self, X: Any, y: Any) -> FailsSometimes:
        if 0 in X[:, 0]:
            raise RuntimeError("not this fold")
        super().fit(X, y)
        return self


def test_a_method_that_failed_in_a_fold_is_never_first() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], [80, 20])
    X = rng.normal(size=(100, 2)) + 9.0 * (y == "b")[:, None]
    X[0, 0] = 0  # in the training rows of all folds but one
    noisy = DummyClassifier(strategy="uniform", random_state=0)
    result = compare(X, y, {"partly": FailsSometimes(), "noisy": noisy}, 5)
    assert "partly" in result.failures
    assert result.methods == ["noisy", "partly"]
    assert result.p_values()["noisy"] == 1.0
    assert repr(result).startswith("Comparison of 2 methods on 5 folds, best by g-mean: noisy")
    assert result.failed_folds() == {"noisy": 0, "partly": 4}
    assert [row["failed_folds"] for row in result.rows()] == [0, 4]
    assert "| partly (failed in 4 of 5 folds) |" in result.markdown()
    assert "partly failed in 4 of 5 folds: RuntimeError: not this fold" in str(result)


def test_samples_keep_the_rare_rows() -> None:
    y = np.repeat(["a", "b", "c", "rare"], [90_000, 9_000, 3, 50])
    kept = sample_keeping_rare(y, "rare", 1000)
    names, counts = np.unique(y[kept], return_counts=True)
    assert len(kept) == len(set(kept.tolist())) == 1000
    told = dict(zip(names.tolist(), counts.tolist(), strict=True))
    assert told == {"a": 822, "b": 125, "c": 3, "rare": 50}
    assert np.array_equal(kept, sample_keeping_rare(y, "rare", 1000))
    assert np.sum(y[sample_keeping_rare(y, "rare", 40)] == "rare") == 20
    assert len(sample_keeping_rare(y[-10:], "rare", 40)) == 10


def test_samples_keep_all_small_classes_in_their_order() -> None:
    y = np.repeat(["ok", "fraud", "theft"], [39_800, 160, 40])
    kept = y[sample_keeping_rare(y, "theft", 5000)]
    names, counts = np.unique(kept, return_counts=True)
    assert dict(zip(names.tolist(), counts.tolist(), strict=True)) == {
        "fraud": 160, "ok": 4800, "theft": 40,
    }  # fmt: skip
    common = y[sample_keeping_rare(y, "ok", 5000)]
    assert (len(common), int(np.sum(common != "ok"))) == (5000, 200)
    many = np.repeat(np.arange(300), 7)  # more classes than the half of the rows
    assert len(np.unique(many[sample_keeping_rare(many, 0, 400)])) == 300


def test_the_rare_class_can_be_named() -> None:
    X, y = rare_cloud()
    common = str(max(set(y.tolist()), key=y.tolist().count))
    found = compare(X, y, ["KernelSVC"], 2, pos_label=y[y == common][0])
    assert str(found.minority_class) == common
    assert f"The rare class is {common!r}." in str(found)
    plain = compare(X, y, ["KernelSVC"], 2)
    assert str(plain.minority_class) != common
    assert found.figures["sensitivity"].tolist() == plain.figures["specificity"].tolist()
    with pytest.raises(ValueError, match="pos_label"):
        compare(X, y, ["KernelSVC"], 2, pos_label="nobody")


def test_classes_of_other_rows_are_refused() -> None:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)))
    y = pd.Series(np.arange(60) % 2).sample(frac=1, random_state=0)
    with pytest.raises(ValueError, match=r"in another order.*give target\.loc\[frame\.index\]"):
        compare(frame, y, ["KernelSVC"], cv=2)
    ordered = compare(frame, y.loc[frame.index], ["KernelSVC"], cv=2)
    assert ordered.methods == ["KernelSVC"]


def test_methods_that_need_dense_rows_say_so() -> None:
    X, y = rare_cloud()
    with pytest.raises(ValueError, match=r"needs dense features, and these rows are sparse.*leave"):
        compare(sp.csr_array(X), y, ["gradient boosting"], cv=2)


def test_one_class_is_refused_before_any_method_runs() -> None:
    tried: list[int] = []
    with pytest.raises(ValueError, match="needs rows of two classes, got the class 'a' only"):
        compare(np.eye(12), ["a"] * 12, advance=tried.append)
    assert not tried
