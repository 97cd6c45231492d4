"""A table becomes the matrix that classifiers read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rarebit.tables._counters import may_be_id, why_counter
from rarebit.tables._errors import TableError
from rarebit.tables._frames import as_table
from rarebit.tables._in_memory import as_frame
from rarebit.tables._matrix import make_matrix
from rarebit.tables._numbers import NumberScaler, blocks
from rarebit.tables._ranges import usual_ranges
from rarebit.tables._records import Kind, RecordEncoder
from rarebit.tables._roles import Role, check_schema
from rarebit.tables._state import pack, unpack
from rarebit.tables._table import Table

# Features of categories beyond which rows are kept sparse.
_MANY = 500
_PACKED = ("number_names_", "schema_", "dropped_", "missing_", "forms_", "ranges_")


class TableEncoder(TransformerMixin, BaseEstimator):
    """Features from the columns of a `Table`.

    Numbers are centred and divided by their spread, a missing one takes the mean. Columns of few
    words become one feature per word; an unknown word sets none of them. Columns of
    many short strings become a few features of their letters, dates their parts, texts the
    weights of their words. Pixels are divided by 255. Columns of one value are left out, and so
    are strings that are nearly all different.

    Parameters
    ----------
    max_categories : int, default=40
        Different values of a column of strings up to which each is a feature; as in skrub.
    n_letters : int, default=30
        Features of a column with more of them.
    max_words : int, default=20000
        Largest number of words of a text that count.
    indicate_missing : bool, default=False
        Whether a column of numbers with missing cells gets a second feature that says so.
    random_state : int or None, default=0
        Seed of the features of letters.
    columns : mapping of str to str or None, default=None
        Kinds of columns of a frame, where not detected correctly: ``"number"``, ``"money"``,
        ``"date"``, ``"category"``, ``"text"``, ``"drop"`` or another of the words of `read_table`,
        which has the same parameter for files.

    Attributes
    ----------
    schema_ : dict of str to {"number", "text", "date"}
        Columns that a table must have to be transformed.
    forms_ : dict of str to str
        How columns are written that are not plain numbers or words, as JSON; None in models of
        earlier versions.
    dropped_ : dict of str to str
        Columns that are not used, and why.
    ranges_ : dict of str to list of float
        Where 99 of 100 numbers and dates of a column lie, and how many were looked at; None in
        models of earlier versions.
    missing_ : dict of str to int
        Missing cells of each column that has any.
    sparse_ : bool
        Whether the features are a CSR array.
    n_features_ : int
        Number of features.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarebit.tables import TableEncoder, read_table
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "small.csv"
    >>> _ = path.write_text("amount,country,class\\n1,SE,ok\\n3,NO,ok\\n,SE,fraud\\n")
    >>> table = read_table(path, target="class")
    >>> encoder = TableEncoder().fit(table)
    >>> list(encoder.get_feature_names_out()), encoder.missing_
    (['amount', 'country_NO', 'country_SE'], {'amount': 1})
    >>> encoder.transform(table)
    array([[-1.,  0.,  1.],
           [ 1.,  1.,  0.],
           [ 0.,  0.,  1.]])
    >>> folder.cleanup()
    """

    schema_: dict[str, Role]
    forms_: dict[str, str] | None
    ranges_: dict[str, list[float]] | None
    dropped_: dict[str, str]
    missing_: dict[str, int]
    sparse_: bool
    n_features_: int

    def __init__(
        self,
        max_categories: int = 40,
        n_letters: int = 30,
        max_words: int = 20_000,
        indicate_missing: bool = False,
        random_state: int | None = 0,
        columns: Mapping[str, str] | None = None,
    ) -> None:
        self.max_categories = max_categories
        self.n_letters = n_letters
        self.max_words = max_words
        self.indicate_missing = indicate_missing
        self.random_state = random_state
        self.columns = columns

    def fit(self, table: Any, y: Any = None) -> Self:
        """Learn what the columns hold.

        Parameters
        ----------
        table : Table, or a pandas, polars or Arrow frame, or a mapping of columns
            Rows; their classes are not looked at.
        y : None
            Ignored.

        Returns
        -------
        TableEncoder
            The fitted encoder.
        """
        table = as_table(table, columns=self.columns or {})
        self.number_names_ = list(table.number_names)
        self.numbers_ = NumberScaler().fit(table.numbers, pixels=table.pixels)
        counters = self._leave_out_counters(table)
        missing = dict(zip(self.number_names_, self.numbers_.n_missing_.tolist(), strict=True))
        kept = {self.number_names_[j] for j in self.numbers_.kept_}
        self.dropped_ = {
            name: "no value" if missing[name] == table.n_rows else "one value"
            for name in self.number_names_
            if name not in kept
        }
        self.dropped_ |= counters | dict(table.left_out)
        self.indicated_ = np.array(
            [j for j in self.numbers_.kept_ if self.numbers_.n_missing_[j]]
            if self.indicate_missing and not sparse.issparse(table.numbers)
            else [],
            dtype=np.intp,
        )
        kinds: dict[str, Kind] = {"category": "category", "text": "words"}
        wanted = {
            name: kinds[form.kind]
            for name, form in table.forms.items()
            if form.given and form.kind in kinds
        }
        self.records_ = RecordEncoder(
            self.max_categories, self.n_letters, self.max_words, self.random_state
        ).fit(table.records.drop(table.left_out, strict=False), table.text, wanted)
        self.dropped_ |= self.records_.dropped_
        nulls = table.records.null_count().row(0) if table.records.width else ()
        missing |= dict(zip(table.records.columns, nulls, strict=True))
        self.missing_ = {name: int(count) for name, count in missing.items() if count}
        self.schema_ = {name: "number" for name in self.number_names_ if name in kept}
        self.schema_ |= self.records_.schema_
        self.forms_ = {
            name: form.to_json() for name, form in table.forms.items() if name in self.schema_
        }
        self.ranges_ = usual_ranges(table, self.schema_)
        self.n_features_ = len(kept) + len(self.indicated_) + len(self.records_.feature_names_)
        if not self.n_features_:
            reasons = ", ".join(f"{name} ({why})" for name, why in list(self.dropped_.items())[:5])
            raise TableError(
                f"No column of {table.source} can be learned from: {reasons}; give a file with "
                "columns that differ between rows."
            )
        many = self.records_.n_categories_ > max(_MANY, 5 * len(kept))
        self.sparse_ = bool(sparse.issparse(table.numbers) or self.records_.has_words_ or many)
        self.dtype_ = "float32" if _is_single(table) else "float64"
        return self

    def _leave_out_counters(self, table: Table) -> dict[str, str]:
        """Leave out columns that name the rows, and say why: learned, they would mean nothing."""
        if sparse.issparse(table.numbers) or table.pixels:
            return {}
        names = self.number_names_
        found = {
            int(j): why
            for j in self.numbers_.kept_
            if may_be_id(table.forms.get(names[j]))
            and (why := why_counter(table.numbers, int(j), names[j])) is not None
        }
        if found and (len(found) < len(self.numbers_.kept_) or table.records.width):
            self.numbers_.leave_out(np.array(list(found), dtype=np.intp))
            return {names[j]: why for j, why in found.items()}
        return {}

    def transform(self, table: Any, copy: bool = True) -> Any:
        """Return the features of rows.

        Parameters
        ----------
        table : Table, or a pandas, polars or Arrow frame, or a mapping of columns
            Rows with the columns of ``schema_``; others are ignored.
        copy : bool, default=True
            Whether the table must stay as it is. False may write the features over its numbers,
            which saves half of the memory; the table must not be used afterwards.

        Returns
        -------
        ndarray or CSR array of shape (n_rows, n_features)
            Features. An array that does not fit into memory is mapped from a temporary file.
        """
        check_is_fitted(self)
        if not isinstance(table, Table):
            frame = as_frame(table)
            # Columns that the fit left out are not taken for renamed ones.
            known = [name for name in self.dropped_ if name in frame.columns]
            table = as_table(frame, drop=known, schema=self.schema_, forms=self.forms_)
        numbers = self._numbers_of(table)
        if self.sparse_:
            return self._sparse(numbers, table)
        if not copy and self._may_overwrite(numbers):
            return self.numbers_.transform_in_place(numbers)
        out = make_matrix((table.n_rows, self.n_features_), np.dtype(self.dtype_))
        width = len(self.numbers_.kept_)
        for part in blocks(numbers, self.n_features_):
            block = numbers[part]
            out[part, :width] = self.numbers_.transform_block(block)
            if len(self.indicated_):
                marks = ~np.isfinite(block[:, self.indicated_])
                out[part, width : width + len(self.indicated_)] = marks
        start = width + len(self.indicated_)
        if start < self.n_features_:
            out[:, start:] = self.records_.transform(
                table.records, table.source, sparse_output=False
            )
        return out

    def _numbers_of(self, table: Table) -> Any:
        """Return the columns of the fit, in their order."""
        needed = {name: role for name, role in self.schema_.items() if role == "number"}
        check_schema(needed, dict.fromkeys(table.number_names, pl.Float64()), table.source)
        if list(table.number_names) == self.number_names_:
            return table.numbers
        places = {name: j for j, name in enumerate(table.number_names)}
        # A column that is not needed may be absent: any other stands in for it.
        order = [places.get(name, 0) for name in self.number_names_]
        return table.numbers[:, order] if table.number_names else table.numbers

    def _may_overwrite(self, numbers: Any) -> bool:
        return bool(
            len(self.numbers_.kept_) == self.n_features_
            and isinstance(numbers, np.ndarray)
            and numbers.flags.c_contiguous
            and numbers.flags.writeable
            and numbers.dtype == np.dtype(self.dtype_)
        )

    def _sparse(self, numbers: Any, table: Table) -> Any:
        parts = []
        if len(self.numbers_.kept_):
            parts.append(
                self.numbers_.transform_sparse(numbers)
                if sparse.issparse(numbers)
                else sparse.csr_array(self.numbers_.transform_block(numbers))
            )
        if len(self.indicated_):
            marks = ~np.isfinite(numbers[:, self.indicated_])
            parts.append(sparse.csr_array(marks.astype(np.float64)))
        if len(self.records_.feature_names_):
            parts.append(self.records_.transform(table.records, table.source, sparse_output=True))
        return sparse.csr_array(sparse.hstack(parts, format="csr"))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the features.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str
            Column, or column and value.
        """
        check_is_fitted(self)
        names = [self.number_names_[j] for j in self.numbers_.kept_]
        names += [f"{self.number_names_[j]}_missing" for j in self.indicated_]
        return np.array([*names, *self.records_.feature_names_], dtype=object)

    def feature_sources(self) -> list[tuple[str, str | None]]:
        """Return the column of the file that each feature was made from.

        Returns
        -------
        list of (str, str or None)
            Column, and the word where the column is a text.
        """
        check_is_fitted(self)
        numbers = [self.number_names_[j] for j in (*self.numbers_.kept_, *self.indicated_)]
        return [*((name, None) for name in numbers), *self.records_.sources()]

    def feature_groups(
        self, vector: str | None = None
    ) -> tuple[NDArray[np.intp], list[tuple[str, str | None]]]:
        """Return which features people know by one name: those of a column, or a word of a text.

        Parameters
        ----------
        vector : str or None, default=None
            Column whose numbered features are one vector, such as an embedded text.

        Returns
        -------
        tuple of ndarray of shape (n_features,) and list of (str, str or None)
            Group of each feature; column of each group, and its word where the column is a text.
        """
        groups: list[int] = []
        known: dict[tuple[str, str | None], int] = {}
        for source, word in self.feature_sources():
            number = source.removeprefix(f"{vector}_")
            is_part = vector is not None and number != source and number.isdecimal()
            key = (vector if is_part and vector is not None else source, word)
            groups.append(known.setdefault(key, len(known)))
        return np.array(groups, dtype=np.intp), list(known)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        for name in ("forms_", "ranges_"):
            if state.get(name, {}) is None:
                del state[name]
        return pack(state, *_PACKED)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Files of earlier versions have none of these.
        absent = {"columns": None, "forms_": None, "ranges_": None}
        super().__setstate__(absent | unpack(state, *_PACKED))

    def unknown_categories(self, table: Table) -> dict[str, dict[str, int]]:
        """Count the values that were not there at the fit.

        Parameters
        ----------
        table : Table
            Rows to be transformed.

        Returns
        -------
        dict of str to dict of str to int
            Rows of each unknown value, by column.
        """
        check_is_fitted(self)
        return self.records_.unknown_categories(table.records)


def _is_single(table: Table) -> bool:
    narrow = getattr(table.numbers, "dtype", None) == np.float32
    return bool(table.pixels or table.spilled or narrow)
