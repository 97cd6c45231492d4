"""What every command has: an example in its help, ``--json``, ``--quiet`` and ``--traceback``."""

from __future__ import annotations

from typing import Any

import click

from rarebit.cli._terminal import Terminal


class _Example:
    """Help that ends with an example."""

    example: str

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example."""
        with formatter.section("Example"):
            for line in self.example.strip().splitlines():
                formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


class ExampleGroup(_Example, click.Group):
    """A command of several commands, with an example.

    Parameters
    ----------
    example : str
        Lines to type.
    **options
        As in `click.Group`.
    """

    def __init__(self, *arguments: Any, example: str, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.example = example

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Show the help where no command follows, as ``rarebit`` alone does."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)


class ExampleCommand(_Example, click.Command):
    """A command whose help ends with an example; its function gets a `Terminal` by name.

    Parameters
    ----------
    example : str
        Lines to type.
    **options
        As in `click.Command`.
    """

    def __init__(self, *arguments: Any, example: str, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.example = example
        self.params += [
            click.Option(
                ["--json"],
                is_flag=True,
                help="Print one JSON object instead of text; no progress.",
            ),
            click.Option(["-q", "--quiet"], is_flag=True, help="No progress and no notes."),
            click.Option(["--traceback"], is_flag=True, help="Show where an error was raised."),
        ]

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command with a terminal made from its options."""
        as_json, quiet = ctx.params.pop("json"), ctx.params.pop("quiet")
        ctx.params.pop("traceback")  # read by whoever catches the error
        ctx.params["terminal"] = Terminal(as_json=as_json, quiet=quiet)
        return super().invoke(ctx)
