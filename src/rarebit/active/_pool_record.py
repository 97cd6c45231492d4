"""What an asker knows of one pool: labels, rows that wait, rows left out, and the order asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rarebit.active._queries import Draw, Query, QueryReason


class PoolRecord:
    """What was asked and answered on one pool. It holds facts and decides nothing.

    Parameters
    ----------
    n_rows : int
        Number of rows of the pool.
    given : mapping of int to object
        Labels known from the start, by row; they cost nothing.

    Attributes
    ----------
    labels : dict
        Row to class, in the order told; given ones come first.
    given : set of int
        Rows whose labels were given and never taken back.
    discovered : dict
        Class to the number of labels spent when it was first seen; 0 for given ones.
    pending, skipped : dict of int to None
        Rows that wait for an answer, and rows left out, in their order.
    queries : list of Query
        Every row ever asked for, in the order asked.
    """

    def __init__(self, n_rows: int, given: Mapping[int, Any]) -> None:
        self.n_rows = n_rows
        self.given = set(given)
        self.labels: dict[int, Any] = {}
        self.discovered: dict[Any, int] = {}
        self.pending: dict[int, None] = {}
        self.skipped: dict[int, None] = {}
        self.queries: list[Query] = []
        self._place: dict[int, int] = {}  # of a row among the queries

    @property
    def n_spent(self) -> int:
        """Number of labels that were not given."""
        return len(self.labels) - len(self.given)

    def ask(self, row: int, reason: QueryReason, draw: Draw | None = None) -> None:
        """Note that a row was asked for; one that was asked for before keeps its place."""
        if row not in self._place:
            self._place[row] = len(self.queries)
            self.queries.append(Query(len(self.queries) + 1, row, reason, draw))
        self.pending[row] = None

    def record(self, row: int, label: Any) -> None:
        """Note the label of a row, or another one in place of the one that it has."""
        replaced = row in self.labels
        self.labels[row] = label
        self.pending.pop(row, None)
        self.skipped.pop(row, None)
        if replaced:
            self._count_again()
        else:
            self._count(row, label)

    def skip(self, rows: Iterable[int]) -> None:
        """Note that rows are left out."""
        for row in rows:
            self.skipped[row] = None
            self.pending.pop(row, None)

    def retract(self, rows: Iterable[int]) -> None:
        """Forget answers; the rows wait again, also those that were told without being asked."""
        for row in rows:
            self.labels.pop(row, None)
            self.skipped.pop(row, None)
            self.given.discard(row)
            self.ask(row, QueryReason.GIVEN)
        self._count_again()

    def replay(self) -> Iterator[tuple[int, Any]]:
        """Forget all labels and tell them again one by one, in their order."""
        labels = self.labels
        self.labels, self.discovered = {}, {}
        try:
            for row, label in labels.items():
                self.labels[row] = label
                self._count(row, label)
                yield row, label
        finally:  # an interrupted replay must not lose a label
            self.labels = labels
            self._count_again()

    def reason_of(self, row: int) -> QueryReason:
        """Why a row was asked for; ``GIVEN`` when it never was."""
        query = self.query_of(row)
        return QueryReason.GIVEN if query is None else query.reason

    def query_of(self, row: int) -> Query | None:
        """The query of a row; None when it was never asked for."""
        place = self._place.get(row)
        return None if place is None else self.queries[place]

    def _count(self, row: int, label: Any) -> None:
        self.discovered.setdefault(label, 0 if row in self.given else self.n_spent)

    def _count_again(self) -> None:
        self.discovered, spent = {}, 0
        for row, label in self.labels.items():
            spent += row not in self.given
            self.discovered.setdefault(label, 0 if row in self.given else spent)
