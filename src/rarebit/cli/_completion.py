"""Completion in shells: commands, options, and the columns of the file that was typed."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    split_arg_string,
)

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
# Those whose value is a column of the file of labels that stands behind the data.
LABEL_COLUMN_OPTIONS = {"column", "id_column"}


def complete_columns(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the columns of the file on the command line that begin like the word typed."""
    place = _place(context)
    if place is not None and place.is_dir():
        # The subfolders of a folder of images are its only column of classes.
        names = ["folder"] if parameter.name in ("target", "oracle") else []
    else:
        names = _columns(place)
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def complete_label_columns(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the columns of the file of labels that begin like the word typed."""
    names = _columns(_place(context, ("file",)))
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def complete_kinds(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return columns with ``=``, and the kinds that a column can be read as."""
    from rarebit.tables import WISHES

    names = [f"{name}=" for name in _columns(_place(context))]
    known = [name for name in names if incomplete.startswith(name)]
    # One column is offered with its kinds: a shell would put a space behind a lone word.
    found = known or [name for name in names if name.startswith(incomplete)]
    if len(found) == 1:
        found = [f"{found[0]}{kind}" for kind in WISHES]
    return [CompletionItem(word) for word in found if word.startswith(incomplete)]


def _place(context: click.Context, wanted: tuple[str, ...] = ("data", "file")) -> Path | None:
    """Return the file or folder on the command line, by the names that its argument may have."""
    place = next((context.params[name] for name in wanted if context.params.get(name)), None)
    if place is None:
        # Other files may come first, as the model does in `rarebit predict MODEL FILE`.
        names = [each.name for each in context.command.params if isinstance(each, click.Argument)]
        before = next((i for i, name in enumerate(names) if name in wanted), 0)
        there = [word for word in _words(context) if Path(word).exists()]
        place = there[before] if len(there) > before else None
    return None if place is None or not Path(place).exists() else Path(place)


def _words(context: click.Context) -> list[str]:
    """Words that click has not made into parameters yet, such as a file after an option."""
    return [str(word) for word in (*context.args, *getattr(context, "_protected_args", ()))]


def _columns(path: Path | None) -> list[str]:
    from rarebit.tables import scan_table

    if path is None or not path.is_file():
        return []
    try:
        scan = scan_table(path)
    except Exception:  # a file that cannot be read completes nothing
        return []
    known = getattr(scan, "fields", ()) or getattr(scan, "dtypes", None) or scan.columns
    return [name for name in known if name.isprintable()]


def with_columns(command: click.Command) -> click.Command:
    """Let the options of a command, or of those of a group, that name columns complete them."""
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        with_columns(inner)
    for parameter in command.params:
        own = getattr(parameter, "_custom_shell_complete", None)
        if parameter.name in COLUMN_OPTIONS and own is None:
            parameter._custom_shell_complete = complete_columns
        elif parameter.name in LABEL_COLUMN_OPTIONS and own is None:
            parameter._custom_shell_complete = complete_label_columns
        elif "--as" in parameter.opts and own is None:
            parameter._custom_shell_complete = complete_kinds
    return command


class _Bash(BashComplete):
    """Bash, which breaks words at ``=`` and wants only what follows it, written as it reads it."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one that is typed, and that one, each in one piece."""
        words, place = split_arg_string(os.environ["COMP_WORDS"]), int(os.environ["COMP_CWORD"])
        whole: list[str] = []
        for word in words[1 : place + 1]:
            if whole and (word == "=" or whole[-1].endswith("=")):
                whole[-1] += word
            else:
                whole.append(word)
        if place >= len(words):
            whole.append("")
        self._typed = whole[-1] if whole else ""
        # The script joins the words by line ends.
        self._quote = _open_quote("\n".join(os.environ["COMP_WORDS"].split("\n")[: place + 1]))
        return whole[:-1], self._typed

    def format_completion(self, item: CompletionItem) -> str:
        """Leave out what bash takes for words of its own."""
        before = self._typed[: self._typed.rfind("=") + 1]
        value = item.value
        # As it is, and behind an option such as --as=amount=.
        for head in (before, before.partition("=")[2]):
            if head and value.startswith(head):
                value = value.removeprefix(head)
                break
        return f"{item.type},{_escaped(value, self._quote) if item.type == 'plain' else value}"


# What means something else to bash, by the quote that is open.
_SPECIAL = {"": re.compile(r"[\s!\"#$&'()*;<>?\[\\\]^`{|}~]"), '"': re.compile(r'["$`\\]')}


def _escaped(word: str, quote: str) -> str:
    """Write a word so that bash reads it back.

    Examples
    --------
    >>> print(_escaped("Covidence #", ""))
    Covidence\\\\ \\\\#
    """
    if quote in _SPECIAL:
        word = _SPECIAL[quote].sub(r"\\\g<0>", word)
    # The script reads each line with `read`, which takes one backslash for itself.
    return word.replace("\\", "\\\\")


def _open_quote(words: str) -> str:
    """Return the quote that is open at the end of what was typed, or nothing.

    Examples
    --------
    >>> _open_quote("fit --id 'a"), _open_quote("it\\\\'s")
    ("'", '')
    """
    quote, place = "", 0
    while place < len(words):
        letter = words[place]
        if letter == "\\" and quote != "'":
            place += 1
        elif letter == quote:
            quote = ""
        elif letter in "\"'" and not quote:
            quote = letter
        place += 1
    return quote


def prepare_shells() -> None:
    """Let click ask our class where bash completes."""
    add_completion_class(_Bash)


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
