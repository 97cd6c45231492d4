"""Processes beside this one end with it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_PROGRAM = """
from rarebit._child import Child, warm_up
first = Child()
warm_up()
print(first.pid, Child.take().pid)
"""


@pytest.mark.skipif(os.name != "posix", reason="asks for processes by number")
def test_no_child_outlives_a_process_that_ends() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True
    )
    for pid in map(int, done.stdout.split()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
