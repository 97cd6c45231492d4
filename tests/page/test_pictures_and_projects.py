"""Two projects in one server; pictures with zoom; rows that are there before they are needed."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from .serving import Server, opened

_LIMIT = 120.0  # seconds to wait for something that comes in a moment


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Parts with two pictures and a report each, and a second file of numbers."""
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    place: Path = tmp_path_factory.mktemp("parts")
    rng = np.random.default_rng(0)
    rare = rng.random(60) < 0.1
    for i, is_rare in enumerate(rare):
        for side in ("front", "back"):
            pixels = rng.integers(0, 100, (20, 40, 3), dtype=np.uint8) + np.uint8(150 * is_rare)
            image.fromarray(pixels).save(place / f"{side}-{i}.png")
    pl.DataFrame(
        {
            "part": [f"P-{i}" for i in range(60)],
            "front": [f"front-{i}.png" for i in range(60)],
            "back": [f"back-{i}.png" for i in range(60)],
            "weight": rng.normal(size=60) + 5.0 * rare,
            "title": [f"Part number {i}" for i in range(60)],
            "report": ["cracked at the edge" if bad else "smooth and round" for bad in rare],
        }
    ).write_csv(place / "parts.csv")
    pl.DataFrame({"a": rng.normal(size=50), "b": rng.normal(size=50)}).write_csv(
        place / "numbers.csv"
    )
    return place


@pytest.fixture(scope="module")
def server(serve: Callable[..., Server], folder: Path) -> Server:
    return serve("parts.csv", "numbers.csv", "--classes", "good,bad", folder=folder)


def until(page: Any, is_so: Callable[[], bool]) -> None:
    """Wait for something that no element of the page shows."""
    limit = time.monotonic() + _LIMIT
    while not is_so():
        assert time.monotonic() < limit, page.locator("main").inner_text()
        page.wait_for_timeout(50)


def row_of(page: Any) -> str:
    return str(page.locator(".question .id").inner_text())


def step_pictures_are_enlarged_each(page: Any) -> None:
    assert page.locator(".question figure").count() == 2
    page.get_by_role("button", name="Enlarge the picture back").click()
    dialog = page.locator("dialog.zoom")
    picture = dialog.locator("img")
    assert picture.get_attribute("src").endswith("/images/1?size=2048")
    until(page, lambda: bool(picture.evaluate("each => each.complete && each.naturalWidth > 0")))
    shape = picture.evaluate("each => getComputedStyle(each).objectFit")
    assert shape == "contain"  # never distorted
    before = picture.bounding_box()["width"]
    dialog.get_by_role("button", name="Larger").click()
    until(page, lambda: picture.bounding_box()["width"] > 1.4 * before)
    dialog.get_by_role("button", name="Next picture").click()
    until(page, lambda: picture.get_attribute("src").endswith("/images/0?size=2048"))
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    page.keyboard.press("z")
    dialog.wait_for()
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")


def step_the_next_rows_are_there_before_any_reply(page: Any, dealt: list[int]) -> None:
    """However long the server takes, the next rows and their pictures are shown at once."""
    until(page, lambda: max(dealt, default=0) >= 4)
    held: list[Any] = []
    is_slow = True
    page.route("**/answers", lambda route: held.append(route) if is_slow else route.continue_())
    rows = [row_of(page)]
    for _ in range(2):
        page.keyboard.press("1")
        until(page, lambda: row_of(page) != rows[-1])
        rows.append(row_of(page))
    assert len(set(rows)) == 3
    until(page, lambda: len(held) == 1)  # answers are sent one after the other
    assert page.locator(".saving", has_text="Saving").count() == 1
    address = page.locator(".question figure img").first.get_attribute("src")
    is_slow = False
    held[0].continue_()
    page.locator(".saving", has_text=f"Saved: {rows[1]}").wait_for()
    # What is shown is what was preloaded: not another size of it.
    assert address.endswith("?size=1024")


def step_projects_are_chosen_from_a_list(page: Any) -> None:
    page.get_by_label("Project").select_option(label="numbers.csv")
    page.locator(".cells dt", has_text="a").first.wait_for()
    page.keyboard.press("1")
    page.locator(".saving", has_text="is good").wait_for()
    page.get_by_label("Project").select_option(label="parts.csv")
    page.locator(".question figure").first.wait_for()


def test_pictures_preloading_and_two_projects(server: Server, browser: Any) -> None:
    """One visit, step by step."""
    page = opened(browser, "about:blank")
    dealt: list[int] = []
    loaded: set[str] = set()

    def note(reply: Any) -> None:
        if re.search(r"/projects/parts/questions", reply.url) and reply.ok:
            dealt.append(len(reply.json()["front"]))
        if "/images/" in reply.url:
            loaded.add(reply.url)

    page.on("response", note)
    page.goto(server.link)
    page.locator(".question figure").first.wait_for()
    assert page.locator(".question figure").count() == 2
    step_pictures_are_enlarged_each(page)
    step_the_next_rows_are_there_before_any_reply(page, dealt)
    shown = page.locator(".question figure img").first.get_attribute("src")
    assert any(url.endswith(shown) for url in loaded)
    step_projects_are_chosen_from_a_list(page)
    assert not page.errors
    page.context.close()
