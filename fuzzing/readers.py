"""Damaged tables: every file must be read, or refused with one sentence."""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Callable
from pathlib import Path

from fuzzing._bounded import Refused
from fuzzing._crafted import CRAFTED
from fuzzing._damage import damage
from fuzzing._files import PACKERS, WRITERS, image, npz_members, zipped


def write(seed: str, folder: Path) -> Path:
    """Write one case; the first ones of a seed are the crafted files."""
    number = int(seed.rpartition(":")[2])
    crafted = list(CRAFTED.values())
    make = crafted[number] if number < len(crafted) else _damaged(seed)
    return make(folder)


def _damaged(seed: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        dice = random.Random(seed)
        kind = dice.choice([*WRITERS, ".npz", "images", "packed", "packed"])
        if kind == "images":
            return _damaged_images(folder, dice)
        if kind == ".npz" and dice.random() < 0.7:
            members = npz_members(dice)
            name = dice.choice(list(members))
            if dice.random() < 0.7:
                members[name] = damage(members[name], dice)
            data = zipped(members)
        elif kind == "packed":
            inner = dice.choice([".csv", ".jsonl", ".svmlight"])
            suffix = dice.choice(list(PACKERS))
            plain = WRITERS[inner](dice)
            inside = dice.random() < 0.3
            data = PACKERS[suffix](damage(plain, dice) if inside else plain)
            data = data if inside else damage(data, dice)
            kind = inner + suffix
        else:
            data = damage(WRITERS[kind](dice), dice)
        path = folder / f"rows{kind}"
        path.write_bytes(data)
        return path

    return write


def _damaged_images(folder: Path, dice: random.Random) -> Path:
    for i in range(2):
        kind, data = image(dice)
        path = folder / "images" / ("rare" if i else "usual") / f"{i}.{kind}"
        path.parent.mkdir(parents=True)
        path.write_bytes(damage(data, dice) if i else data)
    return folder / "images"


def judge(path: Path) -> str:
    """Read a table, show rows of it, and make features of it."""
    from rarebit.exceptions import RarebitError
    from rarebit.tables import TableEncoder, read_table

    try:
        table = read_table(path)
        table.show(0)
        table.show(table.n_rows - 1)
        TableEncoder().fit_transform(table)
    except OSError as error:
        if isinstance(error, RarebitError) or error.errno is not None:
            raise Refused(str(error)) from error
        raise
    except RarebitError as error:
        sentence = str(error)
        if "\n" in sentence or len(sentence) > 1000 or not sentence.endswith((".", "?")):
            raise AssertionError(f"no sentence: {sentence[:300]!r}") from error
        raise Refused(sentence) from error
    return repr(table)


def judge_command(path: Path) -> str:
    """Let ``rarebit fit`` read a table."""
    from rarebit.cli import ExitCode, main

    out, err = io.StringIO(), io.StringIO()
    model = path.parent / "model.rarebit"
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["fit", str(path), "-t", "class", "-m", "kernel", "--no-validation",
                     "-o", str(model), "--json"])  # fmt: skip
    said = err.getvalue().strip()
    if code == ExitCode.OK:
        return said
    if code in (ExitCode.INPUT, ExitCode.USAGE) and "Traceback" not in said and said:
        raise Refused(said)
    raise AssertionError(f"exit code {code}: {said[-300:]}")
