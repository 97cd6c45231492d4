"""A walk through the page: payments with dates, times and amounts, up to a restart."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from .serving import Server, opened

N_ROWS = 300


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("walk")
    rng = np.random.default_rng(0)
    rare = rng.random(N_ROWS) < 0.1
    days = [date(2026, 9, 1) + timedelta(days=int(i)) for i in rng.integers(0, 60, N_ROWS)]
    days[:9] = [date(2026, 10, 1)] * 9
    days[9:] = [each + timedelta(days=each == date(2026, 10, 1)) for each in days[9:]]
    pl.DataFrame(
        {
            "id": [f"tx{i:03}" for i in range(N_ROWS)],
            "date": [str(each) for each in days],
            "time": [f"{hour:02}:{hour * 2:02}" for hour in rng.integers(0, 24, N_ROWS)],
            "amount": [f"€{x:,.2f}" for x in rng.gamma(2.0, 300.0, N_ROWS) + 2000.0 * rare],
            "shop": np.where(rare, "airline", rng.choice(["bakery", "books"], N_ROWS)),
            "truth": np.where(rare, "fraud", "ok"),
        }
    ).write_csv(place / "payments.csv")
    return place


@pytest.fixture(scope="module")
def server(serve: Callable[..., Server], folder: Path) -> Server:
    return serve("payments.csv", "--id", "id", "--drop", "truth", folder=folder)


@pytest.fixture(scope="module")
def page(server: Server, browser: Any) -> Any:
    found = opened(browser, server.link)
    found.wait_for_selector(".question h1")
    return found


def view(page: Any, name: str) -> None:
    page.click(f"nav.views a[href$='/{name}']")
    page.locator("main h1").first.wait_for()


def test_conditions_on_dates_times_and_amounts(page: Any) -> None:
    view(page, "search")
    page.get_by_role("button", name="Add a condition").click()

    def look(column: str, op: str, value: str) -> None:
        page.get_by_label("Column").select_option(column)
        page.get_by_label("Condition").select_option(op)
        page.get_by_label("Value").fill(value)
        page.get_by_role("button", name="Search").click()

    look("date", "=", "2026-10-01")
    page.locator("p[role=status]", has_text=re.compile(r"^\s*9 rows")).wait_for()
    look("date", ">", "yesterday")
    said = "'yesterday' is not a date: write 2026-10-01."
    page.locator("main [role=alert]", has_text=said).wait_for()
    look("amount", ">", "€2,000")
    page.locator("p[role=status]", has_text=re.compile(r"^\s*[1-9]\d? rows")).wait_for()
    look("time", "<", "early")
    page.locator("main [role=alert]", has_text="'early' is not a time: write 05:00.").wait_for()


def test_known_rows_say_what_became_of_each_line(page: Any) -> None:
    view(page, "project")
    form = page.locator("form", has_text="Known rows")

    def take(text: str) -> None:
        form.locator("textarea").fill(text)
        form.get_by_role("button", name="Use as a start").click()

    take("tx010=ok\ntx011=fraud")
    form.get_by_text("2 known rows taken over.", exact=True).wait_for()
    take("tx012=fraud\ntx010 = ok\nzzz=fraud\nbroken\n\n")
    said = (
        "1 known row taken over. 1 has this label already: tx010. Not in the pool: zzz. "
        "Not ID=CLASS: line 4."
    )
    form.get_by_text(said, exact=True).wait_for()
    take("broken")
    form.get_by_text("Not ID=CLASS: line 1.", exact=True).wait_for()
    take("tx013=fraud\ntx013=ok")
    said = "Row 'tx013' is given two classes, 'fraud' and 'ok': keep one of them."
    form.get_by_text(said, exact=True).wait_for()
    take("tx014=Ok")
    said = (
        "1 known row taken over. 'Ok' differs from 'ok' by capitals only: correct it under Answers "
        "if they are one class."
    )
    form.get_by_text(said, exact=True).wait_for()


def test_an_undo_is_spoken_as_one(page: Any) -> None:
    view(page, "label")
    page.locator(".classes button").first.wait_for()
    row = page.locator(".question .id").inner_text()
    page.get_by_role("button", name=re.compile("^ok")).click()
    spoken = page.locator("[aria-live=polite]").first
    page.wait_for_function(
        "said => document.querySelector('[aria-live=polite]').textContent.includes(said)",
        arg=f"Saved {row} as ok",
    )
    page.keyboard.press("u")
    page.locator(".saving", has_text=f"Taken back: {row}").wait_for()
    assert spoken.inner_text().startswith(f"Taken back: {row}. ")


def test_a_simulation_stays_when_the_view_is_left(page: Any) -> None:
    view(page, "project")
    card = page.locator("section", has=page.get_by_role("heading", name="Simulation"))
    card.get_by_label("Column").select_option("shop")
    card.get_by_label("Labels").fill("30")
    card.get_by_role("button", name="Simulate").click()
    card.get_by_role("button", name="Stop").wait_for()
    view(page, "progress")
    view(page, "project")
    card.locator("[role=progressbar], table").first.wait_for()
    card.get_by_text("With 30 labels").wait_for()


def test_the_page_says_when_random_rows_are_asked(page: Any) -> None:
    view(page, "project")
    page.get_by_label("Prove a recall").select_option("0.8")
    field = page.locator("label.field", has_text="Prove a recall")
    field.get_by_text("once the model has learned enough, no class is new").wait_for()
    page.get_by_label("Goal").select_option("find")
    field.get_by_text("are asked once rows that look rare hardly ever").wait_for()
    page.get_by_label("Goal").select_option("both")
    page.get_by_label("Stop asking").select_option("never")
    field.get_by_text("are asked last, because the model never has learned enough").wait_for()
    page.get_by_label("Stop asking").select_option("auto")
    page.get_by_role("button", name="Save settings").click()
    page.get_by_text("Saved.", exact=True).wait_for()
    view(page, "progress")
    proved = page.locator("section[aria-label='What is proved']")
    proved.get_by_text("Random rows for the proof are asked once the model has").wait_for()


def test_eight_classes_in_an_enlarged_window(
    serve: Callable[..., Server], folder: Path, browser: Any
) -> None:
    """At 200 % every class can be answered, and what is saved is in sight."""
    (folder / "many.csv").write_bytes((folder / "payments.csv").read_bytes())
    names = "person,bicycle,car,dog,cat,traffic light,elephant,umbrella"
    server = serve("many.csv", "--id", "id", "--classes", names, folder=folder)
    page = opened(browser, server.link)
    page.set_viewport_size({"width": 640, "height": 400})
    page.locator(".classes button").nth(7).wait_for()
    page.wait_for_selector(".question h1")
    page.keyboard.press("6")
    page.locator(".saving", has_text="✓ Saved").wait_for()
    sheet = page.locator(".answer-card").bounding_box()
    assert sheet["height"] <= 400 / 3
    for each in [*page.locator(".classes button").all(), page.locator(".saving")]:
        box = each.bounding_box()
        assert box["y"] >= sheet["y"]
        assert box["y"] + box["height"] <= 400
    heights = {each.bounding_box()["height"] for each in page.locator(".classes button").all()}
    assert max(heights) < 40  # names stay on one line
    page.set_viewport_size({"width": 360, "height": 640})
    box = page.locator(".saving").bounding_box()
    assert box["y"] + box["height"] <= 640
    assert not page.errors


def test_an_old_tab_says_once_that_the_server_was_started_again(
    page: Any, server: Server, serve: Callable[..., Server], folder: Path
) -> None:
    view(page, "label")
    page.locator(".question h1").wait_for()
    port = server.origin.rpartition(":")[2]
    server.stop()
    serve("payments.csv", "--id", "id", "--drop", "truth", "--port", port, folder=folder)
    said = "The server was started again. Open the link that the terminal printed last."
    page.get_by_text(said, exact=True).wait_for()
    assert page.get_by_text("signed in").count() == 0
    assert page.locator(".spinner").count() == 0
    assert page.get_by_text("The server has ended").count() == 0
