"""The types that a model file may hold, under the names that it holds them by.

A file names a type by its registered name, which never changes; where the class lives is looked up
when it is needed, so that modules can move. Files of format 1 name modules instead: `FORMER` says
which type each of them is.

Every attribute that may be set is listed with what it may be. A type that is not here is refused,
and so is an attribute that is not listed: `save_model` refuses it too, so that a new attribute is
noticed where it is written.
"""

from __future__ import annotations

from collections.abc import Mapping

from rarebit.models._nodes import (
    Value,
    is_column,
    is_flag,
    is_number,
    is_numbers,
    is_plain,
    is_text,
    is_texts,
    is_whole,
)
from rarebit.models._saved_type import Check, SavedType, each, is_a, one_of, plain_or


def _plain(text: str) -> dict[str, Check]:
    return dict.fromkeys(text.split(), is_plain)


_MACHINE = _plain(
    "n_features_in_ classes_ minority_class_ class_weight_ _gamma _centre _wide _sparse support_ "
    "dual_coef_ support_vectors_ n_support_ intercept_ n_iter_ dual_objective_ optimality_gap_ "
    "n_kernel_values_ _kernel_seconds feature_names_in_ C_ _tuned_gamma"
)
_PACKED = {
    f"{name}_|{part}": is_plain
    for name in (
        "number_names", "schema", "dropped", "missing", "feature_names", "kinds", "forms", "ranges",
    )
    for part in ("names", "values")
}  # fmt: skip
_SKRUB = {"all_outputs_": each(is_text), "input_name_": is_text, "n_components_": is_whole}
_POINT = "rarebit.OperatingPoint"


def _seed(value: Value) -> bool:
    return value is None or is_whole(value)


def _ours(
    name: str, *homes: str, plain: str = "", fitted: Mapping[str, Check] | None = None
) -> SavedType:
    checks = {**_plain(plain), **(fitted or {})}
    return SavedType(name, homes, name.rpartition(".")[2], fitted=checks, own=True)


def _machine(name: str, *homes: str, plain: str = "", **fitted: Check) -> SavedType:
    return _ours(name, *homes, plain=plain, fitted={**_MACHINE, **fitted})


