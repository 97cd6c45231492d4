"""The quick start and every page of the guide, in their order, in one folder, as written."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import rarebit
from tests.test_documents import DOCS, ROOT, command_lines, run_session

pexpect = pytest.importorskip("pexpect")
SOURCES = str(Path(rarebit.__file__).resolve().parents[1])
BLOCK = re.compile(
    r"^(?P<note><!-- not run -->\n)?```(?P<language>python|sh|console)\n(?P<code>.*?)^```$",
    re.M | re.S,
)
# Started as servers, and run by tests of their own.
SERVERS = {"label", "team", "serve", "label-studio"}
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
MOST_ANSWERS = 30


def pages() -> list[Path]:
    """Return the quick start and the pages of the guide in the order of its contents."""
    guide = DOCS / "guide"
    index = (guide / "index.md").read_text(encoding="utf-8")
    listed = re.search(r"^```\{toctree\}\n(.*?)^```$", index, re.M | re.S)
    assert listed is not None
    lines = [line for line in listed[1].splitlines() if re.fullmatch(r"[\w-]+", line)]
    named = [guide / f"{line}.md" for line in lines]
    others = sorted(path for path in guide.glob("*.md") if path not in named)
    return [DOCS / "quickstart.md", *named, *others]


def test_every_page_is_in_the_order() -> None:
    found = pages()
    assert found[0].name == "quickstart.md"
    assert len(found) == len(set(found)) == 1 + len(list((DOCS / "guide").glob("*.md")))
    assert all(path.exists() for path in found)


def test_quick_start_and_guide_run_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    ran = 0
    for page in pages():
        text = page.read_text(encoding="utf-8").partition("<!-- made by python -m rarebit.cli")[0]
        namespace: dict[str, Any] = {"__name__": "__main__"}
        for match in BLOCK.finditer(text):
            if match["note"]:
                continue
            line = text.count("\n", 0, match.start("code")) + 1
            where = f"{page.relative_to(ROOT)}:{line}"
            ran += 1
            if match["language"] != "python":
                for words in command_lines(match["code"]):
                    run_command(words, where, namespace, capfd)
            elif ">>>" in match["code"]:
                run_session(match["code"], namespace, page, line)
            else:
                exec(compile("\n" * (line - 1) + match["code"], str(page), "exec"), namespace)
    assert ran > 60


def run_command(words: list[str], where: str, namespace: dict[str, Any], capfd: Any) -> None:
    from rarebit.cli import main

    if words[0] in SERVERS:
        return
    if words[0] in ("discover", "learn") and "--oracle" not in words:
        answer_by_hand(words, where, namespace)
        return
    capfd.readouterr()
    code = main(words)
    said = capfd.readouterr()
    assert code == 0, f"{where}: rarebit {' '.join(words)}\n{said.err}"


def answer_by_hand(words: list[str], where: str, namespace: dict[str, Any]) -> None:
    """Be the person at the terminal, who knows the classes."""
    import polars as pl

    answers = namespace.get("answers")
    if answers is None:  # the column that is kept from the learner knows them
        ids, truth = words[words.index("--id") + 1], words[words.index("--drop") + 1]
        answers = dict(pl.read_csv(words[1]).select(ids, truth).iter_rows())
    environment = {**os.environ, "PYTHONPATH": SOURCES, "TERM": "xterm-256color"}
    for name in ("NO_COLOR", "COLUMNS", "LINES"):
        environment.pop(name, None)
    child: Any = pexpect.spawn(
        sys.executable, ["-m", "rarebit", *words], env=environment, encoding="utf-8",
        dimensions=(24, 80), timeout=600,
    )  # fmt: skip
    child.delaybeforesend = None
    for _ in range(MOST_ANSWERS):
        if child.expect([re.escape("[?] help"), pexpect.EOF]) == 1:
            break
        seen = CODES.sub("", child.before)
        row = re.findall(r"labels?, \d+ class(?:es)? · (\S+)", seen)[-1]
        keys = {name: key for key, name in re.findall(r"\[(\w)\] (\S+)", seen)}
        label = answers[row]
        if label in keys:
            child.send(keys[label])
        else:
            child.send("n")
            child.expect("Name of the class: ")
            child.send(f"{label}\r")
    else:
        child.expect(re.escape("[?] help"))
        child.send("q")
        child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0, f"{where}: rarebit {' '.join(words)}\n{child.before}"
