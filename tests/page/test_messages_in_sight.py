"""What the page says of a press of a button stands in the window, and is of the file given."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from .serving import Server, opened


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("messages")
    rng = np.random.default_rng(0)
    n, numbers = 120, {f"x{i}": rng.normal(size=120) for i in range(8)}
    rare = np.arange(n) % 10 == 0
    memo = np.where(rare, "refund wanted", "thanks")
    data = pl.DataFrame({"id": [f"T-{i}" for i in range(n)], **numbers, "memo": memo})
    data.write_csv(place / "bills.csv")
    data.head(3).write_csv(place / "twice.csv")
    labels = np.where(rare, "fraud", "ok")[:40]
    pl.DataFrame({"id": data["id"].head(40), "label": labels}).write_csv(place / "known.csv")
    return place


@pytest.fixture(scope="module")
def page(serve: Callable[..., Server], folder: Path, browser: Any) -> Any:
    found = opened(browser, serve("bills.csv", "--id", "id", folder=folder).link)
    found.wait_for_selector(".question h1")
    return found


def in_sight(page: Any, text: str) -> bool:
    """Whether a message stands in the window, below the bar at its top."""
    found = page.locator("main .message", has_text=text)
    found.wait_for()
    box = found.bounding_box()
    top = page.locator("header.top").bounding_box()["height"]
    return bool(box["y"] >= top and box["y"] + box["height"] <= page.viewport_size["height"])


def view(page: Any, name: str) -> None:
    page.click(f"nav.views a[href$='/{name}']")
    page.locator("main h1").first.wait_for()


def press(page: Any, form: str, button: str, file: Path | None = None) -> None:
    """Press a button that stands at the lower edge of the window."""
    fields = page.locator("form", has_text=form)
    if file is not None:
        fields.locator("input[type=file]").set_input_files(file)
    pressed = fields.get_by_role("button", name=button)
    pressed.evaluate("each => each.scrollIntoView({ block: 'end' })")
    pressed.click()


def test_messages_stand_in_the_window(page: Any, folder: Path) -> None:
    view(page, "project")
    press(page, "Labels from a file", "Import labels", folder / "known.csv")
    page.get_by_text("40 labels taken over").wait_for()
    assert in_sight(page, "40 labels taken over")
    # What was taken over shows without a visit elsewhere.
    names = page.locator("input[aria-label='Class name']")
    page.wait_for_function(
        "document.querySelectorAll(\"input[aria-label='Class name']\").length === 2"
    )
    assert {each.input_value() for each in names.all()} == {"fraud", "ok"}
    page.locator("#rare-now", has_text="Every class but 'ok'").wait_for()
    page.get_by_label("Guidelines").fill("Unsaved words stay.")
    press(page, "More rows", "Add rows", folder / "twice.csv")
    assert in_sight(page, "The ids of bills.csv and twice.csv overlap")
    assert page.get_by_label("Guidelines").input_value() == "Unsaved words stay."
    press(page, "Guidelines", "Save settings")
    assert in_sight(page, "Saved.")


def test_rows_found_show_why_and_a_bad_condition_clears_them(page: Any) -> None:
    view(page, "search")
    page.get_by_label("Words").fill("refund")
    page.get_by_role("button", name="Search").click()
    page.get_by_text("12 rows").wait_for()
    first = page.locator("tbody .summary").first
    assert first.inner_text().startswith("memo refund wanted, x0 ")
    page.get_by_role("button", name="Add a condition").click()
    page.get_by_label("Column").select_option("x0")
    page.get_by_label("Condition").select_option(">")
    page.get_by_label("Value").fill("abc")
    page.get_by_role("button", name="Search").click()
    page.locator("main [role=alert]", has_text="holds numbers").wait_for()
    assert page.locator("tbody tr").count() == 0


def test_the_number_of_answers_is_of_what_is_listed(page: Any, folder: Path) -> None:
    view(page, "project")
    press(page, "Labels from a file", "Import labels", folder / "known.csv")
    page.get_by_text(re.compile(r"\d+ labels taken over")).wait_for()
    view(page, "answers")
    page.get_by_text("40 answers, skips included. Open one to correct it.").wait_for()
    page.get_by_label("Kind").select_option("skip")
    page.locator("p[role=status]", has_text=re.compile(r"^\s*0 skips\.")).wait_for()
    assert page.get_by_text("Open one to correct it").count() == 0
    page.get_by_label("Kind").select_option("label")
    page.get_by_text("40 labels. Open one to correct it.").wait_for()


def test_a_row_of_the_map_is_labelled_there(page: Any) -> None:
    view(page, "progress")
    page.locator("canvas.map").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    dialog = page.locator("dialog", has_text="Label it")
    dialog.get_by_role("button", name="fraud", exact=True).click()
    dialog.wait_for(state="detached")
    assert in_sight(page, "is fraud. It counts as given.")


def test_a_simulation_shows_at_once_that_it_runs(page: Any) -> None:
    view(page, "project")
    card = page.locator("section", has=page.get_by_role("heading", name="Simulation"))
    page.route("**/simulations", lambda route: None)  # the server takes its time
    card.get_by_label("Column").select_option("memo")
    card.get_by_role("button", name="Simulate").click()
    assert card.get_by_role("button", name="Simulating").is_disabled()
    assert card.get_by_role("progressbar").count() == 1
    page.unroute("**/simulations")


def test_an_enlarged_window_keeps_keys_and_the_row(page: Any) -> None:
    page.set_viewport_size({"width": 640, "height": 400})
    view(page, "label")
    page.locator(".classes button").first.wait_for()
    assert page.locator(".classes kbd").first.is_visible()
    sheet = page.locator(".answer-card").bounding_box()
    assert sheet["height"] <= 0.33 * 400
    # Every class can be answered without scrolling the sheet.
    for each in page.locator(".classes button").all():
        box = each.bounding_box()
        assert box["y"] + box["height"] <= 400
    page.set_viewport_size({"width": 1280, "height": 800})
    # A browser notes the refusals of this file by itself; there is nothing else.
    assert all("400 (Bad Request)" in each for each in page.errors)
