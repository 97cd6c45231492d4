"""The command ``rarebit`` and its list of commands, each imported when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

# Command and the module that holds it under the same name. These modules import click and nothing
# slow; the library is imported when the command runs.
COMMANDS = {
    "demo": "rarebit.cli._demo",
    "look": "rarebit.cli._look",
    "discover": "rarebit.cli._discover",
    "learn": "rarebit.cli._learn",
    "label": "rarebit.cli._label",
    "team": "rarebit.cli._team",
    "labels": "rarebit.cli._labels",
    "fit": "rarebit.cli._fit",
    "predict": "rarebit.cli._predict",
    "evaluate": "rarebit.cli._evaluate",
    "serve": "rarebit.cli._serve",
    "label-studio": "rarebit.cli._label_studio",
    "card": "rarebit.cli._card",
    "compare": "rarebit.cli._compare",
    "datasets": "rarebit.cli._datasets",
    "reproduce": "rarebit.cli._reproduce",
    "doctor": "rarebit.cli._doctor",
    "completion": "rarebit.cli._completion",
}

# First sentences of the commands, so that ``rarebit --help`` need not import them; a test compares
# them with the commands, and one that is missing here is looked up there.
SUMMARIES = {
    "demo": "Watch a complete run: no arguments, no network, under a minute.",
    "look": "Show what each column of FILE is taken for, before anything is learned from it.",
    "discover": "Find the classes in FILE, of which no row is labelled.",
    "learn": "Learn to distinguish the classes of FILE, starting without any label.",
    "label": "Label FILE in the browser: alone on this computer, or as a team with accounts.",
    "team": "Manage accounts, so that several people can use `rarebit label`.",
    "labels": "Look at earlier answers, change, import and export them; check and recover label "
    "files.",
    "fit": "Train a classifier on the labelled rows of FILE and write it to one file.",
    "predict": "Predict the rows of FILE with MODEL: the id, the class and the score of each.",
    "evaluate": "Compare the decisions of MODEL with the classes of FILE.",
    "serve": "Serve predictions of MODEL over HTTP.",
    "label-studio": "Put the tasks of a Label Studio project into the order that finds the rare "
    "class.",
    "card": "Show what MODEL is for, what it learned from, how good it is, and its limits.",
    "compare": "Measure classifiers and rivals on the labelled rows of FILE, all on the same "
    "folds.",
    "datasets": "List, describe and fetch the data sets of the papers.",
    "reproduce": "Reproduce tables and figures of the papers, our results beside theirs.",
    "doctor": "Show which versions are installed, and what is missing for which feature.",
    "completion": "Print the script by which SHELL completes commands, options and columns.",
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
        command: click.Command = getattr(
            import_module(COMMANDS[cmd_name]), cmd_name.replace("-", "_")
        )
        if ctx.resilient_parsing:  # a shell asks what may follow
            from rarebit.cli._completion import with_columns

            return with_columns(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        limit = formatter.width - 6 - max(map(len, COMMANDS))
        rows = []
        for name in COMMANDS:
            summary = click.Command(name, help=SUMMARIES.get(name))
            command = summary if name in SUMMARIES else self.get_command(ctx, name)
            rows.append((name, "" if command is None else command.get_short_help_str(limit)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)

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
    epilog="Every command has --help with an example, --json for scripts, and --traceback.",
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
