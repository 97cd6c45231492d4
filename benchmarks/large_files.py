"""Time and memory of the commands on a CSV of two gigabytes.

``python -m benchmarks.large_files`` makes the file in the temporary directory, runs each command in
a process of its own, writes ``large-files.csv`` and ``large-files.md``, and removes the file.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.machine import describe_machine
from benchmarks.tables import Column, Table, number, seconds

COLUMNS = 50
CHUNK = 50_000
MB = 1 << 20


def make_file(path: Path, size: int) -> int:
    """Write a CSV of about `size` bytes and return its rows; 1 in 100 is of the rare class."""
    rng = np.random.default_rng(0)
    names = [f"x{j}" for j in range(COLUMNS)]
    n_rows = 0
    with path.open("wb") as stream:
        while stream.tell() < size:
            rare = rng.random(CHUNK) < 0.01
            X = rng.normal(size=(CHUNK, COLUMNS))
            X[rare, :10] += 1.5
            frame = pl.DataFrame(X.round(5), schema=names)
            classes = pl.Series("class", np.where(rare, "rare", "usual"))
            frame.with_columns(classes).write_csv(stream, include_header=n_rows == 0)
            n_rows += CHUNK
    return n_rows


def run(arguments: list[str]) -> tuple[float, float]:
    """Run a command; return seconds and the largest resident set in MB."""
    start = time.perf_counter()
    child = subprocess.Popen([sys.executable, "-m", "rarebit", *arguments], stdout=sys.stderr)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"rarebit {' '.join(arguments)} failed with exit code {child.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024 / MB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    parser.add_argument(
        "--only", nargs="*", help="some of fit, predict, evaluate, compare, discover, learn"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rarebit-large-") as name:
        folder = Path(name)
        file, model = folder / "large.csv", folder / "m.rarebit"
        n_rows = make_file(file, int(given.gigabytes * 1e9))
        parsed = n_rows * COLUMNS * 8 / MB
        commands = {
            "fit": ["fit", str(file), "-t", "class", "-o", str(model)],
            "predict": ["predict", str(model), str(file), "-o", str(folder / "judged.parquet")],
            "evaluate": ["evaluate", str(model), str(file)],
            "compare": ["compare", str(file), "-t", "class", "-m", "BaggedSVC", "--folds", "3"],
            "discover": ["discover", str(file), "--oracle", "class", "--max-labels", "30"],
            "learn": ["learn", str(file), "--oracle", "class", "--max-labels", "60"],
        }
        rows = []
        for command, arguments in commands.items():
            if given.only and command not in given.only:
                continue
            if command in {"discover", "learn"}:
                arguments += ["--labels", str(folder / f"{command}.jsonl")]
            if command == "learn":
                arguments += ["--out", str(folder / "learned.rarebit")]
            took, peak = run(arguments)
            rows.append(
                {
                    "command": command,
                    "file_mb": round(file.stat().st_size / MB),
                    "rows": n_rows,
                    "columns": COLUMNS,
                    "parsed_mb": round(parsed),
                    "seconds": round(took, 1),
                    "peak_mb": round(peak),
                    "peak_to_parsed": round(peak / parsed, 2),
                }
            )
            print(rows[-1], flush=True)
    table = Table(
        "large-files",
        "Commands on a large CSV",
        [
            Column("command", "command"),
            Column("file_mb", "file, MB", number(0)),
            Column("rows", "rows", number(0)),
            Column("columns", "columns", number(0)),
            Column("parsed_mb", "numbers, MB", number(0)),
            Column("seconds", "time, s", seconds),
            Column("peak_mb", "peak memory, MB", number(0)),
            Column("peak_to_parsed", "peak / numbers", number(2)),
        ],
        rows,
        ["Numbers: what the numeric cells take in double precision. Peak: largest resident set."],
    )
    table.write(given.out, describe_machine())


if __name__ == "__main__":
    main()
