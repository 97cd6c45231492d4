"""``rarebit reproduce``: tables and figures of the papers."""

from __future__ import annotations

import io
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
@click.option("--quick", is_flag=True, help="Small pools and few seeds, as a check.")
@click.option(
    "--seeds",
    type=click.IntRange(1),
    metavar="N",
    help="Repetitions; each table has its own number.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Processes; only with 1 are times comparable.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Folder of results (rarebit-papers, rarebit-papers/quick with --quick).",
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
    """Reproduce tables and figures of the papers, our results beside theirs.

    NAME is list, all, a paper (border), or one of its tables and figures (border.table1). Results
    are kept as they come: the same command continues where a run was interrupted.
    """
    from rarebit.papers import find_plans
    from rarebit.papers import reproduce as run

    if not any(name.lower() == "list" for name in names):
        try:
            find_plans(names)
        except ValueError as error:
            raise click.BadParameter(str(error)) from error
    output, messages = io.StringIO(), io.StringIO()
    code = run(
        names,
        quick=quick,
        seeds=seeds,
        jobs=jobs,
        folder=out,
        fresh=fresh,
        show=show,
        output=output if terminal.as_json else None,
        messages=messages if terminal.as_json else None,
    )
    terminal.result(
        {"exit_code": code, "output": output.getvalue(), "messages": messages.getvalue()}
    )
    return code
