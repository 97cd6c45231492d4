"""``rarebit reproduce``: tables and figures of the papers."""

from __future__ import annotations

import io
from contextlib import redirect_stderr
from pathlib import Path

import click

from rarebit.cli._command import ExampleCommand
from rarebit.cli._terminal import Terminal


@click.command(
    cls=ExampleCommand,
    example="""\
rarebit reproduce list
rarebit reproduce --quick all
rarebit reproduce border.table1 --seeds 3 --out results""",
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--quick", is_flag=True, help="Small pools and few seeds, to see that all works.")
@click.option(
    "--seeds", type=click.IntRange(1), metavar="N", help="Repetitions (10; 2 with --quick)."
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Processes; times are honest with 1 only.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Folder of results (rarebit-papers).",
)
@click.option("--fresh", is_flag=True, help="Forget the results of earlier runs.")
@click.option("--show", is_flag=True, help="Run nothing: show what is finished.")
def reproduce(
    names: tuple[str, ...],
    quick: bool,
    seeds: int | None,
    jobs: int,
    out: Path | None,
    fresh: bool,
    show: bool,
    terminal: Terminal,
) -> int:
    """Run tables and figures of the papers again, ours beside theirs.

    NAME is list, all, a paper (border), or one of its tables and figures (border.table1). Results
    are kept as they come: the same command goes on where a run was broken off.
    """
    from rarebit.papers import find_plans, main

    if not any(name.lower() == "list" for name in names):
        try:
            find_plans(names)
        except ValueError as error:
            raise click.BadParameter(str(error)) from error
    flags = {"--quick": quick, "--fresh": fresh, "--show": show}
    values = {"--seeds": seeds, "--jobs": jobs, "--out": out}
    arguments = [*names, *(flag for flag, given in flags.items() if given)]
    for option, value in values.items():
        arguments += [] if value is None else [option, str(value)]
    if not terminal.as_json:
        return main(arguments)
    text = io.StringIO()
    with redirect_stderr(io.StringIO()) as messages:
        code = main(arguments, output=text)
    terminal.result({"exit_code": code, "output": text.getvalue(), "messages": messages.getvalue()})
    return code
