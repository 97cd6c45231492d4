"""Plain words: phrases that were replaced by the field's do not come back; one punctuation."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SUFFIXES = {".py", ".md", ".js", ".j2"}
COUNTED = "key|line|column|row|class|curve|machine|label|number|value|score|panel|file|feature"
PER = "row|class|fold|file|machine|label|line|column|method|seed|task|set|command|value|word|SVM"
# A pattern, and what to write instead.
PHRASES = {
    rf"\b(?:one|an?) (?:\w+ )?(?:{COUNTED})s? an? (?:{PER})\b": "one row per class",
    r"\bgo(?:es|ing)? on\b(?! (?:the|top|disk))": "continue",
    r"; correct it\.": "nothing: it says nothing that the reader does not know",
    r"[;:] choose one of them\.": "nothing: the sentence names what is allowed",
    r"\btells no format\b": "cannot infer the format",
    r"\bis no model\b": "is not a rarebit model",
    r"\b[Aa]s of `": "as in",
    r"\bfound out by itself\b|\bNone finds out\b": "detected",
    r"\bheirs?\b": "subclasses",
    r"\blast_classifier\b": "final_classifier",
    r"\brehears": "simulate",
    r"\bOutsideRows\b|\bKeptValues\b|\bMemberSolver\b|\bExpansionStore\b": "the field's words",
}
# Former public names are still imported from here until 0.2.
ALLOWED = {"src/rarebit/hunt/__init__.py"}


def texts() -> list[Path]:
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    found += [p for folder in ("src", "docs") for p in (ROOT / folder).rglob("*")]
    return sorted(
        path
        for path in found
        if path.suffix in SUFFIXES
        and not {"vendor", "_build", "generated", "auto_examples"} & set(path.parts)
        and path.relative_to(ROOT).as_posix() not in ALLOWED
    )


@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="the sources are not beside the tests")
@pytest.mark.parametrize("phrase", PHRASES)
def test_replaced_phrases_stay_away(phrase: str) -> None:
    pattern = re.compile(phrase)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in texts()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, f"write {PHRASES[phrase]}:\n" + "\n".join(found)


def test_the_patterns_themselves() -> None:
    per, on = list(PHRASES)[:2]
    assert re.search(per, "one column a machine")
    assert re.search(on, "the search goes on and")
    assert not re.search(per, "one column per machine, a row and a class")


def message_of(node: ast.expr) -> str:
    """Return the fixed text of a message."""
    if isinstance(node, ast.JoinedStr):
        return "".join(message_of(part) for part in node.values)
    if isinstance(node, ast.BinOp):
        return message_of(node.left) + message_of(node.right)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else "{}"


# The first word of another library's message, and a reply that has nothing to do next.
OTHER_PUNCTUATION = ("{}; columns of words and dates", "This needs the role {}; yours is {}.")


def test_a_colon_comes_before_what_to_do() -> None:
    found = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                texts = [message_of(argument) for argument in node.exc.args]
                found += [
                    f"{path.relative_to(ROOT)}:{node.lineno}: {text}"
                    for text in texts
                    if "; " in text and ": " not in text.partition("; ")[0]
                    if not text.startswith(OTHER_PUNCTUATION)
                ]
    assert not found, "write a colon before what to do:\n" + "\n".join(found)


def test_messages_of_the_engine_have_the_same_punctuation() -> None:
    statement = re.compile(r"\b(?:throw|refuse\()[^;]*?\".*?\)\s*;\n", re.S)
    found = []
    for path in sorted(p for s in ("cpp", "hpp") for p in (ROOT / "core").rglob(f"*.{s}")):
        if "tests" in path.relative_to(ROOT).parts:
            continue
        for match in statement.finditer(path.read_text(encoding="utf-8")):
            text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', match[0]))
            if "; " in text and ": " not in text.partition("; ")[0]:
                found.append(f"{path.relative_to(ROOT)}: {text}")
    assert not found, "write a colon before what to do:\n" + "\n".join(found)
