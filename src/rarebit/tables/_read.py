"""From a path to a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from rarebit.tables._arrays import scan_npy, scan_npz, scan_svmlight
from rarebit.tables._columnar import scan_json_lines, scan_parquet
from rarebit.tables._delimited import scan_delimited
from rarebit.tables._errors import TableError
from rarebit.tables._images import scan_folder
from rarebit.tables._options import Options
from rarebit.tables._roles import Role
from rarebit.tables._table import Table


class Scan(Protocol):
    """A file that is open and whose rows are not read yet."""

    @property
    def columns(self) -> dict[str, Role]:
        """Columns that can become features: their names, and number, text or date."""

    @property
    def n_expected(self) -> int:
        """About how many rows there are."""

    @property
    def notes(self) -> list[str]:
        """What was guessed or left out, for people."""

    def batches(self, n_rows: int | None = None) -> Iterator[Table]:
        """Yield about ``n_rows`` rows at a time, in the order of the file."""

    def read(self, advance: Callable[[int], None] = ...) -> Table:
        """Read all rows, calling ``advance`` with how many came since the last call."""


_PACKED = {".gz", ".bz2", ".xz", ".zst", ".zip"}
_FORMATS: dict[str, Callable[[Path, Options], Scan]] = {
    ".csv": scan_delimited,
    ".tsv": scan_delimited,
    ".txt": scan_delimited,
    ".tab": scan_delimited,
    ".parquet": scan_parquet,
    ".pq": scan_parquet,
    ".jsonl": scan_json_lines,
    ".ndjson": scan_json_lines,
    ".svmlight": scan_svmlight,
    ".libsvm": scan_svmlight,
    ".svm": scan_svmlight,
    ".npy": scan_npy,
    ".npz": scan_npz,
}
_ADVICE = {
    ".json": "write one object a line and call it .jsonl",
    ".xlsx": "save the sheet as CSV",
    ".xls": "save the sheet as CSV",
    ".ods": "save the sheet as CSV",
}


def scan_table(path: str | PathLike[str], **options: Any) -> Scan:
    """Open a file without reading its rows.

    Parameters
    ----------
    path : path
        The file.
    **options
        As of `read_table`.

    Returns
    -------
    Scan
        With ``columns`` (role of each column by name), ``batches(n_rows)`` that yields a `Table`
        at a time, and ``read(advance)`` that returns all rows.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarebit.tables import scan_table
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "small.csv"
    >>> _ = path.write_text("amount,country,class\\n1.5,SE,ok\\n900,NO,fraud\\n")
    >>> scan = scan_table(path, target="class")
    >>> scan.columns
    {'amount': 'number', 'country': 'text'}
    >>> sum(part.n_rows for part in scan.batches())
    2
    >>> folder.cleanup()
    """
    given = Options(**options)
    file = Path(path)
    if not file.exists():
        raise FileNotFoundError(2, "No such file or directory", str(file))
    if file.is_dir():
        return scan_folder(file, given)
    suffixes = [suffix.lower() for suffix in file.suffixes]
    while len(suffixes) > 1 and suffixes[-1] in _PACKED:
        suffixes.pop()
    opener = _FORMATS.get(suffixes[-1] if suffixes else "")
    if opener is None:
        raise TableError(
            f"{file.name} has a name that tells no format: names may end in "
            f"{', '.join(_FORMATS)}, packed or not ({', '.join(sorted(_PACKED))}); "
            f"{_ADVICE.get(suffixes[-1] if suffixes else '', 'rename it, or save it as CSV')}."
        )
    return opener(file, given)


def read_table(
    path: str | PathLike[str],
    *,
    target: str | None = None,
    id: str | None = None,
    text: str | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool = True,
    image_size: int = 32,
    spill: bool = False,
    schema: Mapping[str, Role] | None = None,
    advance: Callable[[int], None] = lambda rows: None,
) -> Table:
    """Read a file.

    Parameters
    ----------
    path : path
        Delimited text (.csv, .tsv, .txt), JSON lines (.jsonl, .ndjson) or SVMlight (.svmlight,
        .libsvm), packed (.gz, .bz2, .xz, .zst, .zip) or not; Parquet (.parquet); arrays (.npy,
        .npz); or a folder of images, whose subfolders are the classes.
    target : str or None, default=None
        Column of classes. SVMlight files, NPZ files with an array ``y`` and folders with
        subfolders have their classes apart and need none; for an NPY file, a second NPY file.
    id : str or None, default=None
        Column of ids, which must be unique; None counts rows from 0.
    text : str or None, default=None
        Column that is a text to be read by words.
    drop : sequence of str, default=()
        Columns to leave out.
    categorical : sequence of str, default=()
        Columns of numbers that are names of categories.
    delimiter : str or None, default=None
        What stands between cells; None finds out.
    encoding : str or None, default=None
        What a text file is written in; None finds out.
    header : bool, default=True
        Whether the first line of a delimited text holds names.
    image_size : int, default=32
        Pixels that images of a folder have on each side when they become features.
    spill : bool, default=False
        Whether numbers of more than 256 MB go to a temporary file, for a table of which only
        single rows are looked at; its features are then of single precision.
    schema : dict of str to {"number", "text", "date"} or None, default=None
        The columns that are needed and what they are; None takes all and finds out.
    advance : function of int, optional
        Called with the number of rows read since the last call.

    Returns
    -------
    Table
        All rows.

    Raises
    ------
    TableError
        The file cannot be used; the message says why and what to do.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarebit.tables import read_table
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "small.csv"
    >>> _ = path.write_text("id,amount,country,class\\nA1,1.5,SE,ok\\nA2,900,,fraud\\n")
    >>> table = read_table(path, target="class", id="id")
    >>> table
    Table('small.csv', 2 rows, 2 columns, target 'class')
    >>> table.show(1)
    Shown(id='A2', fields={'amount': 900, 'country': None}, text=None, image=None)
    >>> folder.cleanup()
    """
    scan = scan_table(
        path,
        target=target,
        id=id,
        text=text,
        drop=drop,
        categorical=categorical,
        delimiter=delimiter,
        encoding=encoding,
        header=header,
        image_size=image_size,
        spill=spill,
        schema=schema,
    )
    return scan.read(advance)
