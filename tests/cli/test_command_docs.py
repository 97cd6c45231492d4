"""Every command, option and exit code is documented."""

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
