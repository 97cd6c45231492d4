"""Estimators, pipelines and searches of one's own in model files."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from rarebit import BaggedSVC, BorderLearner, BorderSVC, Hunt, KernelSVC, OnlineSVC
from rarebit.metrics import (
    g_mean_score,
    g_mean_scorer,
    minority_auc_scorer,
    prbep_scorer,
    sensitivity_scorer,
    specificity_scorer,
)
from rarebit.models import ModelError, load_model, model_card, read_manifest, save_model
from rarebit.tables import TableEncoder


@pytest.fixture(scope="module")
def rows() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    y = np.where(rng.random(300) < 0.1, "rare", "usual")
    return rng.normal(size=(300, 3)) + 2.0 * (y == "rare")[:, None], y


@pytest.mark.parametrize(
    "estimator",
    [
        KernelSVC(class_weight="balanced"),
        BaggedSVC(n_estimators=5, random_state=0),
        BorderSVC(random_state=0),
        OnlineSVC(random_state=0),
        make_pipeline(StandardScaler(), KernelSVC(kernel="linear")),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_it_comes_back_as_it_was(tmp_path: Path, rows: Any, estimator: Any) -> None:
    X, y = rows
    fitted = clone(estimator).fit(X, y)
    save_model(fitted, tmp_path / "own.rarebit")
    again = load_model(tmp_path / "own.rarebit")
    assert type(again) is type(fitted)
    np.testing.assert_array_equal(again.decision_function(X), fitted.decision_function(X))


def test_a_pipeline_with_an_encoder_of_tables(tmp_path: Path, rows: Any) -> None:
    X, y = rows
    frame = pl.DataFrame(
        {"a": X[:, 0], "b": np.where(X[:, 1] > 1, "u", "v"), "day": ["2024-01-31"] * 300}
    )
    own = make_pipeline(TableEncoder(), KernelSVC()).fit(frame, y)
    save_model(own, tmp_path / "own.rarebit")
    again = load_model(tmp_path / "own.rarebit")
    np.testing.assert_array_equal(again.predict(frame), own.predict(frame))
    np.testing.assert_array_equal(again.predict(frame.to_pandas()), own.predict(frame))


def test_columns_transformed_apart_and_searched(tmp_path: Path, rows: Any) -> None:
    X, y = rows
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": np.where(X[:, 2] > 0, "u", "v")})
    frame = frame.to_pandas()
    frame.loc[::50, "a"] = np.nan
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    columns = make_column_transformer((numbers, ["a", "b"]), (OneHotEncoder(), ["c"]))
    pipeline = make_pipeline(columns, KernelSVC(class_weight="balanced"))
    search = GridSearchCV(pipeline, {"kernelsvc__C": [1.0, 10.0]}, cv=2).fit(frame, y)
    save_model(search, tmp_path / "own.rarebit")
    again = load_model(tmp_path / "own.rarebit")
    np.testing.assert_array_equal(again.predict(frame), search.predict(frame))
    assert again.best_params_ == search.best_params_


def test_types_that_nobody_vouches_for_are_named(tmp_path: Path, rows: Any) -> None:
    X, y = rows
    search = GridSearchCV(RandomForestClassifier(3, random_state=0), {"max_depth": [2, 3]}, cv=2)
    file = tmp_path / "search.rarebit"
    with pytest.warns(UserWarning, match=r"GridSearchCV holds types .*sklearn\.tree\._tree\.Tree"):
        save_model(search.fit(X, y), file)
    with pytest.raises(
        ModelError, match=r"search\.rarebit holds types .*sklearn\.tree\._tree\.Tree"
    ):
        load_model(file)
    needed = read_manifest(file)["types_to_trust"]
    assert "sklearn.tree._tree.Tree" in needed
    again = load_model(file, trusted=needed)
    np.testing.assert_array_equal(again.predict(X), search.predict(X))


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(3, random_state=0),
        HistGradientBoostingClassifier(max_iter=3, random_state=0),
        CalibratedClassifierCV(BaggedSVC(n_estimators=3, random_state=0), cv=2),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_the_call_in_the_warning_loads_it(tmp_path: Path, rows: Any, estimator: Any) -> None:
    X, y = rows
    fitted = clone(estimator).fit(X, y)
    file = tmp_path / "own.rarebit"
    with pytest.warns(UserWarning, match="builds only if they are named") as told:
        save_model(fitted, file)
    call = str(told[0].message).partition("load it with ")[2].rstrip(".")
    again = eval(call, {"load_model": load_model})
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))


def test_what_cannot_be_saved(tmp_path: Path, rows: Any) -> None:
    X, y = rows
    with pytest.raises(NotFittedError):
        save_model(KernelSVC(), tmp_path / "own.rarebit")
    with pytest.raises(ModelError, match="got dict"):
        save_model({"C": 1}, tmp_path / "own.rarebit")
    nameless = make_pipeline(FunctionTransformer(lambda rows: rows), KernelSVC()).fit(X, y)
    with pytest.raises(ModelError, match=r"Pipeline holds something .* lambda"):
        save_model(nameless, tmp_path / "own.rarebit")
    assert not list(tmp_path.iterdir())


def test_a_changed_byte_is_noticed(tmp_path: Path, rows: Any) -> None:
    X, y = rows
    file = tmp_path / "own.rarebit"
    save_model(KernelSVC().fit(X, y), file)
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members["manifest.json"]) | {"type": "another"}
    members["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.raises(ModelError, match="damaged"):
        load_model(file)


def test_commands_say_that_it_reads_features(tmp_path: Path, rows: Any, capfd: Any) -> None:
    from rarebit.cli import ExitCode, main

    X, y = rows
    file, data = tmp_path / "own.rarebit", tmp_path / "rows.csv"
    save_model(KernelSVC().fit(X, y), file)
    pl.DataFrame(X).write_csv(data)
    assert main(["predict", str(file), str(data)]) == ExitCode.INPUT
    assert "holds an estimator of your own (KernelSVC)" in capfd.readouterr().err
    assert main(["card", str(file)]) == ExitCode.OK
    assert "KernelSVC" in capfd.readouterr().out
    assert "rare, usual" in model_card(read_manifest(file))


def test_a_search_over_sparse_features_with_our_scorers(tmp_path: Path, rows: Any) -> None:
    X, y = rows
    said = np.where(y == "rare", "cash was lost abroad today", "the roof leaks again today")
    notes = [f"{each} number {i % 17}" for i, each in enumerate(said)]
    frame = pl.DataFrame({"a": X[:, 0], "note": notes})
    for scorer in (
        g_mean_scorer,
        minority_auc_scorer,
        prbep_scorer,
        sensitivity_scorer,
        specificity_scorer,
    ):
        pipeline = make_pipeline(TableEncoder(), KernelSVC())
        own = GridSearchCV(pipeline, {"kernelsvc__C": [1.0, 2.0]}, scoring=scorer, cv=2)
        own.fit(frame.to_pandas(), y)
        save_model(own, tmp_path / "own.rarebit")
        again = load_model(tmp_path / "own.rarebit")
        np.testing.assert_array_equal(again.predict(frame), own.predict(frame))
        assert again.score(frame, y) == own.score(frame, y)


def test_only_what_metrics_themselves_define_is_trusted() -> None:
    # A module's imports, the file system among them, would be reachable under its name.
    from rarebit.models._estimator import _is_harmless

    assert _is_harmless(f"{g_mean_score.__module__}.g_mean_score")
    assert not _is_harmless(f"{g_mean_score.__module__}.np")
    assert not _is_harmless(f"{g_mean_score.__module__}.nothing")
    assert not _is_harmless("rarebit.metrics.nothing.load")
    assert not _is_harmless("rarebit.metrics_of_others.load")


def test_one_trusted_type_may_be_given_alone(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    forest = RandomForestClassifier(3, random_state=0).fit(X, X[:, 0] > 1.0)
    with pytest.warns(UserWarning, match="holds types") as told:
        save_model(forest, tmp_path / "m.rarebit")
    (needed,) = read_manifest(tmp_path / "m.rarebit")["types_to_trust"]
    assert repr([needed]) in str(told[0].message)
    again = load_model(tmp_path / "m.rarebit", trusted=needed)
    assert (again.predict(X) == forest.predict(X)).all()


@pytest.mark.parametrize("asker", [Hunt, BorderLearner])
def test_what_asks_for_labels_is_no_model(asker: type[Any], tmp_path: Path) -> None:
    said = rf"A model must be .*, got {asker.__name__}: save its classifier_\."
    with pytest.raises(ModelError, match=said):
        save_model(asker(), tmp_path / "m.rarebit")
