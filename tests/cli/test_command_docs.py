"""Every command, option and exit code is documented, and documents name no others."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from rarebit.cli import ExitCode
from rarebit.cli._reference import MARKER, every_command, reference

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "command-line.md"
pytestmark = pytest.mark.skipif(not GUIDE.exists(), reason="documents are not beside the tests")
COMMANDS = dict(every_command())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_in_the_guide(name: str) -> None:
    section = GUIDE.read_text(encoding="utf-8").partition(f"### {name}\n")[2].partition("\n### ")[0]
    assert section, f"{name} has no section in {GUIDE.name}"
    for option in COMMANDS[name].params:
        if isinstance(option, click.Option):
            assert all(f"`{text}`" in section for text in option.opts), option.opts


def test_the_reference_is_that_of_the_commands() -> None:
    written = GUIDE.read_text(encoding="utf-8").partition(MARKER)[2]
    hint = "run python -m rarebit.cli._reference docs/guide/command-line.md"
    assert written.strip() == reference().strip(), hint


def test_every_exit_code_is_in_the_guide() -> None:
    table = GUIDE.read_text(encoding="utf-8").partition("| exit code |")[2].partition("\n\n")[0]
    codes = {int(number) for number in re.findall(r"^\| (\d+) \|", table, re.M)}
    assert codes == {int(code) for code in ExitCode}


def test_console_lines_name_commands_and_options_that_exist() -> None:
    documents = [GUIDE.parents[2] / "README.md", *GUIDE.parents[1].rglob("*.md")]
    for document in documents:
        for line in re.findall(r"^\$ rarebit (.*)$", document.read_text(encoding="utf-8"), re.M):
            words = line.split()
            if words[0].startswith("-"):
                continue
            two, one = f"rarebit {' '.join(words[:2])}", f"rarebit {words[0]}"
            command = COMMANDS.get(two) or COMMANDS.get(one)
            assert command is not None, f"{document.name}: {line}"
            known = {text for option in command.params for text in option.opts} | {"--help"}
            given = {word.split("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)}
            assert given <= known, f"{document.name}: {line}"
