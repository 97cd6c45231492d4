"""``rarebit look``: what a file holds, and what becomes of its columns."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import click

from rarebit._text import counted, name_counts, name_list, rough_percent, tell_alike
from rarebit.cli._command import ExampleCommand
from rarebit.cli._rare import check_exclusive, rare_options
from rarebit.cli._reading import FILE, read_rows, reading_options
from rarebit.cli._terminal import Terminal


@click.command(
    cls=ExampleCommand,
    example="""\
rarebit look payments.csv
rarebit look payments.csv --target fraud --as amount=money --json""",
)
@FILE
@rare_options()
@reading_options()
def look(
    file: Path,
    reading: dict[str, Any],
    rare: tuple[str, ...] | None,
    normal: tuple[str, ...] | None,
    terminal: Terminal,
) -> None:
    """Show what each column of FILE is taken for, before anything is learned from it.

    Types, missing cells, what is left out and why, duplicate rows, columns that are ids, and with
    --target columns that give the class away. --as changes what a column is taken for, here and in
    every other command.
    """
    from rarebit.tables import RepeatedIdError
    from rarebit.tables import look as look_at

    check_exclusive(rare, normal)
    if (rare or normal) and reading["target"] is None:
        raise click.UsageError("--rare and --normal name classes of a column: give --target, too")
    try:
        table = read_rows(file, terminal, **reading)
    except RepeatedIdError as error:
        # Other commands refuse it; whoever looks wants to see the rest as well.
        terminal.note(f"note: {error}")
        table = read_rows(file, terminal, **{**reading, "id": None})
    dropped = [name for name, kind in reading["columns"].items() if kind == "drop"]
    sought: tuple[str, ...] = ()
    counts: Counter[str] = Counter()
    if (rare or normal) and table.target is not None:
        from rarebit.models import choose_rare

        counts.update(str(name) for name in table.target.tolist() if name)
        sought = choose_rare(counts, rare, normal, file.name)
    found = look_at(table, left_out=[*reading["drop"], *dropped], rare=sought)
    terminal.table(
        ["column", "read as", "missing", "distinct", "used", "remark"],
        [
            [
                column.name,
                column.kind,
                "" if column.missing is None else f"{column.missing:,}",
                "" if column.distinct is None else f"{column.distinct:,}",
                "yes" if column.used else "no",
                column.remark,
            ]
            for column in found.columns
        ],
    )
    copies = {0: "none of them a copy", 1: "1 of them a copy"}.get(
        found.duplicates, f"{found.duplicates:,} of them copies"
    )
    terminal.say(f"{counted(found.n_rows, 'row')}, {copies} of an earlier row.")
    if found.locale:
        terminal.say(f"Numbers have a {found.locale}.")
    if found.classes:
        terminal.say(f"Classes: {name_counts(found.classes)}.")
        for sentence in tell_alike(found.classes):
            terminal.note(f"note: {sentence}")
    result = found.to_json()
    if sought:
        n_rare = sum(counts[name] for name in sought)
        share = rough_percent(n_rare / counts.total())
        terminal.say(f"Rare: {name_list(sought)}, {counted(n_rare, 'row')} ({share}).")
        result["rare_classes"] = {name: counts[name] for name in sought}
    terminal.result(result)
