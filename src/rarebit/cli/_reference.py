"""The page that documents every command, made from the commands themselves.

``python -m rarebit.cli._reference docs/guide/command-line.md`` writes what follows the marker of
the page again; a test compares the two.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from rarebit.cli._group import rarebit

MARKER = "<!-- made by python -m rarebit.cli._reference; do not edit below -->\n"


def every_command() -> Iterator[tuple[str, click.Command]]:
    """Yield each command and subcommand with the words that start it.

    Examples
    --------
    >>> "rarebit datasets show" in dict(every_command())
    True
    """
    context = click.Context(rarebit, info_name="rarebit")
    for name in rarebit.list_commands(context):
        command = rarebit.get_command(context, name)
        assert command is not None
        yield f"rarebit {name}", command
        if isinstance(command, click.Group):
            for each in command.commands.values():
                yield f"rarebit {name} {each.name}", each


def reference() -> str:
    """Return the reference of all commands as Markdown."""
    return "\n".join(_section(name, command) for name, command in every_command())


def _section(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=name)
    pieces = command.collect_usage_pieces(context)
    lines = [f"### {name}", "", inspect.cleandoc(command.help or ""), ""]
    example = getattr(command, "example", "")
    lines += ["```console", f"$ {' '.join([name, *pieces])}", "```", "", "For example:", ""]
    lines += ["```console", *(f"$ {line}" for line in example.strip().splitlines()), "```", ""]
    options = [option for option in command.params if isinstance(option, click.Option)]
    if options:
        lines += ["| option | meaning |", "| :-- | :-- |"]
        lines += [_option_row(option, context) for option in options]
        lines.append("")
    return "\n".join(lines)


def _option_row(option: click.Option, context: click.Context) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    value = "" if option.is_flag else f" `{option.make_metavar(context)}`"
    meaning = (option.help or "").replace("|", "\\|")
    if option.show_default and option.default is not None:
        meaning += f" Default: `{option.default}`."
    return f"| {names}{value.replace('|', chr(92) + '|')} | {meaning} |"


def main(path: Path) -> None:
    """Write the reference into a page, after its marker."""
    head = path.read_text(encoding="utf-8").partition(MARKER)[0]
    path.write_text(f"{head}{MARKER}\n{reference()}", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
