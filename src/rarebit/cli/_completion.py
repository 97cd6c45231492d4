"""Completion in shells: commands, options, and the columns of the file that was typed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from rarebit.cli._command import ExampleCommand
from rarebit.cli._terminal import Terminal

_SHELLS = ("bash", "zsh", "fish")
_FILES = {
    "bash": "~/.bashrc",
    "zsh": "~/.zshrc",
    "fish": "~/.config/fish/completions/rarebit.fish",
}
# Options whose value is a column of the file.
COLUMN_OPTIONS = {
    "target", "id", "text", "drop", "categorical", "oracle", "shown", "group", "time",
}  # fmt: skip


def complete_columns(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the columns of the file on the command line that begin like the word typed."""
    place = context.params.get("file") or context.params.get("data")
    if place is None:
        place = next((each for each in _words(context) if Path(each).is_file()), None)
    if place is None or not Path(place).is_file():
        return []
    try:
        names = _columns(Path(place))
    except Exception:  # a file that cannot be read completes nothing
        return []
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _words(context: click.Context) -> list[str]:
    """Words that click has not made into parameters yet, such as a file after an option."""
    return [str(word) for word in (*context.args, *getattr(context, "_protected_args", ()))]


def _columns(path: Path) -> list[str]:
    from rarebit.tables import scan_table

    scan = scan_table(path)
    known: dict[str, Any] = getattr(scan, "dtypes", None) or scan.columns
    return list(known)


def with_columns(command: click.Command) -> click.Command:
    """Let the options of a command that name columns complete them."""
    for parameter in command.params:
        own = getattr(parameter, "_custom_shell_complete", None)
        if parameter.name in COLUMN_OPTIONS and own is None:
            parameter._custom_shell_complete = complete_columns
    return command


@click.command(
    cls=ExampleCommand,
    example="""\
rarebit completion bash >> ~/.bashrc
rarebit completion fish > ~/.config/fish/completions/rarebit.fish""",
)
@click.argument("shell", type=click.Choice(_SHELLS))
def completion(shell: str, terminal: Terminal) -> None:
    """Print the script by which SHELL completes commands, options and columns.

    Open a new shell afterwards. Then `rarebit fit payments.csv --target <Tab>` offers the columns.
    """
    from click.shell_completion import get_completion_class

    from rarebit.cli._group import rarebit

    kind = get_completion_class(shell)
    assert kind is not None
    source = kind(rarebit, {}, "rarebit", "_RAREBIT_COMPLETE").source()
    if terminal.as_json:
        terminal.result({"shell": shell, "script": source, "file": _FILES[shell]})
    else:
        click.echo(source)
