"""Keys of classes work wherever a row is shown, and what the owner changes is what is meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from .serving import Server, opened

CALL = ("bills.csv", "--id", "id", "--classes", "ok,fraud")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("keys")
    rng = np.random.default_rng(0)
    numbers = {f"x{i}": rng.normal(size=120) for i in range(4)}
    kind = np.where(np.arange(120) % 10 == 0, "refund", "thanks")
    data = pl.DataFrame({"id": [f"T-{i}" for i in range(120)], **numbers, "kind": kind})
    data.write_csv(place / "bills.csv")
    return place


@pytest.fixture(scope="module")
def page(serve: Callable[..., Server], folder: Path, browser: Any) -> Any:
    found = opened(browser, serve(*CALL, folder=folder).link)
    found.wait_for_selector(".question h1")
    return found


def view(page: Any, name: str) -> None:
    page.click(f"nav.views a[href$='/{name}']")
    page.locator("main h1").first.wait_for()


def step_the_key_of_a_class_labels_a_row_that_was_found(page: Any) -> None:
    view(page, "search")
    page.get_by_role("button", name="Open row T-7", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="fraud").wait_for()
    assert page.evaluate("document.activeElement.tagName") != "INPUT"
    page.keyboard.press("2")
    page.get_by_text("T-7 is fraud. It counts as given.").wait_for()


def step_the_key_of_a_class_corrects_an_answer(page: Any) -> None:
    view(page, "answers")
    page.get_by_role("button", name="Open row T-7", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="ok").wait_for()
    assert dialog.locator(".choice kbd").all_inner_texts() == ["1"]
    dialog.get_by_label("New class").click()
    page.keyboard.type("1")  # a name begins so: in a field it is no key
    assert dialog.get_by_label("New class").input_value() == "1"
    dialog.get_by_role("heading", name="History").click()
    page.keyboard.press("1")
    page.get_by_text("T-7 is now ok.").wait_for()


def step_a_new_class_is_typed_at_once_and_gets_a_colour_of_its_own(page: Any) -> None:
    view(page, "project")
    for name in ("theft", "loan"):
        page.get_by_role("button", name="Add a class").click()
        page.keyboard.type(name)
    page.get_by_role("button", name="Save settings").click()
    page.get_by_text("Saved.", exact=True).wait_for()
    names = page.get_by_label("Class name").all()
    assert [each.input_value() for each in names] == ["ok", "fraud", "theft", "loan"]
    colours = [each.input_value() for each in page.locator("input[type=color]").all()]
    assert len(set(colours)) == 4


def step_a_class_with_labels_keeps_its_name(page: Any) -> None:
    view(page, "project")
    page.get_by_label("Class name").first.fill("fine")
    page.get_by_role("button", name="Save settings").click()
    page.get_by_text("The class 'ok' has 1 label, so that it can be neither renamed").wait_for()
    page.get_by_label("Class name").first.fill("ok")


def step_no_column_is_imported_before_one_is_chosen(page: Any) -> None:
    view(page, "project")
    form = page.locator("form", has_text="Labels from a column")
    assert form.get_by_label("Labels from a column").input_value() == ""
    form.get_by_role("button", name="Import the column").click()
    assert form.locator("select:invalid").count() == 1
    form.get_by_label("Labels from a column").select_option("kind")
    form.get_by_role("button", name="Import the column").click()
    page.get_by_text("labels taken over from kind").wait_for()


def step_the_simulation_keeps_the_number_that_was_typed(page: Any) -> None:
    card = page.locator("section", has=page.get_by_role("heading", name="Simulation"))
    card.get_by_label("Labels").fill("40")
    card.get_by_label("Column").select_option("kind")
    card.get_by_role("button", name="Simulate").click()
    card.get_by_text("With 40 labels").wait_for(timeout=120_000)
    assert card.get_by_label("Labels").input_value() == "40"


def test_an_owner_at_the_keyboard(page: Any) -> None:
    step_the_key_of_a_class_labels_a_row_that_was_found(page)
    step_the_key_of_a_class_corrects_an_answer(page)
    step_a_new_class_is_typed_at_once_and_gets_a_colour_of_its_own(page)
    step_a_class_with_labels_keeps_its_name(page)
    step_no_column_is_imported_before_one_is_chosen(page)
    step_the_simulation_keeps_the_number_that_was_typed(page)


def test_the_same_command_keeps_the_classes_of_the_page(
    serve: Callable[..., Server], folder: Path, browser: Any
) -> None:
    (folder / "own").mkdir()
    (folder / "own" / "bills.csv").write_bytes((folder / "bills.csv").read_bytes())
    server = serve(*CALL, folder=folder / "own")
    page = opened(browser, server.link)
    view(page, "project")
    page.get_by_role("button", name="Add a class").click()
    page.keyboard.type("theft")
    page.get_by_role("button", name="Save settings").click()
    page.get_by_text("Saved.", exact=True).wait_for()
    page.close()
    server.stop()
    page = opened(browser, serve(*CALL, folder=folder / "own").link)
    view(page, "project")
    page.get_by_label("Class name").nth(2).wait_for()
    assert page.get_by_label("Class name").nth(2).input_value() == "theft"