_TYPES = (
    _machine("rarebit.KernelSVC", "rarebit.svm"),
    _machine(
        "rarebit.OnlineSVC",
        "rarebit.svm",
        plain="_dtype n_samples_seen_ _class_counts _kept_tags _kept_classes _states",
    ),
    _machine(
        "rarebit.BorderSVC",
        "rarebit.active",
        plain="queried_ n_labels_ stop_reasons_",
        history_=is_a("rarebit.History"),
    ),
    _machine("rarebit.BaggedSVC", "rarebit.classifiers", plain="n_estimators_ weights_"),
    _machine(
        "rarebit.BoostedSVC",
        "rarebit.classifiers",
        plain="n_estimators_ scores_ errors_ estimator_weights_ stop_reason_",
    ),
    _machine(
        "rarebit.PrunedSVC",
        "rarebit.classifiers",
        plain="_rows _row_numbers _row_classes n_trials_ n_removed_",
        _paths=plain_or(_POINT),
        _judged=plain_or(_POINT),
        path_=plain_or(_POINT),
    ),
    _ours(_POINT, "rarebit.classifiers"),
    _ours(
        "rarebit.BlendedClassifier",
        "rarebit.classifiers",
        plain="n_features_in_ feature_names_in_ classes_ minority_class_ weights_ precision_ "
        "reason_ C_ gamma_ threshold_ offset_ offset_low_ offset_high_ base_rate_known_ drawn_ "
        "pool_points_ _slopes _constants _final_slope _final_constant",
        fitted={
            "parts_": each(
                is_a(
                    "rarebit.KernelSVC",
                    "rarebit.BaggedSVC",
                    "rarebit.TreeEnsemble",
                    "rarebit.LinearScores",
                )
            )
        },
    ),
    SavedType(
        "rarebit.TreeEnsemble",
        ("rarebit.classifiers",),
        "TreeEnsemble",
        fitted={
            "n_features": is_whole,
            "single": is_flag,
            **dict.fromkeys(
                ("base", "roots", "feature", "threshold", "left", "right", "value"), is_numbers
            ),
        },
    ),
    SavedType(
        "rarebit.LinearScores",
        ("rarebit.classifiers",),
        "LinearScores",
        fitted={"weights": is_numbers, "intercept": is_numbers},
    ),
    _ours(
        "rarebit.History",
        "rarebit.active",
        plain="_numbers n_rows_in_pool n_unseen explore",
        fitted={"_columns": each(is_column), "checks": is_a("rarebit.HistoryTable")},
    ),
    SavedType(
        "rarebit.HistoryTable",
        ("rarebit.active",),
        "ColumnTable",
        fitted={"_columns": each(is_column)},
        own=True,
    ),
    _ours(
        "rarebit.tables.TableEncoder",
        "rarebit.tables",
        plain="indicated_ n_features_ sparse_ dtype_",
        fitted={
            **_PACKED,
            "numbers_": is_a("rarebit.tables.NumberScaler"),
            "records_": is_a("rarebit.tables.RecordEncoder"),
        },
    ),
    _ours(
        "rarebit.tables.NumberScaler",
        "rarebit.tables",
        plain="kept_ n_missing_",
        fitted={"scaler_": is_a("sklearn.preprocessing.StandardScaler")},
    ),
    _ours(
        "rarebit.tables.RecordEncoder",
        "rarebit.tables",
        plain="has_words_ n_categories_ words_",
        fitted={
            **_PACKED,
            "parts_": each(
                is_a(
                    "sklearn.preprocessing.OneHotEncoder",
                    "skrub.StringEncoder",
                    "skrub.DatetimeEncoder",
                )
            ),
            "scalers_": each(is_a("sklearn.preprocessing.StandardScaler")),
            "ranges_": each(is_numbers),
        },
    ),
    SavedType(
        "sklearn.preprocessing.StandardScaler",
        ("sklearn.preprocessing",),
        "StandardScaler",
        {"with_mean": is_flag, "with_std": is_flag},
        {
            "n_features_in_": is_whole,
            **dict.fromkeys(("mean_", "var_", "scale_", "n_samples_seen_"), is_numbers),
        },
    ),
    SavedType(
        "sklearn.preprocessing.OneHotEncoder",
        ("sklearn.preprocessing",),
        "OneHotEncoder",
        {"handle_unknown": one_of("ignore")},
        {
            "n_features_in_": is_whole,
            "categories_": each(is_texts),
            "_infrequent_enabled": one_of(False),
            "_drop_idx_after_grouping": one_of(None),
            "drop_idx_": one_of(None),
            "_n_features_outs": each(is_whole),
        },
    ),
    SavedType(
        # Of skrub's StringEncoder. What its cells are (`input`), how they are cut into words and
        # every function stay as scikit-learn has them: a cell must never be taken for a file.
        "sklearn.feature_extraction.text.TfidfVectorizer",
        ("sklearn.feature_extraction.text",),
        "TfidfVectorizer",
        {"analyzer": one_of("char_wb"), "ngram_range": each(is_whole)},
        {
            "_tfidf": is_a("sklearn.feature_extraction.text.TfidfTransformer"),
            "fixed_vocabulary_": one_of(False),
            "vocabulary_": lambda value: isinstance(value, dict) and each(is_whole)(value),
        },
    ),
    SavedType(
        "sklearn.feature_extraction.text.TfidfTransformer",
        ("sklearn.feature_extraction.text",),
        "TfidfTransformer",
        {},
        {"n_features_in_": is_whole, "idf_": is_numbers},
    ),
    SavedType(
        "sklearn.decomposition.TruncatedSVD",
        ("sklearn.decomposition",),
        "TruncatedSVD",
        {"n_components": is_whole, "random_state": _seed},
        {
            "n_features_in_": is_whole,
            **dict.fromkeys(
                (
                    "components_",
                    "explained_variance_",
                    "explained_variance_ratio_",
                    "singular_values_",
                ),
                is_numbers,
            ),
        },
    ),
    SavedType(
        "skrub.StringEncoder",
        ("skrub",),
        "StringEncoder",
        {"n_components": is_whole, "random_state": _seed},
        {
            **_SKRUB,
            "to_str": is_a("skrub.ToStr"),
            "vectorizer_": is_a("sklearn.feature_extraction.text.TfidfVectorizer"),
            "tsvd_": is_a("sklearn.decomposition.TruncatedSVD"),
            "scaling_factor_": is_number,
        },
    ),
    SavedType(
        "skrub.ToStr",
        ("skrub", "skrub._to_str"),
        "ToStr",
        {"convert_category": is_flag},
        _SKRUB,
    ),
    SavedType(
        "skrub.DatetimeEncoder",
        ("skrub",),
        "DatetimeEncoder",
        {
            "resolution": one_of("hour", "day"),
            "add_weekday": is_flag,
            "periodic_encoding": one_of("circular"),
        },
        {
            **_SKRUB,
            "extracted_features_": each(is_text),
            "_periodic_encoders": each(is_a("skrub.CircularEncoder")),
        },
    ),
    SavedType(
        "skrub.CircularEncoder",
        ("skrub", "skrub._datetime_encoder"),
        "_CircularEncoder",
        {"period": is_whole},
        _SKRUB,
    ),
)
TYPES: Mapping[str, SavedType] = {saved.name: saved for saved in _TYPES}

