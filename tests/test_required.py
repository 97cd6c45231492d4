"""RAREBIT_REQUIRE: a skip for want of something required fails the run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent
SKIPPED = """
import pytest
{top}

def test_nothing():
    {inside}
"""


@pytest.mark.parametrize(
    ("required", "top", "inside", "passes"),
    [
        ("", "", "pytest.skip('no Chromium is installed')", True),
        ("postgresql", "", "pytest.skip('no Chromium is installed')", True),
        ("chromium", "", "pytest.skip('no Chromium is installed')", False),
        ("chromium,data", "", "pytest.skip('set RAREBIT_DATA to its directory')", False),
        ("postgresql", "pytest.importorskip('psycopg_is_not_here')", "pass", False),
        ("chrome", "", "pytest.skip('no Chromium is installed')", False),
    ],
)
def test_skips_become_failures(
    tmp_path: Path, required: str, top: str, inside: str, passes: bool
) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text((ROOT / "conftest.py").read_text(encoding="utf-8"))
    (tmp_path / "test_it.py").write_text(SKIPPED.format(top=top, inside=inside))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"],
        cwd=tmp_path,
        env={**os.environ, "RAREBIT_REQUIRE": required},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert (done.returncode == 0) is passes, done.stdout
