"""``python -m benchmarks.scale``: constants of this machine, and what they mean for a large pool.

Measures processor time per row of reading, encoding, scoring and predicting, and what a question
costs; then computes first question, cost per label and full prediction for a number of rows and
machines, and what breaks first. ``--constants FILE`` takes constants measured before.
"""

from __future__ import annotations

import argparse
import json
import pickle
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results"
_COLUMNS = 50
_SUPPORT = 200  # support vectors of the machine that ranks, after some hundred labels
_LABELS = 500


@dataclass(frozen=True)
class Constants:
    """What was measured: seconds of one processor, and bytes.

    Attributes
    ----------
    read, encode : float
        Seconds per row: reading a Parquet file of 50 numbers; reading it and writing features and
        cells.
    score : float
        Seconds per row of ranking with 200 support vectors.
    predict : float
        Seconds per row of the final classifier (the blend).
    scout : float
        Seconds for the density candidates of 20,000 rows.
    fit : float
        Seconds to fit the machine that asks to 500 labels.
    task : float
        Seconds of the scheduler and the client per task.
    row_file : float
        Bytes of features and cells per row.
    machine : float
        Bytes of the machine that is sent with every task of a harvest.
    """

    read: float
    encode: float
    score: float
    predict: float
    scout: float
    fit: float
    task: float
    row_file: float
    machine: float


def _seconds(function: Callable[[], Any], least: float = 0.2) -> float:
    """Processor seconds of one call, repeated until they are worth measuring."""
    function()
    n, start = 0, time.process_time()
    while (spent := time.process_time() - start) < least:
        function()
        n += 1
    return spent / n


def measure(n_rows: int = 50_000) -> Constants:
    """Measure all constants on one processor."""
    import polars as pl

    from rarebit import KernelSVC, Scout
    from rarebit.distributed import open_cluster
    from rarebit.distributed._cells import cells_writer
    from rarebit.distributed._tasks import gather_in_order
    from rarebit.models import final_classifier
    from rarebit.tables import TableEncoder, read_table, scan_table

    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, _COLUMNS))
    y = (X[:, 0] + X[:, 1] > 2.6).astype(int)
    with tempfile.TemporaryDirectory(prefix="rarebit-scale-") as folder:
        file = Path(folder) / "rows.parquet"
        pl.DataFrame({f"c{j}": X[:, j] for j in range(_COLUMNS)}).write_parquet(file)
        encoder = TableEncoder(random_state=0).fit(read_table(file).take(slice(0, 20_000)))

        def read() -> None:
            for _ in scan_table(file).batches():
                pass

        def encode() -> None:
            with (
                cells_writer(Path(folder) / "cells.arrow") as write,
                (Path(folder) / "rows.bin").open("wb") as out,
            ):
                for table in scan_table(file).batches():
                    write(table)
                    out.write(np.ascontiguousarray(encoder.transform(table), np.float32).data)

        per_read, per_encode = _seconds(read) / n_rows, _seconds(encode) / n_rows
        sizes = [(Path(folder) / name).stat().st_size for name in ("cells.arrow", "rows.bin")]
    rows = X.astype(np.float32)
    chosen = np.concatenate([np.flatnonzero(y)[:100], np.flatnonzero(y == 0)[:100]])
    ranker = KernelSVC(C=1e-3).fit(rows[chosen], y[chosen])  # every row is a support vector
    known = np.concatenate([np.flatnonzero(y)[:100], np.flatnonzero(y == 0)[: _LABELS - 100]])
    final = final_classifier(rows, {int(row): int(y[row]) for row in known})
    asking = KernelSVC()
    block = rows[:20_000]
    with open_cluster("local", n_workers=1) as client:
        calls = [(number,) for number in range(500)]
        gather_in_order(client, abs, calls)
        start = time.process_time()
        gather_in_order(client, abs, calls)
        per_task = (time.process_time() - start) / len(calls)
    return Constants(
        read=per_read,
        encode=per_encode,
        score=_seconds(lambda: ranker.decision_function(block)) / len(block),
        predict=_seconds(lambda: final.predict(block[:5000])) / 5000,
        scout=_seconds(lambda: Scout().start(block).ask(10)),
        fit=_seconds(lambda: asking.fit(rows[known], y[known])),
        task=per_task,
        row_file=sum(sizes) / n_rows,
        machine=float(len(pickle.dumps(ranker))),
    )


def plan(
    c: Constants, n_rows: float, machines: int, cores: int, rows_per_file: float
) -> list[tuple[str, float, str]]:
    """Return what a pool costs: name, number and unit."""
    workers = machines * cores
    files = n_rows / rows_per_file
    rounds = np.ceil(files / workers)  # files that a worker has, one after the other
    # Opening reads each file to count, to sample and to encode it.
    opening = max(n_rows * (2 * c.read + c.encode) / workers, rounds * rows_per_file * c.encode)
    candidates = rounds * c.scout
    fetch = min(59, machines) * c.task
    border = fetch + c.fit
    one_pass = max(n_rows * c.score / workers, rounds * rows_per_file * c.score) + files * c.task
    sent = files * c.machine
    return [
        ("opening", opening, "s"),
        ("disk per machine", n_rows * c.row_file / machines / 1e9, "GB"),
        ("first question", opening + candidates + files * c.task, "s"),
        ("first question once it is open", candidates + files * c.task, "s"),
        ("question on the border", border, "s"),
        ("harvested row (a pass per twenty)", one_pass / 20, "s"),
        ("one pass over all rows", one_pass, "s"),
        ("audit", c.task, "s"),
        ("sent by the client in a pass", sent / 1e9, "GB"),
        ("full prediction", n_rows * (c.read + c.predict) / workers, "s"),
        ("report: rows ranked on the client", 16 * n_rows / 1e9, "GB"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--rows", type=float, default=1e9)
    parser.add_argument("--machines", type=int, default=100)
    parser.add_argument("--cores", type=int, default=8, help="of each machine")
    parser.add_argument("--rows-per-file", type=float, default=1e6)
    parser.add_argument("--constants", type=Path, help="measured before (scale.json)")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    if given.constants is None:
        constants = measure()
        given.out.mkdir(parents=True, exist_ok=True)
        (given.out / "scale.json").write_text(json.dumps(asdict(constants), indent=1) + "\n")
    else:
        constants = Constants(**json.loads(given.constants.read_text()))
    print("| constant | value |\n|---|---|")
    for name, value in asdict(constants).items():
        print(f"| {name} | {value:.3g} |")
    print(f"\n{given.rows:.0e} rows, {given.machines} machines of {given.cores} cores\n")
    print("| what | |\n|---|---|")
    found = plan(constants, given.rows, given.machines, given.cores, given.rows_per_file)
    for name, value, unit in found:
        print(f"| {name} | {value:,.3g} {unit} |")


if __name__ == "__main__":
    main()
