"""No regular expression takes more than proportionally longer for longer cells, names or lines."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from time import process_time

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "rarebit"
# Not of cells or names: our own pictures, and what a developer runs.
OTHERS = ("report/_svg.py", "papers/", "rivals/", "testing/")
BEFORE = ("", "1", "$", "@a{", "a = ", "rarebit={", "\\c", '"')
REPEATED = (
    " ", "\xa0", "\t", "\n", " \n", "0", "1", "1,", "1.", "1 ", "1.1", ",", ".", ", ", "123,",
    "12,", "E", "a", "a ", "A_", "_", "_#", "EUR", "EUR ", "$", "$ ", "- ", "-", "+", "(", "( ",
    "1e", "1e-", "{", "{ ", "}", "\\", "\\i", "\\'", "'", '"', '""', '"a', "@", "@a", "@a{", "@ ",
    "a=", "a = ", "`", "--as ", "--as a", "a-", "TY", "ER  - ", "rarebit", "rarebit={}", "#", "%",
    "°", "/", "Dr", "Dr.", "date", "id", "id_", "x.x", "\x00", "é", "€", "~",
)  # fmt: skip
PAIRS = ((" ", "1"), ("1", " "), ("a", " "), (" ", "a"), ("1", "a"), ("a", "1"), ("1", "."),
         ("\n", " "), ("$", " "), ("-", " "), ("(", " "), ("_", "1"), ("@", " "))  # fmt: skip
AFTER = ("", "x")
# A pattern takes too long if it needs more than SECONDS, and more than TIMES what the growth of the
# text since the length before explains.
LENGTHS = (25, 50, 200, 2_000, 16_000)
TIMES, SECONDS = 2.5, 0.02
METHODS = ("match", "fullmatch", "search", "sub", "split", "findall", "finditer")


def patterns() -> Iterator[tuple[str, Callable[[str], object]]]:
    """Give every pattern of the package as it is used: where it is, and what tries a text."""
    files = sorted(PACKAGE.rglob("*.py"))
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    for path, text in texts.items():
        place = path.relative_to(PACKAGE).as_posix()
        if "re." not in text or place.startswith(OTHERS):
            continue
        for node in ast.walk(ast.parse(text)):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id == "re" and node.args:
                given = node.args[0]
                if node.func.attr in METHODS and isinstance(given, ast.Constant):
                    yield f"{place}:{node.lineno}", _use(re.compile(given.value), node.func.attr)
        name = ".".join(["rarebit", *path.relative_to(PACKAGE).with_suffix("").parts])
        try:
            module = importlib.import_module(name.removesuffix(".__init__"))
        except ImportError:  # what it needs is not installed
            continue
        for own, value in vars(module).items():
            if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                used = {
                    m for m in METHODS if re.search(rf"\b{own}\.{m}\(", "".join(texts.values()))
                }
                for method in used or {"search"}:
                    yield f"{place}:{own}", _use(value, method)


def _use(pattern: re.Pattern[str], method: str) -> Callable[[str], object]:
    if method == "sub":
        return lambda text: pattern.sub("", text)
    if method == "finditer":
        return lambda text: sum(1 for _ in pattern.finditer(text))
    found: Callable[[str], object] = getattr(pattern, method)
    return found


def works(length: int) -> Iterator[str]:
    """Give texts of about this length that are the same over and over."""
    for before in BEFORE:
        bodies = (part * (length // len(part)) for part in REPEATED)
        pairs = (first * (length // 2) + second * (length // 2) for first, second in PAIRS)
        for body in chain(bodies, pairs):
            for after in AFTER:
                yield before + body + after


def slowest_growth(use: Callable[[str], object]) -> str | None:
    """Return a text for which a pattern takes too long; None where there is none."""
    texts = zip(*(works(length) for length in LENGTHS), strict=True)
    for series in texts:
        before = 0.0
        for text, shorter in zip(series[1:], series, strict=False):
            took = _seconds(use, text)
            if took > SECONDS:
                before = min(_seconds(use, shorter) for _ in range(3))
                took = min(_seconds(use, text) for _ in range(2 if took < 1 else 1))
            if took > max(SECONDS, TIMES * before * len(text) / len(shorter)):
                return f"{len(text):,} characters of {text[:12]!r}…{text[-3:]!r}: {took:.2f} s"
    return None


def _seconds(use: Callable[[str], object], text: str) -> float:
    start = process_time()
    use(text)
    return process_time() - start


def main() -> None:
    """Print of every pattern where it is, and of those that take too long a text."""
    for place, use in patterns():
        found = slowest_growth(use)
        print(place if found is None else f"TOO LONG {place}: {found}", flush=True)


# Whoever runs into a time limit on today's patterns needs minutes: they take half a minute.
@pytest.mark.skipif(not PACKAGE.exists(), reason="the sources are not beside the tests")
def test_no_pattern_takes_longer_than_its_text_is_long() -> None:
    # A child process: a pattern that tries every division of a text cannot be stopped otherwise.
    ran = subprocess.run(
        [sys.executable, __file__], capture_output=True, text=True, timeout=600, check=True
    )
    places = ran.stdout.splitlines()
    assert len(places) > 40
    assert not [place for place in places if place.startswith("TOO LONG")]


@pytest.mark.parametrize(
    "pattern", [r"\s*a?\s*b?\s*c?\s*$", r"\w[_\W]*#$", r"^[0-9,]*[0-9][0-9,]*\Z"]
)
def test_the_rule_itself(pattern: str) -> None:
    assert slowest_growth(_use(re.compile(pattern), "search"))


if __name__ == "__main__":
    main()
