"""Everybody can use the page: screen readers, keyboards, telephones, dark rooms, no network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .serving import Server, make_reviews, opened

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


@pytest.mark.parametrize("width", [360, 390])
def test_all_views_are_in_reach_on_a_telephone(
    browser: Any, server: Server, state: Any, width: int
) -> None:
    page = opened(browser, f"{server.origin}/#/reviews/label", storage_state=state)
    page.set_viewport_size({"width": width, "height": 800})
    page.wait_for_selector(".question h1")
    links = page.locator("nav.views a").all()
    assert len(links) == len(VIEWS)
    for link in links:
        size = link.bounding_box()
        assert size["x"] >= 0
        assert size["x"] + size["width"] <= width
        assert size["height"] >= 36
    for value in page.locator(".cells dd").all():  # beside names of any length
        assert value.bounding_box()["width"] >= 0.4 * width
    page.context.close()


@pytest.mark.parametrize("view", ["answers", "search"])
def test_tables_fit_a_telephone_and_their_rows_can_be_opened(
    browser: Any, server: Server, state: Any, view: str
) -> None:
    page = opened(browser, f"{server.origin}/#/reviews/{view}", storage_state=state)
    page.set_viewport_size({"width": 390, "height": 800})
    button = page.get_by_role("button", name="Open").first
    button.wait_for()
    assert page.locator("table").bounding_box()["width"] <= 390  # what matters fits on the screen
    size = button.bounding_box()
    assert size["x"] + size["width"] <= 390  # in reach without scrolling the table
    button.click()
    page.locator("dialog").wait_for()
    page.context.close()


def swipe(page: Any, x: list[int], y: list[int]) -> None:
    """Draw a finger over the places, as the browser of a telephone reports it."""
    touches = page.context.new_cdp_session(page)
    for i, place in enumerate(zip(x, y, strict=True)):
        point = {"x": place[0], "y": place[1]}
        kind = "touchMove" if i else "touchStart"
        touches.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    touches.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_telephone_answers_by_swipes_if_wanted(browser: Any, server: Server, state: Any) -> None:
    page = opened(
        browser, f"{server.origin}/#/reviews/label", storage_state=state, has_touch=True,
        is_mobile=True,
    )  # fmt: skip
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_selector(".question h1")
    shown = page.locator(".question .id")
    first = shown.inner_text()
    across, level = [320, 290, 250, 210, 170], [250, 251, 252, 253, 254]
    swipe(page, across, level)  # not switched on
    choice = page.get_by_label("Swipe: left for praise, right for complaint")
    choice.check()
    swipe(page, [200, 201, 202, 203, 204], [500, 450, 400, 350, 300])  # scrolls
    swipe(page, [200, 210, 220, 230, 240], level)  # too short
    page.wait_for_timeout(300)
    assert shown.inner_text() == first
    for places, name in ((across, "praise"), (across[::-1], "complaint")):
        before = shown.inner_text().removeprefix("order ")
        swipe(page, places, level)
        page.locator(".saving", has_text=f"Saved: {before} is {name}").wait_for()
    # A browser takes a tap right after a swipe for the end of its movement.
    page.get_by_role("button", name="Undo").click()
    page.locator(".saving", has_text="Taken back").wait_for()
    page.reload()
    page.wait_for_selector(".question h1")
    assert choice.is_checked()
    assert not page.errors
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
