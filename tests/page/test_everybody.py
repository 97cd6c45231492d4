"""Everybody can use the page: screen readers, keyboards, telephones, dark rooms, no network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .serving import Server, make_reviews, opened

pytestmark = pytest.mark.xdist_group("page")
VIEWS = ("label", "progress", "answers", "search", "project")


@pytest.fixture(scope="module")
def server(serve: Callable[..., Server], tmp_path_factory: pytest.TempPathFactory) -> Server:
    folder = tmp_path_factory.mktemp("everybody")
    make_reviews(folder / "reviews.csv", 120)
    return serve(
        "reviews.csv", "--id", "order", "--text", "review", "--drop", "truth",
        "--classes", "praise,complaint", folder=folder,
    )  # fmt: skip


@pytest.fixture(scope="module")
def state(server: Server, browser: Any) -> Any:
    """Cookies of a person who has answered twenty rows."""
    page = opened(browser, server.link)
    page.wait_for_selector(".question h1")
    for i in range(20):
        row = page.locator(".question .id").inner_text()
        page.keyboard.press("2" if "refund" in page.locator(".text").inner_text() else "1")
        page.locator(".saving", has_text=f"Saved: {row}").wait_for()
        if i == 0:
            assert page.locator(".classes button").count() == 2
    kept = page.context.storage_state()
    page.context.close()
    return kept


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_no_serious_violation(
    browser: Any, server: Server, state: Any, view: str, colours: str
) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    page = opened(
        browser, f"{server.origin}/#/reviews/{view}", storage_state=state, color_scheme=colours
    )
    page.locator("main h1").first.wait_for()
    page.wait_for_timeout(600)
    found = axe.Axe().run(page).response["violations"]
    serious = [each for each in found if each["impact"] in ("serious", "critical")]
    shown = [(each["id"], [node["html"][:150] for node in each["nodes"]]) for each in serious]
    assert not shown
    assert not page.errors
    page.context.close()


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("width", [390, 640])  # a telephone; 1,280 pixels at 200 %
def test_nothing_hangs_over_the_edge(
    browser: Any, server: Server, state: Any, view: str, width: int
) -> None:
    page = opened(browser, f"{server.origin}/#/reviews/{view}", storage_state=state)
    page.set_viewport_size({"width": width, "height": 800})
    page.locator("main h1").first.wait_for()
    page.wait_for_timeout(500)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()


def test_a_telephone_answers_by_large_buttons(browser: Any, server: Server, state: Any) -> None:
    page = opened(browser, f"{server.origin}/#/reviews/label", storage_state=state, has_touch=True)
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_selector(".question h1")
    button = page.locator(".classes button").first
    size = button.bounding_box()
    assert size["height"] >= 44
    assert size["y"] + size["height"] <= 844  # in reach without scrolling
    button.tap()
    page.locator(".saving", has_text="Saved").wait_for()
    page.context.close()


def test_the_next_row_is_announced(browser: Any, server: Server, state: Any) -> None:
    page = opened(browser, f"{server.origin}/#/reviews/label", storage_state=state)
    page.wait_for_selector(".question h1")
    row = page.locator(".question .id").inner_text()
    page.keyboard.press("1")
    page.locator(".saving", has_text="Saved").wait_for()
    page.locator("[aria-live]", has_text=f"Saved {row} as praise. Next row").wait_for(
        state="attached"
    )
    page.context.close()


def test_everything_by_the_keyboard_alone(browser: Any, server: Server, state: Any) -> None:
    page = opened(browser, f"{server.origin}/#/reviews/label", storage_state=state)
    page.wait_for_selector(".question h1")
    reached = set()
    for _ in range(25):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.textContent.trim().slice(0, 12)"))
    assert {"Progress", "Answers", "Search", "Project"} <= reached
    assert any(text.startswith("praise") for text in reached)
    page.context.close()


def test_no_request_leaves_this_computer(browser: Any, server: Server, state: Any) -> None:
    asked: list[str] = []
    page = opened(browser, "about:blank", storage_state=state)
    page.on("request", lambda request: asked.append(request.url))
    for view in VIEWS:
        page.goto(f"{server.origin}/#/reviews/{view}")
        page.locator("main h1").first.wait_for()
        page.wait_for_timeout(200)
    assert asked
    assert all(url.startswith((server.origin, "blob:")) for url in asked)
    page.context.close()


def test_the_page_is_small() -> None:
    import gzip

    import rarebit.server

    folder = Path(rarebit.server.__file__).parent / "page"
    files = [path for path in folder.rglob("*") if path.suffix in (".js", ".css", ".html", ".svg")]
    assert len(files) > 15
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) <= 150_000
