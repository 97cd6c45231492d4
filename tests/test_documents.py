"""Documents keep their word: their code and commands run, their links lead somewhere."""

from __future__ import annotations

import doctest
import re
import runpy
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
MADE = {"_build", "_templates", "auto_examples", "generated"}
PAGES = sorted(path for path in DOCS.rglob("*.md") if not MADE & set(path.relative_to(DOCS).parts))
DOCUMENTS = [path for path in (README, ROOT / "CONTRIBUTING.md", *PAGES) if path.exists()]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

# Pages whose lines `rarebit …` are run as well, after the code above them.
WITH_COMMANDS = [README]
# The quick start and the guide run in their order in one folder: test_guide_in_order.
IN_ORDER = {DOCS / "quickstart.md", *(DOCS / "guide").glob("*.md")}
# A block whose preceding line is `<!-- not run -->` is shown and not executed.
FENCE = re.compile(
    r"^(?P<note><!-- not run -->\n)?```(?P<language>python|sh)\n(?P<code>.*?)^```$", re.M | re.S
)
OPTIONAL_PACKAGES = {"click", "matplotlib", "pandas", "polars", "rich", "skops", "skrub"}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# --- code and commands ------------------------------------------------------------------


def blocks(document: Path) -> list[tuple[int, str, str]]:
    """Return the first line number, the language and the text of every block that is to run."""
    text = document.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, match.start("code")) + 1, match["language"], match["code"])
        for match in FENCE.finditer(text)
        if not match["note"] and (match["language"] == "python" or document in WITH_COMMANDS)
    ]


@pytest.mark.parametrize(
    "document", [path for path in DOCUMENTS if blocks(path) and path not in IN_ORDER], ids=name_of
)
def test_code_of_documents_runs(
    document: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: Any
) -> None:
    """Run a page from top to bottom: a block may use what the blocks before it made."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    namespace: dict[str, object] = {"__name__": "__main__"}
    for line, language, code in blocks(document):
        try:
            if language == "sh":
                run_commands(code, capfd)
            elif ">>>" in code:
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


def run_commands(code: str, capfd: Any) -> None:
    """Run the lines that start with rarebit; others, such as make and pip, are not ours."""
    import click  # noqa: F401  a missing package is a reason to skip

    from rarebit.cli import main

    for words in command_lines(code):
        outcome = main(words)
        said = capfd.readouterr()
        assert outcome == 0, f"rarebit {shlex.join(words)}\n{said.err}"


def command_lines(code: str) -> Iterator[list[str]]:
    for line in code.splitlines():
        words = shlex.split(line.removeprefix("$ "), comments=True)
        if words[:1] == ["rarebit"]:
            yield words[1:]


SHELL = re.compile(r"^```(?:sh|console)\n(.*?)^```$", re.M | re.S)


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_commands_in_documents_exist(document: Path) -> None:
    reference = pytest.importorskip("rarebit.cli._reference")
    commands = dict(reference.every_command())
    for match in SHELL.finditer(document.read_text(encoding="utf-8")):
        for words in command_lines(match[1]):
            if not words or words[0].startswith("-"):
                continue
            two, one = f"rarebit {' '.join(words[:2])}", f"rarebit {words[0]}"
            command = commands.get(two) or commands.get(one)
            assert command is not None, f"there is no command {one!r}"
            known = {text for option in command.params for text in option.opts} | {"--help"}
            given = {word.split("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)}
            assert given <= known, f"{one} has no option {given - known}"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
def test_examples_run_and_draw(example: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot as plt

    plt.switch_backend("agg")
    assert example.name.startswith("plot_"), "the gallery runs files called plot_….py"
    try:
        runpy.run_path(str(example), run_name="__main__")
        assert plt.get_fignums(), "an example without a picture is no example of the gallery"
    finally:
        plt.close("all")


# --- links ------------------------------------------------------------------------------

LINK = re.compile(r"(?<!`)!?\[[^\]]*\]\((?P<target>[^)\s]+)\)")
INCLUDE = re.compile(r"^```\{(?:include|image)\} (\S+)", re.M)
CODE = re.compile(r"^```(?!\{).*?^```$", re.M | re.S)


def anchors(page: Path) -> set[str]:
    """Return the anchors of headings, by the rule of GitHub and of the documentation."""
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#{1,3} (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(document: Path) -> None:
    text = CODE.sub("", document.read_text(encoding="utf-8"))
    targets = [match["target"] for match in LINK.finditer(text)] + INCLUDE.findall(text)
    for target in targets:
        if re.match(r"[a-z]+:", target):
            continue
        place, _, anchor = target.partition("#")
        path = (document.parent / place).resolve() if place else document
        assert path.exists(), f"{target} of {name_of(document)} leads nowhere"
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path), f"{name_of(path)} has no heading {anchor!r}"
    for example in re.findall(r"sphx_glr_auto_examples_(\w+\.py)", text):
        assert (ROOT / "examples" / example).exists(), f"there is no example {example}"


TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.M | re.S)


def children(page: Path) -> Iterator[Path]:
    """Yield the pages that the tables of contents of a page name."""
    for match in TOCTREE.finditer(page.read_text(encoding="utf-8")):
        for line in match[1].splitlines():
            entry = re.sub(r"^.*<(.*)>$", r"\1", line.strip())
            if entry and not entry.startswith(":"):
                yield from page.parent.glob(f"{entry}.md")


@pytest.mark.skipif(not DOCS.exists(), reason="the documentation is not beside the tests")
def test_every_page_is_in_the_contents() -> None:
    reached, waiting = set(), [DOCS / "index.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached:
            reached.add(page)
            waiting += children(page)
    assert sorted(map(name_of, PAGES)) == sorted(map(name_of, reached))


# --- figures ----------------------------------------------------------------------------

RESULTS = ROOT / "benchmarks" / "results"


def results(name: str) -> dict[str, list[str]]:
    """Return the cells of a table of results by its first cell; later lines of a set are rivals."""
    rows: dict[str, list[str]] = {}
    for line in (RESULTS / f"{name}.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            rows.setdefault(cells[0], cells)
    return rows


def times(cell: str) -> str:
    return f"{float(cell.removesuffix('×')):.1f}×"


@pytest.mark.skipif(not RESULTS.exists(), reason="the results are not beside the tests")
def test_the_speed_table_of_the_readme_is_measured() -> None:
    fit, decide, online = (results(name) for name in ("fit", "decide", "online"))
    table = README.read_text(encoding="utf-8").partition("<!-- benchmark-table -->")[2]
    lines = [line for line in table.splitlines() if line.startswith("|")][2:9]
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        name = cells[0]
        assert cells[3:5] == [times(fit[name][3]), times(fit[name][4])], line
        assert cells[6] == times(decide[name][6]), line
        assert cells[7] == times(online[name][3]), line
    assert len(lines) == 7
