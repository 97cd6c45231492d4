"""The scorers inside scikit-learn's tools, with the rare class sorting first and last."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest
import sklearn
from imblearn.pipeline import make_pipeline as make_imblearn_pipeline
from imblearn.under_sampling import RandomUnderSampler
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_blobs
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from rarebit.metrics import (
    g_mean_score,
    g_mean_scorer,
    minority_auc_scorer,
    prbep_score,
    prbep_scorer,
    sensitivity_score,
    sensitivity_scorer,
    specificity_score,
    specificity_scorer,
)

OF_LABELS = [
    (g_mean_scorer, g_mean_score),
    (sensitivity_scorer, sensitivity_score),
    (specificity_scorer, specificity_score),
]
OF_RANKS = [prbep_scorer, minority_auc_scorer]
ALL = [scorer for scorer, _ in OF_LABELS] + OF_RANKS


@pytest.fixture(scope="module")
def blobs():
    """Rows of two classes that overlap a little, and whether a row is rare."""
    X, y = make_blobs([270, 30], centers=[[0, 0], [2.2, 2.2]], random_state=0)
    return X, y == 1


def _named(rare, first):
    """Call the rare class so that it sorts first or last."""
    return np.where(rare, "attack" if first else "zero-day", "normal")


class Stub(ClassifierMixin, BaseEstimator):
    """Predicts the label in column 0, ranks by column 1; knows its rare class when told."""

    def __init__(self, classes, minority=None):
        self.classes = classes
        self.minority = minority

    def fit(self, X, y):
        self.classes_ = np.array(self.classes)
        if self.minority is not None:
            self.minority_class_ = self.minority
        return self

    def predict(self, X):
        return self.classes_[np.asarray(X)[:, 0].astype(int)]

    def decision_function(self, X):
        return np.asarray(X, dtype=float)[:, 1]


class OwnScore(Stub):
    """Also has a score of its own, unlike its decision function."""

    def minority_score(self, X):
        return np.asarray(X)[:, 2]


@pytest.mark.parametrize("first", [True, False])
class TestAnyClassifier:
    @pytest.mark.parametrize(
        "model",
        [
            LogisticRegression(),
            SVC(),
            GaussianNB(),
            KNeighborsClassifier(),
            RandomForestClassifier(10, random_state=0),
            Perceptron(),
            make_pipeline(StandardScaler(), LogisticRegression()),
            make_imblearn_pipeline(RandomUnderSampler(random_state=0), LogisticRegression()),
            GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=2),
            CalibratedClassifierCV(SVC(), cv=2),
            TunedThresholdClassifierCV(LogisticRegression(), cv=2),
        ],
        ids=lambda model: type(model).__name__,
    )
    def test_same_as_by_hand(self, blobs, first, model):
        X, rare = blobs
        y = _named(rare, first)
        model = clone(model).fit(X, y)
        column = int(np.flatnonzero(model.classes_ != "normal")[0])
        label = model.classes_[column]
        if hasattr(model, "decision_function"):
            score = model.decision_function(X) * (1 if column == 1 else -1)
        else:
            score = model.predict_proba(X)[:, column]
        for scorer, function in OF_LABELS:
            expected = function(y, model.predict(X), pos_label=label)
            assert scorer(model, X, y) == pytest.approx(expected)
        assert prbep_scorer(model, X, y) == prbep_score(y, score, pos_label=label)
        assert minority_auc_scorer(model, X, y) == pytest.approx(roc_auc_score(rare, score))
        # Not inverted: these blobs are easy to rank.
        assert minority_auc_scorer(model, X, y) > 0.8

    def test_cross_val_score(self, blobs, first):
        X, rare = blobs
        y = _named(rare, first)
        for scorer in ALL:
            scores = cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=3)
            assert scores.shape == (3,)
            # An inverted score would be far below: the PRBEP of a coin is 0.1 here.
            assert 0.5 < scores.mean() <= 1.0

    def test_grid_search_finds_what_the_score_wants(self, blobs, first):
        X, rare = blobs
        y = _named(rare, first)
        heavy = {"normal": 1, _named(np.array([True]), first)[0]: 1000}
        grid = {"class_weight": [None, heavy]}
        best = {}
        for scorer in (sensitivity_scorer, specificity_scorer):
            search = GridSearchCV(LogisticRegression(), grid, scoring=scorer, cv=3).fit(X, y)
            best[scorer] = search.best_params_["class_weight"]
        assert best == {sensitivity_scorer: heavy, specificity_scorer: None}

    def test_threshold_tuning_beats_the_default_threshold(self, blobs, first):
        X, rare = blobs
        y = _named(rare, first)
        plain = LogisticRegression().fit(X, y)
        tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=g_mean_scorer, cv=3)
        tuned.fit(X, y)
        assert tuned.best_score_ > 0.8
        assert g_mean_scorer(tuned, X, y) > g_mean_scorer(plain, X, y)

    def test_threshold_tuning_of_one_class_goes_to_its_end(self, blobs, first):
        X, rare = blobs
        y = _named(rare, first)
        for scorer, function in OF_LABELS[1:]:
            tuned = TunedThresholdClassifierCV(
                LogisticRegression(), scoring=scorer, cv=2, thresholds=20
            )
            assert function(y, tuned.fit(X, y).predict(X)) == pytest.approx(1.0)

    def test_the_functions_work_in_make_scorer_with_a_fixed_class(self, blobs, first):
        X, rare = blobs
        y = _named(rare, first)
        label = _named(np.array([True]), first)[0]
        tuned = TunedThresholdClassifierCV(
            LogisticRegression(), scoring=make_scorer(g_mean_score, pos_label=label), cv=3
        )
        assert g_mean_score(y, tuned.fit(X, y).predict(X)) > 0.8

    @pytest.mark.parametrize("scorer", OF_RANKS, ids=repr)
    def test_rankings_are_refused_in_threshold_tuning(self, blobs, first, scorer):
        X, rare = blobs
        tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer, cv=3)
        with pytest.raises(ValueError, match=r"same at every threshold.*use g_mean_scorer"):
            tuned.fit(X, _named(rare, first))


class TestWhatTheEstimatorKnows:
    # Column 0 predicts classes_[0], [0], [1], [1]; column 1 favours classes_[1].
    X = np.array([[0, -3, 5], [0, -2, 9], [1, 1, 1], [1, 2, 0]])

    def test_its_minority_class_beats_the_rarest_of_y(self):
        y = np.array(["a", "b", "a", "a"])
        told = Stub(["a", "b"], "a").fit(self.X, y)
        untold = Stub(["a", "b"]).fit(self.X, y)
        assert sensitivity_scorer(told, self.X, y) == pytest.approx(1 / 3)
        assert sensitivity_scorer(untold, self.X, y) == 0.0
        assert specificity_scorer(told, self.X, y) == 0.0
        assert specificity_scorer(untold, self.X, y) == pytest.approx(1 / 3)

    def test_decision_values_are_turned_to_the_minority(self):
        y = np.array(["a", "a", "b", "b"])
        for minority in ("a", "b"):
            told = Stub(["a", "b"], minority).fit(self.X, y)
            assert prbep_scorer(told, self.X, y) == 1.0
            assert minority_auc_scorer(told, self.X, y) == 1.0

    def test_its_own_score_beats_decision_values(self):
        y = np.array(["a", "b", "b", "b"])
        # By column 1 the first row looks most like "a"; by its own score the second does.
        assert prbep_scorer(Stub(["a", "b"], "a").fit(self.X, y), self.X, y) == 1.0
        assert prbep_scorer(OwnScore(["a", "b"], "a").fit(self.X, y), self.X, y) == 0.0

    @pytest.mark.parametrize(
        "wrap",
        [
            lambda stub: make_pipeline("passthrough", stub),
            lambda stub: GridSearchCV(stub, {"minority": ["a"]}, cv=2, scoring=g_mean_scorer),
            lambda stub: CalibratedClassifierCV(stub, cv=2),
            lambda stub: make_pipeline(make_pipeline(stub)),
            lambda stub: TunedThresholdClassifierCV(
                stub, cv=2, scoring=g_mean_scorer, response_method="decision_function"
            ),
        ],
        ids=["pipeline", "search", "calibration", "nested", "threshold"],
    )
    def test_wrappers_are_looked_through(self, wrap):
        X, y = np.tile(self.X, (3, 1)), np.tile(np.array(["a", "a", "b", "b"]), 3)
        model = wrap(Stub(["a", "b"], "a")).fit(X, y)
        fold = np.array(["a", "b", "a", "a"])  # here "b" is rarer
        expected = sensitivity_score(fold, model.predict(self.X), pos_label="a")
        assert expected > 0
        assert sensitivity_scorer(model, self.X, fold) == expected

    def test_the_word_of_an_inner_estimator_with_other_labels_is_ignored(self):
        inner = Stub(["a", "b"], 7)
        model = make_pipeline(inner).fit(self.X, ["a", "a", "b", "b"])
        assert sensitivity_scorer(model, self.X, np.array(["a", "b", "b", "b"])) == 1.0


class TestFolds:
    def test_a_fold_without_rare_rows_scores_the_neutral_value(self, blobs):
        X, rare = blobs
        y = _named(rare, first=True)
        model = LogisticRegression().fit(X, y)
        calm = ~rare & (model.predict(X) == "normal")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            scores = {repr(scorer): scorer(model, X[calm], y[calm]) for scorer in ALL}
        assert scores == {
            "g_mean_scorer": 0.0,
            "sensitivity_scorer": 0.0,
            "specificity_scorer": 1.0,
            "prbep_scorer": 0.0,
            "minority_auc_scorer": 0.5,
        }

    def test_a_model_that_saw_one_class_cannot_rank_the_other(self):
        X, y = np.zeros((4, 1)), np.array(["n", "n", "n", "a"])
        blind = DummyClassifier().fit(X, ["n"] * 4)
        assert sensitivity_scorer(blind, X, y) == 0.0
        assert g_mean_scorer(blind, X, y) == 0.0
        assert prbep_scorer(blind, X, y) == 0.25
        assert minority_auc_scorer(blind, X, y) == 0.5
        assert sensitivity_scorer(blind, X, ["n"] * 4) == 0.0
        assert specificity_scorer(blind, X, ["n"] * 4) == 1.0

    def test_three_classes(self):
        X, y = make_blobs([100, 60, 20], centers=[[0, 0], [4, 0], [2, 2]], random_state=1)
        y = np.array(["common", "less", "a-rare"])[y]
        for model in (LogisticRegression(), SVC(), KNeighborsClassifier()):
            model.fit(X, y)
            guess = model.predict(X)
            assert g_mean_scorer(model, X, y) == g_mean_score(y, guess)
            assert sensitivity_scorer(model, X, y) == sensitivity_score(
                y, guess, pos_label="a-rare"
            )
            scores = (
                model.decision_function(X)
                if hasattr(model, "decision_function")
                else model.predict_proba(X)
            )[:, 0]
            assert minority_auc_scorer(model, X, y) == roc_auc_score(y == "a-rare", scores)
            assert prbep_scorer(model, X, y) == prbep_score(y, scores, pos_label="a-rare")

    def test_a_class_that_the_fold_lacks_is_still_a_class(self):
        X, y = make_blobs([40, 30, 10], centers=[[0, 0], [9, 0], [0, 9]], random_state=1)
        model = GaussianNB().fit(X, y)
        fold = y != 2
        assert set(model.predict(X[fold])) == {0, 1}
        assert g_mean_scorer(model, X, y) == 1.0
        assert g_mean_scorer(model, X[fold], y[fold]) == 0.0
        assert sensitivity_scorer(model, X[fold], y[fold]) == 0.0
        assert specificity_scorer(model, X[fold], y[fold]) == 1.0

    def test_one_vs_one_columns_are_not_taken_for_classes(self):
        # Three classes have three pairs: the shape alone does not give it away.
        X, y = make_blobs([40, 30, 10], random_state=1)
        model = make_pipeline(SVC(decision_function_shape="ovo")).fit(X, y)
        with pytest.raises(TypeError, match="no score of the rare class"):
            minority_auc_scorer(model, X, y)


class TestInsideScikitLearn:
    def test_scorers_of_one_search_predict_once(self, blobs, monkeypatch):
        X, rare = blobs
        calls = []
        predict = LogisticRegression.predict
        monkeypatch.setattr(
            LogisticRegression, "predict", lambda self, X: calls.append(1) or predict(self, X)
        )
        scoring = {repr(scorer): scorer for scorer, _ in OF_LABELS}
        cross_validate(LogisticRegression(), X, rare, scoring=scoring, cv=2)
        assert len(calls) == 2

    @pytest.mark.parametrize("before", [True, False])
    def test_another_scorer_in_the_search_does_not_turn_the_ranking_round(self, blobs, before):
        X, rare = blobs
        y = _named(rare, first=True)
        other = {"other": make_scorer(roc_auc_score, response_method="decision_function")}
        ours = {"auc": minority_auc_scorer, "prbep": prbep_scorer}
        scoring = {**other, **ours} if before else {**ours, **other}
        cv = StratifiedKFold(3)
        together = cross_validate(LogisticRegression(), X, y, scoring=scoring, cv=cv)
        for name, scorer in ours.items():
            alone = cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=cv)
            np.testing.assert_array_equal(together[f"test_{name}"], alone)
            assert alone.min() > 0.5

    @pytest.mark.parametrize("scorer", ALL, ids=repr)
    def test_copies_score_the_same(self, blobs, scorer):
        X, rare = blobs
        y = _named(rare, first=True)
        model = LogisticRegression().fit(X, y)
        expected = scorer(model, X, y)
        for copied in (
            pickle.loads(pickle.dumps(scorer)),
            copy.deepcopy(scorer),
            clone(GridSearchCV(model, {}, scoring=scorer)).scoring,
        ):
            assert copied is not scorer
            assert repr(copied) == repr(scorer)
            assert copied(model, X, y) == expected

    def test_parallel_search(self, blobs):
        X, rare = blobs
        scores = cross_val_score(
            LogisticRegression(), X, rare, scoring=g_mean_scorer, cv=2, n_jobs=2
        )
        assert scores.min() > 0.5

    def test_sample_weight(self, blobs):
        X, rare = blobs
        y = _named(rare, first=True)
        model = LogisticRegression().fit(X, y)
        weights = np.random.default_rng(0).random(len(y))
        for scorer, function in OF_LABELS:
            expected = function(y, model.predict(X), sample_weight=weights)
            assert scorer(model, X, y, sample_weight=weights) == expected
            assert expected != scorer(model, X, y)

    def test_sample_weight_by_routing(self, blobs):
        X, rare = blobs
        weights = np.where(np.arange(len(rare)) % 2, 1.0, 0.0)
        with sklearn.config_context(enable_metadata_routing=True):
            scorer = copy.deepcopy(g_mean_scorer).set_score_request(sample_weight=True)
            model = LogisticRegression().set_fit_request(sample_weight=False)
            routed = cross_val_score(
                model, X, rare, scoring=scorer, cv=2, params={"sample_weight": weights}
            )
        plain = cross_val_score(LogisticRegression(), X, rare, scoring=g_mean_scorer, cv=2)
        assert np.any(routed != plain)

    @pytest.mark.parametrize("scorer", OF_RANKS, ids=repr)
    def test_rankings_take_no_weights(self, blobs, scorer):
        X, rare = blobs
        model = LogisticRegression().fit(X, rare)
        with pytest.raises(TypeError, match=r"no further arguments.*got \['sample_weight'\]"):
            scorer(model, X, rare, sample_weight=np.ones(len(rare)))


class TestRefusals:
    def test_labels_of_another_kind(self, blobs):
        X, rare = blobs
        model = LogisticRegression().fit(X, _named(rare, first=True))
        for scorer in ALL:
            with pytest.raises(TypeError, match="different kinds"):
                scorer(model, X, rare.astype(int))

    def test_an_estimator_without_scores(self):
        class Mute(Stub):
            decision_function = None

            def __getattribute__(self, name):
                if name == "decision_function":
                    raise AttributeError(name)
                return super().__getattribute__(name)

        X, y = TestWhatTheEstimatorKnows.X, np.array(["a", "b", "b", "b"])
        with pytest.raises(TypeError, match="CalibratedClassifierCV"):
            prbep_scorer(Mute(["a", "b"]).fit(X, y), X, y)

    def test_an_estimator_without_classes(self):
        class Nameless(BaseEstimator):
            def predict(self, X):
                return np.array(["b"] * len(X))

        X, y = TestWhatTheEstimatorKnows.X, np.array(["a", "b", "b", "b"])
        assert specificity_scorer(Nameless(), X, y) == 1.0
        with pytest.raises(TypeError, match="a fitted classifier with classes_"):
            prbep_scorer(Nameless(), X, y)

    def test_scores_that_do_not_fit_the_classes(self):
        class Wide(Stub):
            def decision_function(self, X):
                return np.zeros((len(X), 5))

        X, y = TestWhatTheEstimatorKnows.X, np.array(["a", "b", "b", "b"])
        with pytest.raises(ValueError, match="do not fit its classes"):
            prbep_scorer(Wide(["a", "b"]).fit(X, y), X, y)

    def test_scores_that_are_not_finite(self):
        X, y = TestWhatTheEstimatorKnows.X.astype(float), np.array(["a", "b", "b", "b"])
        X[2, 1] = np.nan
        with pytest.raises(ValueError, match="decision_function has NaN"):
            prbep_scorer(Stub(["a", "b"]).fit(X, y), X, y)
