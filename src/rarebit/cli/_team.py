"""``rarebit team``: accounts of the people who label together."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rarebit.cli._command import ExampleCommand, ExampleGroup
from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    from rarebit.server import Accounts

_ROLE = click.option(
    "--role",
    type=click.Choice(["viewer", "annotator", "owner"]),
    default="annotator",
    show_default=True,
    help="viewer reads, annotator labels, owner decides.",
)
_PROJECT = click.option(
    "--project", metavar="NAME", help="Only in this project, named as its file [default: in all]."
)
_ACCOUNTS = click.option(
    "--accounts",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("rarebit-team.json"),
    show_default=True,
    metavar="FILE",
    help="Where the accounts are; only you can read it.",
)
_PASSWORD = click.option(
    "--password-stdin", is_flag=True, help="Read the password from standard input."
)


@click.group(
    cls=ExampleGroup,
    example="""\
rarebit team add ann --role owner
rarebit team invite --role annotator --url http://192.168.1.5:8000
rarebit team list""",
)
def team() -> None:
    """Manage accounts, so that several people can use `rarebit label`.

    Passwords are kept as argon2 hashes. Nobody can register without an invitation.
    """


def _open(path: Path) -> Accounts:
    from rarebit.server import Accounts

    return Accounts(path)


def _password(from_stdin: bool) -> str:
    import getpass

    if from_stdin:
        return sys.stdin.readline().rstrip("\n")
    if not sys.stdin.isatty():
        raise click.UsageError(
            "no terminal to type a password in: give --password-stdin and send it there"
        )
    first = getpass.getpass("Password: ")
    if first != getpass.getpass("Again: "):
        raise click.UsageError("the passwords differ: try again")
    return first


@team.command("add", cls=ExampleCommand, example="rarebit team add ann --role owner")
@click.argument("name", metavar="NAME")
@_ROLE
@_PROJECT
@_PASSWORD
@_ACCOUNTS
def add(
    name: str,
    role: str,
    project: str | None,
    password_stdin: bool,
    accounts: Path,
    terminal: Terminal,
) -> None:
    """Add a person; the password is asked for."""
    _open(accounts).add(name, _password(password_stdin), role, project)
    terminal.say(f"{name} is {role} of {project or 'all projects'}. Next: rarebit label FILE")
    terminal.result({"name": name, "role": role, "project": project})


@team.command("list", cls=ExampleCommand, example="rarebit team list")
@_ACCOUNTS
def show(accounts: Path, terminal: Terminal) -> None:
    """List people and what they may do."""
    users = _open(accounts).users()
    if not users:
        terminal.say("There are no accounts. Next: rarebit team add NAME --role owner")
    else:
        rows = [
            [name, user["role"] or "-", ", ".join(f"{p}: {r}" for p, r in user["projects"].items())]
            for name, user in users.items()
        ]
        terminal.table(["name", "role", "in projects"], rows)
    terminal.result({"users": [{"name": name, **user} for name, user in users.items()]})


@team.command("remove", cls=ExampleCommand, example="rarebit team remove bob")
@click.argument("name", metavar="NAME")
@_ACCOUNTS
def remove(name: str, accounts: Path, terminal: Terminal) -> None:
    """Remove a person; their answers stay."""
    _open(accounts).remove(name)
    terminal.say(f"{name} is removed; their answers stay.")
    terminal.result({"removed": name})


@team.command("role", cls=ExampleCommand, example="rarebit team role bob viewer")
@click.argument("name", metavar="NAME")
@click.argument("role", type=click.Choice(["viewer", "annotator", "owner"]), metavar="ROLE")
@_PROJECT
@_ACCOUNTS
def role(name: str, role: str, project: str | None, accounts: Path, terminal: Terminal) -> None:
    """Change what a person may do."""
    _open(accounts).set_role(name, role, project)
    terminal.say(f"{name} is {role} of {project or 'all projects'}.")
    terminal.result({"name": name, "role": role, "project": project})


@team.command("password", cls=ExampleCommand, example="rarebit team password bob")
@click.argument("name", metavar="NAME")
@_PASSWORD
@_ACCOUNTS
def password(name: str, password_stdin: bool, accounts: Path, terminal: Terminal) -> None:
    """Set the password of a person and end their sessions."""
    _open(accounts).set_password(name, _password(password_stdin))
    terminal.say(f"The password of {name} is changed.")
    terminal.result({"name": name})


@team.command("invite", cls=ExampleCommand, example="rarebit team invite --role annotator")
@_ROLE
@_PROJECT
@click.option("--days", type=click.FloatRange(0.01, 90), default=7.0, show_default=True,
              help="How long the link can be used.")  # fmt: skip
@click.option("--uses", type=click.IntRange(1, 100), default=1, show_default=True,
              help="How many people can use it.")  # fmt: skip
@click.option("--url", default="http://127.0.0.1:PORT", show_default=True, metavar="ADDRESS",
              help="Address of the page, as rarebit label prints it.")  # fmt: skip
@_ACCOUNTS
def invite(
    role: str,
    project: str | None,
    days: float,
    uses: int,
    url: str,
    accounts: Path,
    terminal: Terminal,
) -> None:
    """Make a link by which a person chooses a name and a password."""
    opened = _open(accounts)
    if opened.owner() is None:
        raise click.UsageError("make an owner first: rarebit team add NAME --role owner")
    name, secret = opened.invite(role, project, days, uses)
    link = f"{url.rstrip('/')}/?invite={secret}"
    terminal.say(link)
    terminal.note("The link is shown this once. Whoever has it can join: send it in private.")
    terminal.result({"id": name, "link": link, "role": role, "project": project})
