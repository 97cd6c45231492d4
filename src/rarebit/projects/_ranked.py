"""The list for people who want the rare rows: those found, then the likeliest ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rarebit._formulas import guarded_frame, timed_frame
from rarebit._whole_files import replaced_whole
from rarebit.projects._errors import ProjectError
from rarebit.projects._papers import decided
from rarebit.tables import Table

if TYPE_CHECKING:
    import polars as pl

_ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet", ".xlsx")
_PAPERS = (".ris", ".bib")
# Rows whose cells are put together at a time.
_STEP = 1 << 16


def check_ranked_name(path: str | PathLike[str], source: str) -> None:
    """Refuse a name of a ranked list whose format cannot be written.

    Parameters
    ----------
    path : path
        Where the list shall go.
    source : str
        Name of the data: papers are written back in the format that they came in.
    """
    file = Path(path)
    ending, own = file.suffix.lower(), Path(source).suffix.lower()
    if ending in _ENDINGS or (ending in _PAPERS and ending == own):
        return
    allowed = ", ".join([*_ENDINGS, *([own] if own in _PAPERS else [])])
    raise ProjectError(
        f"A ranked list of {source} can be written to {allowed}, got {file.name!r}: choose another "
        "ending."
    )


def write_ranked_rows(
    path: str | PathLike[str],
    table: Table,
    labels: Mapping[int, Any],
    is_rare: Callable[[Any], bool],
    unseen: NDArray[np.intp],
    scores: NDArray[np.float64],
    *,
    probability: NDArray[np.float64] | None = None,
    raw: bool = False,
    undone: Collection[int] = (),
) -> int:
    """Write rows with their columns: those found, those without a label by score, the others.

    Parameters
    ----------
    path : path
        Where, ``.csv``, ``.tsv``, ``.jsonl``, ``.parquet`` or ``.xlsx``; papers also in the format
        that they came in, each with its rank. An earlier file is replaced as a whole.
    table : Table
        The data.
    labels : mapping of int to class
        Row to class.
    is_rare : callable
        Whether a class is rare.
    unseen : ndarray of int of shape (n_unseen,)
        Rows without a label.
    scores : ndarray of shape (n_unseen,)
        The higher, the rarer.
    probability : ndarray of shape (n_unseen,), optional
        Probability of the rare class; a column of its own.
    raw : bool, default=False
        Whether texts of CSV and TSV stay as they are; otherwise those that a spreadsheet would run
        as a formula get an apostrophe.
    undone : collection of int, default=()
        Rows whose given label was taken back: papers that lose the decision which their file has.

    Returns
    -------
    int
        Number of rows.
    """
    import polars as pl

    check_ranked_name(path, table.source)
    file = Path(path)
    found = [row for row, label in labels.items() if is_rare(label)]
    others = [row for row, label in labels.items() if not is_rare(label)]
    order = np.argsort(-scores, kind="stable")
    gaps = [[None] * len(found), [None] * len(others)]
    columns: dict[str, Any] = {
        "state": ["found"] * len(found) + ["unseen"] * len(unseen) + ["other"] * len(others),
        "label": [str(labels[row]) for row in found]
        + [None] * len(unseen)
        + [str(labels[row]) for row in others],
        "score": [*gaps[0], *scores[order].tolist(), *gaps[1]],
    }
    if probability is not None:
        columns["probability"] = [*gaps[0], *probability[order].tolist(), *gaps[1]]
    kinds = {"state": pl.String, "label": pl.String}
    ranks = pl.DataFrame(
        columns, schema={name: kinds.get(name, pl.Float64) for name in columns}
    ).with_columns(pl.col(pl.Float64).round_sig_figs(6))
    rows = np.array([*found, *unseen[order].tolist(), *others], dtype=np.intp)
    with replaced_whole(file) as partial:
        if file.suffix.lower() in _PAPERS:
            _write_papers(partial, table, rows, ranks, labels, undone)
        else:
            typed = file.suffix.lower() not in (".csv", ".tsv")
            _write_frames(partial, file.suffix.lower(), _frames(table, rows, ranks, typed), raw)
    return len(rows)


def has_cells(table: Table) -> bool:
    """Return whether rows can be written as cells: not images of a folder or words of a bag.

    Parameters
    ----------
    table : Table
        The data.

    Returns
    -------
    bool
        True also for pixels that have no files of their own.
    """
    return table.place is None and isinstance(table.numbers, np.ndarray)


def write_all_rows(path: str | PathLike[str], table: Table) -> int:
    """Write all rows with their ids and columns, as a model of them reads them.

    Parameters
    ----------
    path : path
        Where; a CSV file. An earlier one is replaced as a whole.
    table : Table
        The data.

    Returns
    -------
    int
        Number of rows.
    """
    file = Path(path)
    if not has_cells(table):
        raise ProjectError(
            f"The rows of {table.source} are no cells that {file.name} could hold: give "
            f"{table.source} itself to rarebit predict."
        )
    with replaced_whole(file) as partial:
        _write_frames(partial, ".csv", _all_frames(table), raw=False)
    return table.n_rows


def _all_frames(table: Table) -> Iterator[pl.DataFrame]:
    """Yield ids and cells of the rows in their order; brightnesses where rows are pixels."""
    import polars as pl

    from rarebit.models import cells_of

    for start in range(0, table.n_rows, _STEP):
        chosen = np.arange(start, min(start + _STEP, table.n_rows))
        part = table.take(chosen)
        cells = cells_of(part)
        if table.pixels:
            names = table.number_names
            cells = pl.DataFrame({name: part.numbers[:, i] for i, name in enumerate(names)})
        ids = pl.Series(table.id_name, table.written_ids(chosen))
        others = [each for each in cells.get_columns() if each.name != table.id_name]
        # Numbers of rows are counted again by whoever reads the file.
        yield pl.DataFrame(others if table.counts_rows else [ids, *others])


def _frames(
    table: Table, rows: NDArray[np.intp], ranks: pl.DataFrame, typed: bool
) -> Iterator[pl.DataFrame]:
    """Yield id, state, label and score of the rows and the cells that people read them by."""
    import polars as pl

    from rarebit.models import cells_of

    for start in range(0, max(1, len(rows)), _STEP):
        chosen = rows[start : start + _STEP]
        ids = pl.DataFrame({table.id_name: table.written_ids(chosen)})
        frame = ids.hstack(ranks[start : start + _STEP].get_columns())
        taken = set(frame.columns)
        yield frame.hstack(
            [
                cell.alias(f"{cell.name} (file)") if cell.name in taken else cell
                for cell in cells_of(table.take(chosen), typed=typed).get_columns()
            ]
        )


def _write_frames(path: Path, ending: str, frames: Iterator[pl.DataFrame], raw: bool) -> None:
    import polars as pl

    from rarebit.tables import SheetWriter

    if ending == ".parquet":
        pl.concat(frames, how="vertical_relaxed").write_parquet(path)
        return
    if ending == ".xlsx":
        sheet = SheetWriter()
        for frame in frames:
            sheet.append(frame)
        sheet.save(path)
        return
    with path.open("w", newline="", encoding="utf-8") as file:
        for i, frame in enumerate(frames):
            if ending == ".jsonl":
                file.write(frame.write_ndjson())
                continue
            cells = timed_frame(frame if raw else guarded_frame(frame))
            file.write(
                cells.write_csv(
                    include_header=i == 0,
                    separator="\t" if ending == ".tsv" else ",",
                    datetime_format="%Y-%m-%d %H:%M:%S%.f",
                    time_format="%H:%M:%S%.f",
                )
            )


def _write_papers(
    path: Path,
    table: Table,
    rows: NDArray[np.intp],
    ranks: pl.DataFrame,
    labels: Mapping[int, Any],
    undone: Collection[int],
) -> None:
    """Write papers back in their order; programs that sort them anew still find the rank."""
    from rarebit.tables import with_decision

    assert table.raw is not None
    ending = path.suffix.lower()
    with path.open("w", encoding="utf-8") as file:
        for i, rank in enumerate(ranks.iter_rows(named=True), 1):
            said = f"{i} of {len(rows)}"
            if rank["label"] is None:
                said += ", unseen"
            if rank.get("probability") is not None:
                said += f", probability {rank['probability']:.3g}"
            row = int(rows[i - 1])
            file.write(with_decision(table.raw(row), decided(row, labels, undone), ending, said))
