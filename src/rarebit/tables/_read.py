"""From a path to a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from rarebit.exceptions import InputTypeError, MissingFileError
from rarebit.tables._errors import TableError
from rarebit.tables._forms import Form
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
# Module and function of each format: what one of them needs is not imported for the others.
_FORMATS = {
    ".csv": ("_delimited", "scan_delimited"),
    ".tsv": ("_delimited", "scan_delimited"),
    ".txt": ("_delimited", "scan_delimited"),
    ".tab": ("_delimited", "scan_delimited"),
    ".parquet": ("_columnar", "scan_parquet"),
    ".pq": ("_columnar", "scan_parquet"),
    ".jsonl": ("_columnar", "scan_json_lines"),
    ".ndjson": ("_columnar", "scan_json_lines"),
    ".svmlight": ("_arrays", "scan_svmlight"),
    ".libsvm": ("_arrays", "scan_svmlight"),
    ".svm": ("_arrays", "scan_svmlight"),
    ".npy": ("_arrays", "scan_npy"),
    ".npz": ("_arrays", "scan_npz"),
    ".xlsx": ("_spreadsheets", "scan_xlsx"),
    ".ris": ("_references", "scan_ris"),
    ".bib": ("_references", "scan_bibtex"),
}
_FOLDER = ("_images", "scan_folder")
IMAGES = {".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff", ".pgm", ".ppm"}
_ADVICE = {
    ".json": "write one object per line and call it .jsonl",
    ".xls": "save the sheet as XLSX or CSV",
    ".ods": "save the sheet as CSV",
    **dict.fromkeys(IMAGES, "give the folder that holds the image"),
}


def scan_table(path: str | PathLike[str], **options: Any) -> Scan:
    """Open a file without reading its rows.

    Parameters
    ----------
    path : path
        The file.
    **options
        As in `read_table`.

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
    if not isinstance(path, str | PathLike):
        raise InputTypeError(
            f"A table is read from a file, got {type(path).__name__}: give its path, or make a "
            "table of rows in memory by as_table."
        )
    file = Path(path)
    if not file.exists():
        raise MissingFileError(
            f"The file {str(file)!r} does not exist: check the path and the folder it starts from.",
            str(file),
        )
    if given.embed is not None and file.suffix.lower() in (".npy", ".npz"):
        raise TableError(
            f"The embedding {given.embed} reads a column of texts or a folder of images, and "
            f"{file.name} is neither: leave it out."
        )
    if file.is_dir():
        return _open(_FOLDER, file, given)
    if not file.is_file():
        # A pipe or a device may have no end, and is read twice or not at all.
        raise TableError(
            f"{file.name} is not a regular file but a {_kind(file)}: save what it holds to a file, "
            "and give that; the commands read standard input where the file is called -."
        )
    if given.max_unpacked is not None and given.max_unpacked < 1:
        raise TableError(
            f"max_unpacked must be a positive number of bytes, got {given.max_unpacked}: leave it "
            "out for a limit by the size of the file."
        )
    suffixes = [suffix.lower() for suffix in file.suffixes]
    while len(suffixes) > 1 and suffixes[-1] in _PACKED:
        suffixes.pop()
    form = _FORMATS.get(suffixes[-1] if suffixes else "")
    if form is None:
        raise TableError(
            f"Cannot infer the format of {file.name}: names may end in "
            f"{', '.join(_FORMATS)}, packed or not ({', '.join(sorted(_PACKED))}); "
            f"{_ADVICE.get(suffixes[-1] if suffixes else '', 'rename it, or save it as CSV')}."
        )
    return _open(form, file, given)


def _open(form: tuple[str, str], file: Path, options: Options) -> Scan:
    module, name = form
    scan: Scan = getattr(import_module(f"rarebit.tables.{module}"), name)(file, options)
    return scan


def _kind(file: Path) -> str:
    if file.is_fifo():
        return "pipe"
    if file.is_socket():
        return "socket"
    return "device"


