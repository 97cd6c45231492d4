"""The command ``rarebit`` and its list of commands, each imported when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

# Command and the module that holds it under the same name. These modules import click and nothing
# slow; the library is imported when the command runs.
COMMANDS = {
    "demo": "rarebit.cli._demo",
    "discover": "rarebit.cli._discover",
    "learn": "rarebit.cli._learn",
    "fit": "rarebit.cli._fit",
    "predict": "rarebit.cli._predict",
    "evaluate": "rarebit.cli._evaluate",
    "compare": "rarebit.cli._compare",
    "datasets": "rarebit.cli._datasets",
    "reproduce": "rarebit.cli._reproduce",
}


class LazyGroup(click.Group):
    """A group that imports a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands, in the order in which people need them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(COMMANDS[cmd_name]), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command, or name the one that was probably meant."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"choose one of {', '.join(COMMANDS)}"
            raise click.UsageError(f"There is no command {args[0]!r}: {hint}", ctx)
        return super().resolve_command(ctx, args)


def _show_version(ctx: click.Context, option: click.Parameter, wanted: bool) -> Any:
    if not wanted or ctx.resilient_parsing:
        return
    from importlib.metadata import version

    click.echo(f"rarebit {version('rarebit')}")
    ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Every command has --help with an example, --json for machines, and --traceback.",
    no_args_is_help=False,
    invoke_without_command=True,
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
@click.pass_context
def rarebit(ctx: click.Context) -> None:
    """Find the rare class in a file, learn its border with few labels, and classify.

    Labelled file? `rarebit fit FILE --target COLUMN` trains a classifier that does not ignore the
    rare class; `rarebit predict` applies it.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
