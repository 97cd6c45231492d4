"""Rules of the repository: what is tracked, and that documents and code agree."""

from __future__ import annotations

import importlib
import inspect
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import rarebit

ROOT = Path(__file__).resolve().parents[1]
LARGEST_FILE = 400_000  # bytes
LONGEST_SOURCE = 400  # lines
DATA_SUFFIXES = {
    ".arff", ".bz2", ".csv", ".dat", ".db", ".feather", ".gz", ".h5", ".joblib", ".jsonl", ".npy",
    ".npz", ".parquet", ".pickle", ".pkl", ".skops", ".sqlite", ".sqlite3", ".svmlight", ".tar",
    ".tsv", ".xls", ".xlsx", ".xz", ".zip",
}  # fmt: skip
# Measured results are text that belongs to the project.
RESULTS = ("benchmarks/",)


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    """Return the files that git tracks and that exist."""
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed")
    listing = subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listing.returncode:
        pytest.skip(f"not a git checkout: {listing.stderr.strip()}")
    paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def test_no_source_file_is_long(tracked: list[Path]) -> None:
    sources = [
        path
        for path in tracked
        if path.relative_to(ROOT).parts[0] in {"src", "core"}
        and path.suffix in {".py", ".cpp", ".hpp", ".js", ".css", ".html"}
        and not {"vendor", "third_party"} & set(path.parts)
    ]
    assert len(sources) > 300
    long = {
        str(path.relative_to(ROOT)): lines
        for path in sources
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST_SOURCE
    }
    assert not long


def test_no_two_classes_have_one_name() -> None:
    homes: dict[str, list[str]] = {}
    for path in sorted((ROOT / "src" / "rarebit").rglob("*.py")):
        for name in re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            homes.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert len(homes) > 200
    assert not {name: where for name, where in homes.items() if len(where) > 1}


def test_no_data_file_is_tracked(tracked: list[Path]) -> None:
    names = [path.relative_to(ROOT).as_posix() for path in tracked]
    data = [
        name
        for name in names
        if Path(name).suffix.lower() in DATA_SUFFIXES and not name.startswith(RESULTS)
    ]
    assert not data, f"data is read from the directory RAREBIT_DATA, never tracked: {data}"


def test_no_large_file_is_tracked(tracked: list[Path]) -> None:
    large = {str(path.relative_to(ROOT)): path.stat().st_size for path in tracked}
    large = {name: size for name, size in large.items() if size > LARGEST_FILE}
    assert not large, f"larger than {LARGEST_FILE} bytes: {large}"


PERSONAL_PATH = re.compile(r"(?<![\w.~-])/(?:home|root|Users|work)/[\w.]|[A-Z]:\\Users\\")


def test_no_tracked_file_names_a_personal_directory(tracked: list[Path]) -> None:
    found = []
    for path in tracked:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if PERSONAL_PATH.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert not found, "\n".join(found)


def test_every_public_name_is_in_the_api_page() -> None:
    page = ROOT / "docs" / "api.md"
    if not page.exists():
        pytest.skip("the documentation is not beside the tests")
    text = page.read_text(encoding="utf-8")
    missing = [
        name
        for name in rarebit.__all__
        if not name.startswith("_") and not re.search(rf"\b{re.escape(name)}\b", text)
    ]
    assert not missing, f"not in docs/api.md: {missing}"


SUBPACKAGES = sorted(path.parent.name for path in ROOT.glob("src/rarebit/[a-z]*/__init__.py"))


@pytest.mark.parametrize("name", SUBPACKAGES)
def test_every_subpackage_is_documented(name: str) -> None:
    """The API page names the subpackage; its page lists all that `__all__` does."""
    listed = (ROOT / "docs" / "api.md").read_text(encoding="utf-8").split()
    assert name in listed, f"rarebit.{name} is not in docs/api.md"
    module = importlib.import_module(f"rarebit.{name}")
    assert module.__doc__
    silent = [
        public
        for public in module.__all__
        if callable(getattr(module, public)) and not inspect.getdoc(getattr(module, public))
    ]
    assert not silent, f"no docstring: {silent}"


def test_every_public_name_exists() -> None:
    missing = [name for name in rarebit.__all__ if not hasattr(rarebit, name)]
    assert not missing