def read_table(
    path: str | PathLike[str],
    *,
    target: str | None = None,
    id: str | None = None,
    text: str | Sequence[str] | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    aside: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    duplicates: str = "keep",
    sheet: str | None = None,
    image_size: int = 32,
    image_features: str = "local",
    max_unpacked: int | None = None,
    embed: str | None = None,
    spill: bool = False,
    schema: Mapping[str, Role] | None = None,
    forms: Mapping[str, Form | str] | None = None,
    advance: Callable[[int], None] = lambda rows: None,
) -> Table:
    """Read a file.

    Parameters
    ----------
    path : path
        Delimited text (.csv, .tsv, .txt), JSON lines (.jsonl, .ndjson) or SVMlight (.svmlight,
        .libsvm), packed (.gz, .bz2, .xz, .zst, .zip) or not; Parquet (.parquet); arrays (.npy,
        .npz); a sheet (.xlsx); papers (.ris, .bib); or a folder of images, whose subfolders are
        the classes.
    target : str or None, default=None
        Column of classes. SVMlight files, NPZ files with an array ``y`` and folders with
        subfolders have their classes apart and need none; for an NPY file, a second NPY file.
    id : str or None, default=None
        Column of ids, which must be unique; None counts rows from 0.
    text : str, sequence of str or None, default=None
        Column that is a text to be read by words; several are joined. Of papers (.ris, .bib) title
        and abstract where none is given.
    drop : sequence of str, default=()
        Columns to leave out.
    categorical : sequence of str, default=()
        Columns of numbers that are names of categories.
    columns : mapping of str to str or None, default=None
        Kinds of columns, where not detected correctly: ``"number"``, ``"money"``, ``"percent"``,
        ``"decimal-comma"``, ``"decimal-point"``, ``"date"``, ``"day-first"``, ``"month-first"``,
        ``"time"``, ``"category"``, ``"text"`` or ``"drop"``. Cells that do not fit are missing.
    aside : sequence of str, default=()
        Columns that are kept as text in ``aside`` of the table, to be shown or to group rows, and
        do not become features. Arrays and folders of images have none.
    delimiter : str or None, default=None
        Character between cells; None detects it.
    encoding : str or None, default=None
        Encoding of a text file; None detects it.
    header : bool or None, default=None
        Whether the first line of a delimited text holds names; None detects it.
    duplicates : {"keep", "first", "drop"}, default="keep"
        What happens to rows whose ids, or without ids all cells, are the same: all stay, the
        first, or none of them. Of images of a folder those with the same pixels and class.
    sheet : str or None, default=None
        Sheet of a spreadsheet; None for the first.
    image_size : int, default=32
        Pixels that images of a folder have on each side when they become pixels; local
        descriptors are measured at up to four times as many.
    image_features : {"local", "pixels"}, default="local"
        Features of the images of a folder: gradients, textures and spots that stand out, at several
        scales, or the brightnesses of their pixels.
    max_unpacked : int or None, default=None
        Largest unpacked size of a compressed file (also NPZ) in bytes; None allows 200 times its
        size, 256 MB at least. It is never more than 80 % of the free disk of the temporary
        directory, or for NPZ half of the free memory. Also bytes that the cells of
        a table may take, 8 each; None allows 2,000 times the size of the file.
    embed : str or None, default=None
        Embedding of the text, in place of its words: ``"wordllama"``; or of the images of a
        folder: ``"efficientnet-lite0"``; or another one of an installed package (entry
        points ``rarebit.embedders`` and ``rarebit.image_embedders``).
    spill : bool, default=False
        Whether numbers of more than 256 MB go to a temporary file, for a table of which only
        single rows are looked at; its features are then of single precision.
    schema : dict of str to {"number", "text", "date"} or None, default=None
        The columns that are needed and what they are; None takes all and detects it.
    forms : dict of str to Form or None, default=None
        How columns of the schema are written (``forms_`` of an encoder): a cell that does not fit
        is an error. None detects them.
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
    Shown(id='A2', fields={'amount': 900, 'country': None}, text=None, image=None, file=None)
    >>> folder.cleanup()
    """
    scan = scan_table(
        path,
        target=target,
        id=id,
        text=text,
        drop=drop,
        categorical=categorical,
        aside=aside,
        columns=columns or {},
        delimiter=delimiter,
        encoding=encoding,
        header=header,
        duplicates=duplicates,
        sheet=sheet,
        image_size=image_size,
        image_features=image_features,
        max_unpacked=max_unpacked,
        embed=embed,
        spill=spill,
        schema=schema,
        forms=forms,
    )
    return scan.read(advance)
