"""``python -m fuzzing``: hostile input of every kind, counted in one table.

Each case is made from a seed and tried in a child process with at most 10 s of work and 2 GB.
Anything but success or a refusal in our own words is bad, and its input is kept.
"""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path

from fuzzing._bounded import Judge, Outcome, Worker, prepare

KINDS = ("ok", "refused", "unexpected", "crash", "hang", "memory")


@dataclass(frozen=True)
class Subject:
    """Something that takes input: what writes a case, and what tries it."""

    write: Callable[[str, Path], Path]
    judge: Judge


@dataclass
class Row:
    """What is counted of one subject."""

    kinds: Counter[str] = field(default_factory=Counter)
    peak: int = 0


def subjects(wanted: list[str]) -> dict[str, Subject]:
    """Return the subjects of these names, or all."""
    found = {}
    for name, (module, write, judge) in SUBJECTS.items():
        if not wanted or name in wanted:
            source = importlib.import_module(module)
            found[name] = Subject(getattr(source, write), getattr(source, judge))
    unknown = [name for name in wanted if name not in SUBJECTS]
    if unknown:
        raise SystemExit(f"error: no subject {unknown[0]!r}; there are {', '.join(SUBJECTS)}")
    return found


SUBJECTS = {
    "tables": ("fuzzing.readers", "write", "judge"),
    "commands": ("fuzzing.readers", "write", "judge_command"),
    "models": ("fuzzing.models", "write", "judge"),
    "journals": ("fuzzing.labels", "write", "judge"),
    "databases": ("fuzzing.labels", "write_database", "judge_database"),
    "border-states": ("fuzzing.states", "write_border", "judge_border"),
    "online-states": ("fuzzing.states", "write_online", "judge_online"),
    "sparse-rows": ("fuzzing.matrices", "write", "judge"),
}
PRELOADED = [
    "rarebit.tables", "rarebit.models", "rarebit.labels", "rarebit.projects.stores", "sqlalchemy",
    "sqlalchemy.dialects.sqlite", "skops.io", "skrub", "PIL.Image", "sklearn.datasets",
    "rarebit.cli._run", "rarebit.cli._fit", "rarebit.classifiers", "rarebit.active",
    *sorted({module for module, _, _ in SUBJECTS.values()}),
]  # fmt: skip


def try_case(subject: Subject, seed: str, kept: Path) -> tuple[Outcome, str]:
    """Write a case and try it; keep its folder if it went badly."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        path = subject.write(seed, Path(folder))
        outcome = _worker().run(subject.judge, path)
        if not outcome.good:
            place = kept / seed.replace(":", "-")
            shutil.copytree(folder, place, dirs_exist_ok=True, ignore=_special)
        return outcome, path.suffix or path.name


def _worker() -> Worker:
    """Return the child process of this thread."""
    if not hasattr(_own, "worker"):
        _own.worker = Worker()
    worker: Worker = _own.worker
    return worker


_own = threading.local()


def _special(folder: str, names: list[str]) -> list[str]:
    """Pipes, sockets and links cannot be copied; the seed makes them again."""
    paths = [Path(folder, name) for name in names]
    return [p.name for p in paths if p.is_symlink() or not (p.is_file() or p.is_dir())]


def seeds(names: list[str], seed: int) -> Iterator[tuple[str, str]]:
    """Yield names and seeds of cases for ever, the subjects taking turns."""
    for i in count():
        for name in names:
            yield name, f"{name}:{seed}:{i}"


def main(arguments: list[str] | None = None) -> int:
    """Try many cases and print the table; 1 if one went badly."""
    parser = argparse.ArgumentParser(prog="python -m fuzzing", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(SUBJECTS)}; all by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--n", type=int, default=None, help="cases in all; no limit by default")
    parser.add_argument(
        "--seconds", type=float, help="stop after so many; 300 by default, no limit with --n"
    )
    parser.add_argument("--jobs", type=int, default=2, help="cases tried at the same time")
    parser.add_argument("--keep", type=Path, default=Path("fuzzing-failures"), metavar="FOLDER")
    parser.add_argument("--case", metavar="SEED", help="try one case, as printed for a failure")
    parser.add_argument("--input", type=Path, metavar="FILE", help="try a kept input of one name")
    given = parser.parse_args(arguments)
    if given.input:
        return _try_kept(given.names, given.input)
    names = [given.case.split(":")[0]] if given.case else given.names
    chosen = subjects(names)
    prepare(PRELOADED)
    table: dict[str, Row] = defaultdict(Row)
    wanted = iter([(names[0], given.case)]) if given.case else seeds(list(chosen), given.seed)
    seconds = given.seconds
    if seconds is None:
        seconds = 300.0 if given.n is None else float("inf")
    end = time.monotonic() + seconds
    for name, seed, (outcome, suffix) in _tried(
        chosen, islice(wanted, given.n), given.keep, given.jobs, end
    ):
        row = table[f"{name} {suffix}" if name == "tables" else name]
        row.kinds[outcome.kind] += 1
        row.peak = max(row.peak, outcome.peak)
        if given.case or not outcome.good:
            print(f"{outcome.kind}  --case '{seed}'  {outcome.message[:300]!r}", flush=True)
    _print(table)
    return int(any(row.kinds[kind] for row in table.values() for kind in KINDS[2:]))


def _try_kept(names: list[str], path: Path) -> int:
    if len(names) != 1 or not path.exists():
        raise SystemExit("error: give one name and a file: python -m fuzzing NAME --input FILE")
    subject = subjects(names)[names[0]]
    prepare(PRELOADED)
    outcome = _worker().run(subject.judge, path)
    print(f"{outcome.kind}  {outcome.message!r}")
    return int(not outcome.good)


def _tried(
    chosen: dict[str, Subject],
    wanted: Iterator[tuple[str, str]],
    kept: Path,
    jobs: int,
    end: float,
) -> Iterator[tuple[str, str, tuple[Outcome, str]]]:
    """Yield outcomes as they come, with no more cases under way than jobs."""
    running: dict[Future[tuple[Outcome, str]], tuple[str, str]] = {}
    with ThreadPoolExecutor(jobs) as pool:
        while True:
            while len(running) < jobs and time.monotonic() < end:
                name, seed = next(wanted, ("", ""))
                if not name:
                    break
                running[pool.submit(try_case, chosen[name], seed, kept)] = (name, seed)
            if not running:
                return
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                yield *running.pop(done), done.result()


def _print(table: dict[str, Row]) -> None:
    print(f"\n{'input':<24} {'cases':>7}", *(f"{kind:>10}" for kind in KINDS), f"{'peak MB':>8}")
    total = Row()
    for name, row in sorted(table.items()):
        total.kinds.update(row.kinds)
        total.peak = max(total.peak, row.peak)
        _print_row(name, row)
    _print_row("all", total)


def _print_row(name: str, row: Row) -> None:
    shown = (f"{row.kinds[kind]:>10,}" for kind in KINDS)
    print(f"{name:<24} {row.kinds.total():>7,}", *shown, f"{row.peak >> 20:>8,}")


if __name__ == "__main__":
    sys.exit(main())