# Places of the classes when files of format 1 were written, and registered names.
FORMER: Mapping[str, str] = {
    "rarebit.border._history.History": "rarebit.History",
    "rarebit.border._history.Table": "rarebit.HistoryTable",
    "rarebit.border._svc.BorderSVC": "rarebit.BorderSVC",
    "rarebit.classifiers._bagged.BaggedSVC": "rarebit.BaggedSVC",
    "rarebit.classifiers._boosted.BoostedSVC": "rarebit.BoostedSVC",
    "rarebit.classifiers._operating.OperatingPoint": _POINT,
    "rarebit.classifiers._pruned.PrunedSVC": "rarebit.PrunedSVC",
    "rarebit.svm._kernel_svc.KernelSVC": "rarebit.KernelSVC",
    "rarebit.svm._online_svc.OnlineSVC": "rarebit.OnlineSVC",
    "rarebit.tables._encoder.TableEncoder": "rarebit.tables.TableEncoder",
    "rarebit.tables._numbers.NumberScaler": "rarebit.tables.NumberScaler",
    "rarebit.tables._records.RecordEncoder": "rarebit.tables.RecordEncoder",
    "sklearn.decomposition._truncated_svd.TruncatedSVD": "sklearn.decomposition.TruncatedSVD",
    "sklearn.preprocessing._data.StandardScaler": "sklearn.preprocessing.StandardScaler",
    "sklearn.preprocessing._encoders.OneHotEncoder": "sklearn.preprocessing.OneHotEncoder",
    "skrub._datetime_encoder.DatetimeEncoder": "skrub.DatetimeEncoder",
    "skrub._datetime_encoder._CircularEncoder": "skrub.CircularEncoder",
    "skrub._string_encoder.StringEncoder": "skrub.StringEncoder",
    "skrub._to_str.ToStr": "skrub.ToStr",
}


def registered_name(path: str) -> str | None:
    """Return the name that a class is saved under, None for one that is not registered.

    Parameters
    ----------
    path : str
        Registered name, place of the class now, or its place in files of format 1.
    """
    if path in TYPES:
        return path
    if path in FORMER:
        return FORMER[path]
    attribute = path.rpartition(".")[2]
    for saved in _TYPES:
        if saved.attribute == attribute and place_of(saved) == path:
            return saved.name
    return None


def place_of(saved: SavedType) -> str:
    """Return the full name of the class as it is installed here."""
    cls = saved.load()
    return f"{cls.__module__}.{cls.__name__}"
