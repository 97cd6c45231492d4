"""Rules of the repository: what is tracked, and that documents and code agree."""

from __future__ import annotations

import doctest
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import rarebit

ROOT = Path(__file__).resolve().parents[1]
LARGEST_FILE = 400_000  # bytes
DATA_SUFFIXES = {
    ".arff", ".bz2", ".csv", ".dat", ".feather", ".gz", ".h5", ".joblib", ".jsonl", ".npy", ".npz",
    ".parquet", ".pickle", ".pkl", ".skops", ".svmlight", ".tar", ".tsv", ".xls", ".xlsx", ".xz",
    ".zip",
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


def test_every_public_name_exists() -> None:
    missing = [name for name in rarebit.__all__ if not hasattr(rarebit, name)]
    assert not missing


DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
# A block whose preceding line is `<!-- not run -->` is shown and not executed.
FENCE = re.compile(r"^(?P<note><!-- not run -->\n)?```python\n(?P<code>.*?)^```$", re.M | re.S)
OPTIONAL_PACKAGES = {"jinja2", "matplotlib", "pandas", "plotly", "polars", "skops", "skrub"}


def python_blocks(document: Path) -> list[tuple[int, str]]:
    """Return the first line number and the text of every block that is to run."""
    text = document.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, match.start("code")) + 1, match["code"])
        for match in FENCE.finditer(text)
        if not match["note"]
    ]


@pytest.mark.parametrize(
    "document",
    [path for path in DOCUMENTS if path.exists() and python_blocks(path)],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_code_of_documents_runs(
    document: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Run a page from top to bottom: a block may use what the blocks before it made."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    namespace: dict[str, object] = {"__name__": "__main__"}
    for line, code in python_blocks(document):
        try:
            if ">>>" in code:
                run_session(code, namespace, document, line)
            else:
                # Blank lines make tracebacks show the line of the document.
                exec(compile("\n" * (line - 1) + code, str(document), "exec"), namespace)
        except ModuleNotFoundError as error:
            if error.name not in OPTIONAL_PACKAGES:
                raise
            pytest.skip(f"{error.name} is not installed")


def run_session(code: str, namespace: dict[str, object], document: Path, line: int) -> None:
    test = doctest.DocTestParser().get_doctest(
        code, namespace, document.name, str(document), line - 1
    )
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    report: list[str] = []
    doctest.DocTestRunner(optionflags=flags).run(test, out=report.append, clear_globs=False)
    namespace.update(test.globs)
    assert not report, "".join(report)
