"""The command itself: help, version, errors, exit codes, speed by what it does not import."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import click
import pytest

from rarebit.cli import ExitCode, main
from rarebit.cli._errors import explain
from rarebit.cli._group import COMMANDS
from rarebit.cli._group import rarebit as group
from rarebit.distributed import ClusterError

SLOW = {"sklearn", "numpy", "scipy", "polars", "pandas", "matplotlib", "skrub", "skops", "rich"}


def all_commands() -> list[tuple[str, click.Command]]:
    """Every command and subcommand with what is typed to start it."""
    context = click.Context(group, info_name="rarebit")
    found: list[tuple[str, click.Command]] = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        found.append((name, command))
        if isinstance(command, click.Group):
            found += [(f"{name} {sub}", each) for sub, each in command.commands.items()]
    return found


def test_no_arguments_show_the_help(command: Any) -> None:
    outcome = command()
    assert outcome.code == ExitCode.OK
    assert "Usage: rarebit" in outcome.out
    assert all(name in outcome.out for name in COMMANDS)


@pytest.mark.parametrize("name", ["datasets", "labels", "team"])
def test_a_group_without_a_command_shows_its_help(command: Any, name: str) -> None:
    alone = command(name)
    assert alone.code == ExitCode.OK
    assert alone.out == command(name, "--help").out
    assert alone.err == ""


def test_version(command: Any) -> None:
    import rarebit

    assert command("--version").out.strip() == f"rarebit {rarebit.__version__}"


@pytest.mark.parametrize(("name", "each"), all_commands())
def test_every_command_has_help_with_an_example(
    name: str, each: click.Command, command: Any
) -> None:
    outcome = command(*name.split(), "--help")
    assert outcome.code == ExitCode.OK
    assert "Example:" in outcome.out
    assert f"rarebit {name.split()[0]}" in outcome.out.split("Example:")[1]
    for option in each.params:
        if isinstance(option, click.Option):
            assert option.help, f"{option.opts} of {name} has no help"


@pytest.mark.parametrize(("name", "each"), all_commands())
def test_examples_name_options_that_exist(name: str, each: click.Command) -> None:
    commands = dict(all_commands())
    for line in each.example.splitlines():  # type: ignore[attr-defined]
        words = line.split()
        assert words[0] == "rarebit", line
        named = commands.get(" ".join(words[1:3])) or commands[words[1]]
        known = {text for option in named.params for text in option.opts}
        assert {w.split("=")[0] for w in words if w.startswith("--")} <= known, line


def test_help_imports_nothing_slow() -> None:
    code = (
        "import sys; from rarebit.cli import main; main(['--help']); "
        f"print(sorted({SLOW!r} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_a_wrong_command_names_the_right_one(command: Any) -> None:
    outcome = command("dataset")
    assert outcome.code == ExitCode.USAGE
    assert "did you mean 'datasets'?" in outcome.error


def test_a_wrong_option_names_the_help(command: Any) -> None:
    outcome = command("datasets", "list", "--colour")
    assert outcome.code == ExitCode.USAGE
    assert outcome.error.endswith("see rarebit datasets list --help.")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["completion"], "Name the shell: bash, zsh or fish; see rarebit completion --help."),
        (["team", "role", "anna"], "Name the role: viewer, annotator or owner; see"),
        (["fit"], "Missing argument 'FILE'; see rarebit fit --help."),
    ],
)
def test_what_is_missing_is_named_in_one_line(command: Any, words: list[str], said: str) -> None:
    outcome = command(*words)
    assert outcome.code == ExitCode.USAGE
    assert outcome.error.startswith(said)
    assert "\\" not in outcome.error


def test_errors_as_json(command: Any) -> None:
    outcome = command("datasets", "show", "nothing", "--json")
    assert outcome.code == ExitCode.INPUT
    assert outcome.json["exit_code"] == ExitCode.INPUT
    assert "There is no data set 'nothing'" in outcome.json["error"]


def test_tracebacks_on_request_only(command: Any) -> None:
    assert "Traceback" not in command("datasets", "show", "nothing").err
    assert "Traceback" in command("datasets", "show", "nothing", "--traceback").err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
        (click.UsageError("no"), 2),
        (ValueError("It is wrong."), 3),
        (FileNotFoundError(2, "No such file", "x.csv"), 3),
        (PermissionError(13, "Permission denied", "x.csv"), 3),
        (OSError(28, "No space left on device"), 4),
        (MemoryError(), 3),
        (ModuleNotFoundError("No module named 'polars'", name="polars"), 5),
        (ClusterError("No scheduler answers: start one."), 3),
        (RuntimeError("boom"), 1),
    ],
)
def test_exit_codes(error: BaseException, code: int) -> None:
    found, message = explain(error)
    assert found == code
    assert message.endswith(".")
    assert "\n" not in message


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    for module in [name for name in sys.modules if name.startswith("rarebit.cli._")]:
        if module != "rarebit.cli._exit":
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "click", None)
    assert main(["--help"]) == ExitCode.MISSING_PACKAGE
    assert "pip install '.[cli]'" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("module", "extra"),
    [("fastapi", "server"), ("openpyxl", "excel"), ("distributed.client", "dask"), ("rich", "cli")],
)
def test_a_missing_package_is_named_with_its_extra(module: str, extra: str) -> None:
    code, message = explain(ModuleNotFoundError(f"No module named {module!r}", name=module))
    assert code == ExitCode.MISSING_PACKAGE
    assert module in message
    assert f"'.[{extra}]'" in message


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /dev/full")
def test_a_full_disk_behind_standard_output() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "rarebit", "datasets", "show", "yeast"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == ExitCode.OUTPUT
    assert "disk is full" in done.stderr
    assert "Traceback" not in done.stderr


def test_summaries_of_the_list_are_those_of_the_commands() -> None:
    from importlib import import_module

    from rarebit.cli._group import COMMANDS, SUMMARIES

    for name, summary in SUMMARIES.items():
        command = getattr(import_module(COMMANDS[name]), name.replace("-", "_"))
        assert summary == command.get_short_help_str(1000)
