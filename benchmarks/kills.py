"""Kill a labelling process over and over, and count acknowledged answers that are lost.

    python -m benchmarks.kills --kills 1000

A child opens a label file, answers, takes answers back, and acknowledges each of them through a
pipe when the store has returned. It is killed with signal 9 at a random time: half of the times
while it opens the file or gives its first answer, else in the middle of its work. The parent then
opens the file as the next session would: every acknowledged answer must be there, in its order, and
nothing may be there that was not given.

A kill does not empty the caches of the system. That an answer is on the disk when it is
acknowledged is seen to by fsync, and only a power cut could test it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rarebit.projects.stores import LabelFile, Line

N_ROWS = 100_000
KILLS_PER_FILE = 50  # opening reads the whole file
MOST_ANSWERS = 30  # that are waited for before a kill
LONGEST_WAIT = 0.005  # seconds that follow
NUMBER = struct.Struct("<q")

Answer = Callable[[LabelFile, int], None]


@dataclass
class Count:
    """What was seen."""

    kills: int = 0
    acknowledged: int = 0
    lost: int = 0
    wrong: int = 0
    unfinished: int = 0


def answer(store: LabelFile, number: int) -> None:
    """Give the answer of a number: a label, a skip, or an undo."""
    kind = number % 7
    if kind == 6:
        store.undo()
    elif kind == 3:
        store.skip(number % N_ROWS)
    else:
        store.add(number % N_ROWS, f"class {number} " + "x" * (number * 37 % 400))


def count_lost(folder: Path, kills: int, seed: int, answer: Answer = answer) -> Count:
    """Kill a process that labels.

    Parameters
    ----------
    folder : Path
        Where label files go.
    kills : int
        How often.
    seed : int
        Of the times at which it is killed.
    answer : function of LabelFile and int
        Gives the answer of a number, from 1, and returns when it is safe.

    Returns
    -------
    Count
        Kills, acknowledged answers, lost ones, wrong ones and files with an unfinished line.
    """
    random_times = random.Random(seed)
    count = Count()
    path = folder / "0.labels.jsonl"
    acknowledged = 0  # the highest number in this file
    for i in range(kills):
        if i % KILLS_PER_FILE == 0:
            path, acknowledged = folder / f"{i}.labels.jsonl", 0
        n_answers = random_times.choice([0, random_times.randint(1, MOST_ANSWERS)])
        numbers = _killed(path, n_answers, random_times.uniform(0.0, LONGEST_WAIT), answer)
        count.kills += 1
        count.acknowledged += len(numbers)
        acknowledged = max([acknowledged, *numbers])
        with _opened(path) as store:
            # A file that can be opened holds the answers from 1 to its last without a gap.
            kept = len(store.events)
            count.lost += max(0, acknowledged - kept)
            count.wrong += sum(not _is_right(event) for event in store.events)
            count.unfinished += store.n_dropped
            acknowledged = kept
    return count


def _opened(path: Path) -> LabelFile:
    return LabelFile(path, ids=range(N_ROWS), fingerprint="kills")


def _is_right(event: Line) -> bool:
    number = event.number
    if number % 7 == 6:
        return event.what == "undo"
    what = "skip" if number % 7 == 3 else "label"
    right = event.what == what and event.row == number % N_ROWS
    return right and (what == "skip" or event.label.startswith(f"class {number} "))


def _killed(path: Path, n_answers: int, wait: float, answer: Answer) -> list[int]:
    """Start a child, kill it after some answers and some time; return what it acknowledged."""
    read, write = os.pipe()
    child = os.fork()  # without imports: a child of its own would spend its life with them
    if child == 0:
        os.close(read)
        try:
            store = _opened(path)
            number = len(store.events)
            while True:
                number += 1
                answer(store, number)
                os.write(write, NUMBER.pack(number))
        finally:
            os._exit(1)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        told = pipe.read(NUMBER.size * n_answers)
        time.sleep(wait)
        os.kill(child, signal.SIGKILL)
        told += pipe.read()
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        raise RuntimeError("The labelling process ended by itself: it could not label.")
    return [
        number for (number,) in NUMBER.iter_unpack(told[: len(told) // NUMBER.size * NUMBER.size])
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; 1 if an answer was lost or is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        count = count_lost(Path(folder), given.kills, given.seed)
    print(json.dumps(asdict(count)))
    return int(count.lost + count.wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
