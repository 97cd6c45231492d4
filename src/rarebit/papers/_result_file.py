"""Results in a CSV file: each is on disk when it is finished, and a broken run continues."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rarebit.exceptions import RarebitError
from rarebit.papers._rows import Results, Row, as_text, as_value

Key = tuple[str, ...]

# Which row of an experiment this is, and of how many: an experiment with a row missing counts as
# not run.
PART = "part"


class ResultsMismatchError(RarebitError, ValueError):
    """A file of results has other columns than the plan; the message says what to do."""


class ResultFile:
    """The file of one plan's results.

    What a killed run left behind, a line cut short or an experiment of which not all rows were
    written, is left out when the file is opened, and gone once something is appended.

    Parameters
    ----------
    path : Path
        The file; made with the first result.
    keys : sequence of str
        Columns that tell experiments apart.
    measures : sequence of str
        Columns of figures.
    about : mapping of str to str
        Written in lines that start with ``#`` when the file is made.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rarebit.papers import ResultFile
    >>> path = Path(tempfile.mkdtemp()) / "results.csv"
    >>> ResultFile(path, ["task"], ["score"]).append(("a",), [{"score": 0.5}])
    >>> ("a",) in ResultFile(path, ["task"], ["score"])
    True
    """

    def __init__(
        self,
        path: Path,
        keys: Sequence[str],
        measures: Sequence[str],
        about: Mapping[str, str] | None = None,
    ) -> None:
        self.path = path
        self.keys = list(keys)
        self.columns = [*keys, PART, *measures]
        self.about = dict(about or {})
        self._lines: dict[Key, list[list[str]]] = {}
        self._whole = False  # whether the file is there and holds these lines and nothing else
        if path.exists():
            self._open()

    def __contains__(self, key: Key) -> bool:
        return key in self._lines

    def append(self, key: Key, rows: Sequence[Row]) -> None:
        """Add the rows of one finished experiment; they are on disk when this returns."""
        unknown = {name for row in rows for name in row} - set(self.columns)
        if unknown:
            raise ValueError(
                f"A result must have the columns {self.columns} only, got {sorted(unknown)} as "
                "well: name them in the measures of the plan."
            )
        lines = []
        for number, row in enumerate(rows, 1):
            cells = dict(zip(self.keys, key, strict=True))
            cells[PART] = f"{number}/{len(rows)}"
            cells.update({name: as_text(value) for name, value in row.items()})
            lines.append([cells.get(name, "") for name in self.columns])
        if not self._whole:
            self._rewrite()
        with self.path.open("a", encoding="utf-8", newline="") as file:
            file.write(_text(lines))
            file.flush()
            os.fsync(file.fileno())
        self._lines[key] = lines

    def arrange(self, order: Iterable[Key]) -> None:
        """Bring the file into this order; experiments not in it follow in the order they have."""
        wanted = [key for key in order if key in self._lines]
        rest = [key for key in self._lines if key not in set(wanted)]
        arranged = {key: self._lines[key] for key in [*wanted, *rest]}
        if arranged and (not self._whole or list(arranged) != list(self._lines)):
            self._lines = arranged
            self._rewrite()

    def results(self, keys: Iterable[Key]) -> Results:
        """Rows of these experiments, as far as they are finished."""
        rows = [
            dict(zip(self.columns, map(as_value, line), strict=True))
            for key in keys
            for line in self._lines.get(key, [])
        ]
        return Results(rows, self.about)

    def _open(self) -> None:
        text = self.path.read_text(encoding="utf-8")
        whole = text[: text.rfind("\n") + 1]  # the last line may be cut short
        comments = [line for line in whole.splitlines() if line.startswith("# ")]
        lines = [line for line in whole.splitlines() if not line.startswith("# ")]
        self.about = dict(comment[2:].partition(": ")[::2] for comment in comments)
        table = list(csv.reader(lines))
        if table and table[0] != self.columns:
            raise ResultsMismatchError(
                f"{self.path} must have the columns {', '.join(self.columns)}, got "
                f"{', '.join(table[0])}: it was written by another edition of the plan; start "
                "again with --fresh, or choose another folder with --out."
            )
        found: dict[Key, list[list[str]]] = {}
        for line in table[1:]:
            if len(line) == len(self.columns):
                found.setdefault(tuple(line[: len(self.keys)]), []).append(line)
        place = self.columns.index(PART)
        for key, parts in found.items():
            count = parts[-1][place].partition("/")[2]
            if [part[place] for part in parts] == [f"{i}/{count}" for i in _upto(count)]:
                self._lines[key] = parts
        self._whole = text == self._whole_text()

    def _whole_text(self) -> str:
        head = "".join(f"# {name}: {value}\n" for name, value in self.about.items())
        lines = [line for lines in self._lines.values() for line in lines]
        return head + _text([self.columns, *lines])

    def _rewrite(self) -> None:
        """Replace the file at once, so that no moment leaves half of it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_name(self.path.name + ".new")
        with beside.open("w", encoding="utf-8", newline="") as file:
            file.write(self._whole_text())
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self.path)
        self._whole = True


def _text(lines: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def _upto(count: str) -> range:
    return range(1, int(count) + 1) if count.isdigit() else range(0)
