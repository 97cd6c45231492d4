"""Columns of strings and dates become features, by parts of scikit-learn and skrub."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from rarebit._extras import naming_extras
from rarebit.tables._errors import TableError
from rarebit.tables._roles import Role, check_schema
from rarebit.tables._state import pack, unpack

Kind = Literal["category", "letters", "words", "date"]
MISSING_CATEGORY = "(missing)"
# A column of short strings of which more than this share are different is an id.
_ID_SHARE = 0.95
# Words of a cell, on average, from which a column is a text.
_PROSE = 5.0
_PACKED = ("feature_names_", "schema_", "dropped_", "kinds_")


class RecordEncoder(BaseEstimator):
    """Encodes strings and dates; each column by what it holds.

    Parameters
    ----------
    max_categories, n_letters, max_words, random_state
        As in `TableEncoder`.

    Attributes
    ----------
    kinds_ : dict of str to {"category", "letters", "words", "date"}
        How each column that is used becomes features.
    parts_ : dict of str to transformer
        What does it.
    ranges_ : dict of str to ndarray of shape (2, n_features)
        Least and greatest features of dates: no later month is farther away than the last one.
    """

    def __init__(
        self, max_categories: int, n_letters: int, max_words: int, random_state: int | None
    ) -> None:
        self.max_categories = max_categories
        self.n_letters = n_letters
        self.max_words = max_words
        self.random_state = random_state

    def fit(
        self, records: pl.DataFrame, text: str | None, wanted: Mapping[str, Kind] | None = None
    ) -> RecordEncoder:
        """Look at all rows; ``wanted`` says how some columns must become features."""
        self.kinds_: dict[str, Kind] = {}
        self.dropped_: dict[str, str] = {}
        for name in records.columns:
            kind, why = self._kind(records[name], name == text, (wanted or {}).get(name))
            if kind is None:
                self.dropped_[name] = why
            else:
                self.kinds_[name] = kind
        self.schema_: dict[str, Role] = {
            name: "date" if kind == "date" else "text" for name, kind in self.kinds_.items()
        }
        self.parts_: dict[str, Any] = {}
        self.scalers_: dict[str, StandardScaler] = {}
        self.ranges_: dict[str, NDArray[np.float64]] = {}
        self.feature_names_: list[str] = []
        for name, kind in self.kinds_.items():
            self.feature_names_ += self._fit_column(name, kind, records[name])
        self.has_words_ = "words" in self.kinds_.values()
        self.n_categories_ = sum(
            len(self.parts_[name].categories_[0])
            for name, kind in self.kinds_.items()
            if kind == "category"
        )
        return self

    def _kind(
        self, column: pl.Series, is_text: bool, wanted: Kind | None
    ) -> tuple[Kind | None, str]:
        values = column.drop_nulls()
        if not len(values):
            return None, "no value"
        n_unique = values.n_unique()
        if n_unique == 1 and len(values) == len(column):
            return None, "one value"
        if column.dtype == pl.Datetime:
            return "date", ""
        if wanted is not None:
            return wanted, ""
        if is_text:
            return "words", ""
        if n_unique <= self.max_categories:
            return "category", ""
        words = float(values.head(10_000).str.count_matches(r"\S+").mean() or 0.0)  # type: ignore[arg-type]
        if words >= _PROSE:
            return "words", ""
        if n_unique > _ID_SHARE * len(values) and words < 2.0:
            return None, "nearly every row has its own value"
        return "letters", ""

    def _fit_column(self, name: str, kind: Kind, column: pl.Series) -> list[str]:
        """Fit the part of one column and return the names of its features."""
        if kind == "category":
            part = OneHotEncoder(handle_unknown="ignore", dtype=np.float64)
            part.fit(_cells(column.unique()))  # it sorts them: no need to show it every row
            self.parts_[name] = part
            return [f"{name}_{value}" for value in part.categories_[0]]
        if kind == "words":
            rarest = 2 if len(column) >= 1000 else 1
            part = _word_counter(min_df=rarest, max_features=self.max_words)
            try:
                part.fit(column.fill_null("").to_list())
            except ValueError as error:
                raise TableError(
                    f"Column {name!r} holds no words to learn from: choose another text column."
                ) from error
            self.parts_[name] = part
            return [f"{name}_{word}" for word in part.get_feature_names_out()]
        # Only here: skrub takes two seconds to import, and many tables need none of it.
        with naming_extras("Columns of many different strings or of times need"):
            from skrub import DatetimeEncoder, StringEncoder

        if kind == "letters":
            part = StringEncoder(n_components=self.n_letters, random_state=self.random_state)
            names = part.fit_transform(column.fill_null("")).columns
        else:
            part = DatetimeEncoder(
                resolution=_resolution(column), add_weekday=True, periodic_encoding="circular"
            )
            features = part.fit_transform(column)
            names = features.columns
            values = features.to_numpy().astype(np.float64, copy=False)
            self.scalers_[name] = StandardScaler().fit(values)
            self.ranges_[name] = _scaled_range(self.scalers_[name], values)
        self.parts_[name] = part
        return list(names)

    def transform(
        self, records: pl.DataFrame, source: str = "the table", *, sparse_output: bool
    ) -> Any:
        """Return the features of all columns side by side."""
        check_schema(self.schema_, records.schema, source)
        parts = [self._transform_column(name, records[name]) for name in self.kinds_]
        if sparse_output:
            return sparse.hstack([sparse.csr_array(part) for part in parts], format="csr")
        return np.hstack([part.toarray() if sparse.issparse(part) else part for part in parts])

    def __getstate__(self) -> dict[str, Any]:
        state = pack(super().__getstate__(), *_PACKED)
        # A vocabulary is a dictionary of thousands of words: two arrays say the same.
        words = [name for name, kind in self.kinds_.items() if kind == "words"]
        state["parts_"] = {n: part for n, part in self.parts_.items() if n not in words}
        state["words_"] = {
            name: {
                "words": np.array(self.parts_[name].get_feature_names_out(), dtype=np.str_),
                "idf": self.parts_[name].idf_,
            }
            for name in words
        }
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        plain = unpack(state, *_PACKED)
        for name, saved in plain.pop("words_").items():
            part = _word_counter(vocabulary=saved["words"].tolist())
            part.idf_ = saved["idf"]
            plain["parts_"][name] = part
        super().__setstate__(plain)

    def _transform_column(self, name: str, column: pl.Series) -> Any:
        kind, part = self.kinds_[name], self.parts_[name]
        if kind == "category":
            return _one_hot(column, part.categories_[0].tolist())
        if kind == "words":
            return part.transform(column.fill_null("").to_list())
        if kind == "letters":
            return part.transform(column.fill_null("")).to_numpy().astype(np.float64)
        features = part.transform(column).to_numpy().astype(np.float64)
        scaled = self.scalers_[name].transform(features, copy=False)
        np.nan_to_num(scaled, copy=False, nan=0.0)
        # The next month must not look unlike everything for being the next month. Models of
        # earlier versions have no ranges.
        found = getattr(self, "ranges_", {}).get(name)
        return scaled if found is None else np.clip(scaled, found[0], found[1], out=scaled)

    def sources(self) -> list[tuple[str, str | None]]:
        """Return the column of each feature, and its word where the column is a text."""
        found: list[tuple[str, str | None]] = []
        for name, kind in self.kinds_.items():
            part = self.parts_[name]
            if kind == "words":
                found += [(name, str(word)) for word in part.get_feature_names_out()]
            elif kind == "category":
                found += [(name, None)] * len(part.categories_[0])
            elif kind == "date":
                found += [(name, None)] * int(self.scalers_[name].n_features_in_)
            else:
                found += [(name, None)] * len(part.get_feature_names_out())
        return found

    def unknown_categories(self, records: pl.DataFrame) -> dict[str, dict[str, int]]:
        """Count values of categories that were not there at the fit."""
        found = {}
        for name, kind in self.kinds_.items():
            if kind == "category":
                known = _places(self.parts_[name].categories_[0].tolist())
                values = records[name].fill_null(MISSING_CATEGORY)
                strange = values.filter(~values.is_in(list(known))).to_list()
                if strange:
                    found[name] = dict(Counter(strange))
        return found


def _word_counter(**options: Any) -> TfidfVectorizer:
    return TfidfVectorizer(sublinear_tf=True, strip_accents="unicode", **options)


def _cells(column: pl.Series) -> NDArray[np.object_]:
    return column.fill_null(MISSING_CATEGORY).to_numpy().astype(object).reshape(-1, 1)


def _places(categories: list[str]) -> dict[str, int]:
    """Return the feature of each category.

    Models of earlier versions may have learned categories with the blanks that padded them.

    Examples
    --------
    >>> _places(["   ", "rent", "tax "])
    {'   ': 0, 'rent': 1, 'tax ': 2, '(missing)': 0, 'tax': 2}
    """
    found = {category: place for place, category in enumerate(categories)}
    for place, category in enumerate(categories):
        found.setdefault(category.strip() or MISSING_CATEGORY, place)
    return found


def _one_hot(column: pl.Series, categories: list[str]) -> sparse.csr_array:
    """Return what `OneHotEncoder` does, unknown values as zeros, without an object per cell."""
    known = _places(categories)
    places = column.fill_null(MISSING_CATEGORY).replace_strict(
        list(known), np.array(list(known.values()), dtype=np.int32), default=None
    )
    starts = np.zeros(len(column) + 1, dtype=np.int32)
    np.cumsum(places.is_not_null().to_numpy(), out=starts[1:])
    hits = places.drop_nulls().to_numpy()
    shape = (len(column), len(categories))
    return sparse.csr_array((np.ones(len(hits)), hits, starts), shape=shape)


def _scaled_range(scaler: StandardScaler, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return least and greatest scaled values per column, with 0 for missing ones."""
    scaled = scaler.transform(np.vstack([np.fmin.reduce(values), np.fmax.reduce(values)]))
    empty = np.isnan(values.sum(axis=0))
    scaled[0, empty] = np.minimum(scaled[0, empty], 0.0)
    scaled[1, empty] = np.maximum(scaled[1, empty], 0.0)
    return np.asarray(scaled)


def _resolution(column: pl.Series) -> str:
    """Parts of a date that say something: hours only where there are hours."""
    day = column.drop_nulls()
    return "hour" if (day != day.dt.truncate("1d")).any() else "day"
