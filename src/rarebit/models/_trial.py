"""Parts of a loaded model that must agree with each other, and a first row that it judges."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse

from rarebit.models._archive import Damaged
from rarebit.models._model import Model
from rarebit.svm import KernelSVC, OnlineSVC
from rarebit.tables import Form, Table, TableEncoder, is_range


def check_model(model: Model) -> None:
    """Refuse a model whose parts do not fit together.

    Widths, classes and parameters are compared, and one made-up row is judged, so that a file that
    is whole but wrong is refused when it is loaded and not when it is used.

    Parameters
    ----------
    model : Model
        As it was loaded.
    """
    if type(model.encoder) is TableEncoder:
        _check_encoder(model.encoder)
        _check_classifier(model.classifier, model.encoder.n_features_, model.manifest)
        _check_namer(model)
        decided, scores = model.judge(_made_up_row(model.encoder))
        if decided.shape != (1,) or scores.shape != (1,):
            raise Damaged("a decision that is not one per row")


def _check_encoder(encoder: TableEncoder) -> None:
    numbers, records = encoder.numbers_, encoder.records_
    names = encoder.number_names_
    n_kept, n_marks = len(numbers.kept_), len(encoder.indicated_)
    for columns in (numbers.kept_, encoder.indicated_):
        if columns.ndim != 1 or (
            len(columns) and not 0 <= columns.min() <= columns.max() < len(names)
        ):
            raise Damaged("columns of numbers that are not there")
    if numbers.scaler_ is not None and numbers.scaler_.n_features_in_ != n_kept:
        raise Damaged("a scaler of other columns")
    for name, kind in records.kinds_.items():
        if kind not in ("category", "letters", "words", "date") or name not in records.parts_:
            raise Damaged(f"no encoder of the column {name!r}")
        vocabulary = getattr(records.parts_[name], "vocabulary", None)
        if kind == "words" and len(set(vocabulary or ())) != len(records.parts_[name].idf_):
            raise Damaged(f"words of the column {name!r} that are there twice, or without weights")
        svd = getattr(records.parts_[name], "tsvd_", None)
        if svd is not None and not np.isfinite(svd.components_).all():
            raise Damaged(f"weights of the column {name!r} that are no numbers")
        found = getattr(records, "ranges_", {}).get(name)
        if found is not None and (
            name not in records.scalers_
            or found.shape != (2, records.scalers_[name].n_features_in_)
            or not (found[0] <= found[1]).all()
        ):
            raise Damaged(f"a range of the column {name!r} that is none")
    if n_kept + n_marks + len(records.feature_names_) != encoder.n_features_:
        raise Damaged("features that were not counted right")
    for name, form in (encoder.forms_ or {}).items():
        if Form.from_json(form).role != encoder.schema_.get(name):
            raise Damaged(f"a form of the column {name!r} that is of another type")
    for name, ends in (encoder.ranges_ or {}).items():
        if not is_range(ends, encoder.schema_.get(name)):
            raise Damaged(f"a range of the column {name!r} that is none")
    if encoder.dtype_ not in ("float32", "float64"):
        raise Damaged(f"features of {encoder.dtype_!r}")


def _check_classifier(classifier: Any, n_features: int, manifest: dict[str, Any]) -> None:
    from rarebit.classifiers import BlendedClassifier

    if isinstance(classifier, BlendedClassifier):
        _check_blend(classifier, n_features, manifest)
        return
    if not isinstance(classifier, _machine_types()):
        return
    _check_machine(classifier, n_features)
    classes = np.asarray(classifier.classes_)
    if classes.ndim != 1 or [str(c) for c in classes] != sorted(map(str, manifest["classes"])):
        raise Damaged("a classifier of other classes")
    history = getattr(classifier, "history_", None)
    for table in () if history is None else (history, history.checks):
        if len({len(column) for column in table._columns.values()}) > 1:
            raise Damaged("a history with columns of different lengths")


def _check_blend(blend: Any, n_features: int, manifest: dict[str, Any]) -> None:
    """Refuse a blend whose parts are not all there, or are of other rows."""
    from rarebit.classifiers import LinearScores, TreeEnsemble

    classes = np.asarray(blend.classes_)
    if classes.ndim != 1 or [str(c) for c in classes] != sorted(map(str, manifest["classes"])):
        raise Damaged("a classifier of other classes")
    if blend.n_features_in_ != n_features:
        raise Damaged(f"a classifier of {blend.n_features_in_} features, not {n_features}")
    if not any(str(c) == str(blend.minority_class_) for c in classes):
        raise Damaged("a rare class that is none of the classes")
    n_columns = 1 if len(classes) == 2 else len(classes)
    names = set(blend.weights_)
    kinds: dict[str, type[Any]] = {
        "machine": KernelSVC,
        "bags": _machine_types()[2],
        "forest": TreeEnsemble,
        "extra": TreeEnsemble,
        "boosting": TreeEnsemble,
        "logistic": LinearScores,
    }
    if not names or not names <= set(kinds) or names != set(blend.parts_):
        raise Damaged("a blend of parts that are not there")
    rows = [blend._final_slope, blend._final_constant, blend.threshold_]
    rows += [blend.offset_, blend.offset_low_, blend.offset_high_]
    for group in (blend._slopes, blend._constants):
        if set(group) != names:
            raise Damaged("a blend without scales of its parts")
        rows += group.values()
    for row in rows:
        array = np.asarray(row)
        if array.shape != (n_columns,) or array.dtype.kind != "f" or not np.isfinite(array).all():
            raise Damaged("scales of a blend that are no finite numbers")
    if not all(isinstance(w, float) and 0.0 <= w <= 1.0 for w in blend.weights_.values()):
        raise Damaged("weights of a blend that are no shares")
    for name, part in blend.parts_.items():
        if type(part) is not kinds[name]:
            raise Damaged(f"a part {name!r} of another kind")
        if isinstance(part, TreeEnsemble):
            part.check()
            wanted = n_columns if name == "boosting" else len(classes)
            if part.n_features != n_features or part.n_outputs != wanted:
                raise Damaged("trees of other rows")
        elif isinstance(part, LinearScores):
            weights, intercept = np.asarray(part.weights), np.asarray(part.intercept)
            if weights.shape != (n_columns, n_features) or intercept.shape != (n_columns,):
                raise Damaged("linear scores of other rows")
            if not np.isfinite(weights).all() or not np.isfinite(intercept).all():
                raise Damaged("linear scores that are no finite numbers")
        else:
            _check_machine(part, n_features)
            if np.asarray(part.classes_).shape != classes.shape:
                raise Damaged("an SVM of other classes")


def _check_machine(classifier: Any, n_features: int) -> None:
    if classifier.n_features_in_ != n_features:
        raise Damaged(f"a classifier of {classifier.n_features_in_} features, not {n_features}")
    vectors = classifier.support_vectors_
    if vectors.ndim != 2 or vectors.shape[1] != n_features:
        raise Damaged("support vectors of another width")
    weights = np.asarray(classifier.dual_coef_)
    if weights.ndim != 2 or weights.shape[1] != vectors.shape[0]:
        raise Damaged("support vectors without weights")
    values = vectors.data if sparse.issparse(vectors) else vectors
    for array in (values, weights, np.asarray(classifier.intercept_)):
        if array.dtype.kind != "f" or not np.isfinite(array).all():
            raise Damaged("a classifier whose weights are no finite numbers")
    classifier._validate_params()


def _check_namer(model: Model) -> None:
    members = model.manifest["rare_classes"]
    if (model.namer is None) != (len(members) == 1):
        raise Damaged("several rare classes, and nothing that tells them apart, or the reverse")
    if model.namer is not None:
        _check_classifier(model.namer, model.encoder.n_features_, {"classes": members})


def _machine_types() -> tuple[type[Any], ...]:
    from rarebit.classifiers import BaggedSVC, BoostedSVC, PrunedSVC

    return (KernelSVC, OnlineSVC, BaggedSVC, BoostedSVC, PrunedSVC)


def _made_up_row(encoder: TableEncoder) -> Table:
    """One row with the columns that the encoder needs."""
    names = tuple(encoder.number_names_)
    day = datetime(2024, 1, 1)
    records = {
        name: pl.Series([day if role == "date" else "a"])
        for name, role in encoder.schema_.items()
        if role != "number"
    }
    return Table(
        source="the model",
        ids=np.zeros(1, dtype=np.intp),
        numbers=np.zeros((1, len(names)), dtype=encoder.dtype_),
        number_names=names,
        records=pl.DataFrame(records),
    )
