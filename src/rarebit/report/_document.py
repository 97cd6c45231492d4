"""Sections in their order, and the one HTML file that they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from rarebit._whole_files import replaced_whole
from rarebit.report._page import Section, make_picture, render


class Document:
    """A page whose sections are added one after the other.

    Parameters
    ----------
    title : str
        Heading of the page.
    summary : str or sequence of str, default=()
        Paragraphs below it.
    facts : mapping of str to object, optional
        Few numbers that matter most, by name.
    """

    def __init__(
        self,
        title: str,
        summary: str | Sequence[str] = (),
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        self.title = title
        self.summary = [summary] if isinstance(summary, str) else list(summary)
        self.facts = dict(facts or {})
        self._sections: list[Section] = []

    def html(self) -> str:
        """Return the page.

        Returns
        -------
        str
            A whole HTML document.
        """
        facts = [(str(name), _fact(value)) for name, value in self.facts.items()]
        made = f"Made by rarebit on {datetime.now().astimezone():%Y-%m-%d %H:%M %Z}."
        return render(self.title, self.summary, facts, self._sections, made)

    def write(self, path: str | Path) -> Path:
        """Write the page to a file, all of it or nothing.

        Parameters
        ----------
        path : str or Path
            Where to; an earlier file is replaced.

        Returns
        -------
        Path
            The file.
        """
        target = Path(path)
        page = self.html()
        with replaced_whole(target) as partial:
            partial.write_text(page, encoding="utf-8")
        return target

    def _new(self, name: str, title: str) -> Section:
        """Add an empty section; of two with one name the second gets a number."""
        taken = {section.name for section in self._sections}
        number = 1
        unique = name
        while unique in taken:  # the same part twice, of two runs
            number += 1
            unique = f"{name}-{number}"
        self._sections.append(Section(unique, title))
        return self._sections[-1]

    def _draw(self, section: Section, figure: Any, caption: str, alternative: str) -> None:
        """Add a figure to a section, with its caption and the text for those who cannot see it."""
        name = f"{section.name}-figure-{len(section.figures) + 1}"
        section.figures.append(make_picture(figure, name, caption, alternative))


def _fact(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        return str(value)
    return f"{value:,}" if isinstance(value, int | np.integer) else f"{float(value):.3g}"
