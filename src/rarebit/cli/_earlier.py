"""Earlier answers in the terminal: look at them, search, change one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rarebit._text import counted, visible
from rarebit.cli._annotator import TerminalAnnotator

if TYPE_CHECKING:
    from rarebit.projects import Project

_FEWEST, _AROUND = 3, 4  # entries shown however low the terminal is; lines above and below them
_PROMPT = "Number to change, text to search, Enter to continue: "
_BESIDE = 12  # columns for what is typed beside it; otherwise it takes two lines more
_TOGETHER = 240  # answers whose rows are read together


def change_earlier(project: Project, person: TerminalAnnotator, classes: Sequence[str]) -> None:
    """Show the last answers and let the person find and change some.

    Parameters
    ----------
    project : Project
        With the answers; a changed one is learned at once.
    person : TerminalAnnotator
        Annotator at the terminal.
    classes : sequence of str
        Classes that have keys, in their order.
    """
    wanted = ""
    around = _AROUND + (0 if person.n_columns >= len(_PROMPT) + _BESIDE else 2)
    while True:
        found, n_found = _search(project, wanted)
        shown = found[: max(_FEWEST, person.n_lines - around)]
        person.say("")
        for number, (row, text) in enumerate(shown, start=1):
            named = f"{number:>3}  {project.table.ids[row]}"
            person.say_entry(named, str(project.labels[row]), text)
        about = f" with {wanted!r}" if wanted else ""
        more = f", the last {len(shown)} are shown" if n_found > len(shown) else ""
        person.say(f"{counted(n_found, 'answer')}{about}{more}.")
        typed = person.read_line(_PROMPT)
        if not typed:
            return
        if typed.isdigit() and 1 <= int(typed) <= len(shown):
            row = shown[int(typed) - 1][0]
            person.show(project.show(row), f"Labelled {project.labels[row]}")
            label = person.choose(classes)
            if label and label != str(project.labels[row]):
                project.correct(row, label)
                person.say(f"→ {visible(label)}")
        else:
            wanted = typed


def _search(project: Project, wanted: str) -> tuple[list[tuple[int, str]], int]:
    """Return rows with a label and their content, the last first, and how many there are."""
    from rarebit.projects import describe_rows, rows_with_text

    found: list[tuple[int, str]] = []
    n_found = 0
    labels = project.labels
    last_first = list(reversed(labels))
    for start in range(0, len(last_first), _TOGETHER):
        rows = last_first[start : start + _TOGETHER]
        if wanted:
            names = [str(labels[row]) for row in rows]
            holds = rows_with_text(project.table, rows, wanted, names)
            rows = [row for row, is_one in zip(rows, holds, strict=True) if is_one]
        n_found += len(rows)
        if len(found) < _TOGETHER:  # more than any terminal shows
            texts = describe_rows(project.table, rows)[0]
            found += [(row, " ".join(text.split())) for row, text in zip(rows, texts, strict=True)]
    return found, n_found
