"""``rarebit label`` in a process, pages that note what went wrong, and data that attacks."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

PAGES: list[Any] = []  # opened so far; shown when a test fails


class Server:
    """``rarebit label`` in a process; ``link`` signs in once."""

    def __init__(self, folder: Path, *words: object) -> None:
        command = [sys.executable, "-m", "rarebit", "label", *map(str, words), "--no-browser"]
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        said = []
        assert self.process.stdout is not None
        for line in self.process.stdout:
            said.append(line)
            found = re.search(r"http://127\.0\.0\.1:\d+\S*", line)
            if found:
                self.link = found[0]
                break
        else:
            raise AssertionError("".join(said))
        self.origin = re.match(r"http://[^/]+", self.link)[0]  # type: ignore[index]

    def stop(self) -> str:
        """End it as Ctrl-C does, and return what it said meanwhile."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.communicate(timeout=300)[0]
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


def opened(browser: Any, address: str, **options: Any) -> Any:
    """Open a page that notes errors of scripts and refused requests."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, **options)
    page = context.new_page()
    page.set_default_timeout(300_000)
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on(
        "console",
        lambda message: page.errors.append(message.text) if message.type == "error" else None,
    )
    PAGES.append(page)
    page.goto(address)
    return page


HOSTILE = "<img src=x onerror='document.title=1'>"


def make_reviews(path: Path, n_rows: int = 240) -> Path:
    """Write texts with a rare complaint, a number, a category, and names that attack."""
    rng = np.random.default_rng(0)
    rare = rng.random(n_rows) < 0.08
    words = np.array(["fine", "good", "fast", "arrived", "happy", "again", "shop", "nice"])
    texts = [
        " ".join(rng.choice(words, 9))
        + (" refund never came back money" if is_rare else "")
        + f"\n\nOrder {i}."
        for i, is_rare in enumerate(rare)
    ]
    texts[0] = HOSTILE + " fine shop"
    pl.DataFrame(
        {
            "order": [f"T-{i}" for i in range(n_rows)],
            "review": texts,
            "amount": np.round(rng.gamma(2.0, 20.0, n_rows) + 400.0 * rare, 2),
            HOSTILE: rng.choice(["SE", "NO"], n_rows),
            "truth": np.where(rare, "complaint", "praise"),
        }
    ).write_csv(path)
    return path
