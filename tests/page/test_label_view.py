"""One person labels in a real browser: answers, keys, undo, skip, new class, why."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .serving import HOSTILE, Server, make_reviews, opened


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("reviews")
    make_reviews(place / "reviews.csv")
    return place


@pytest.fixture(scope="module")
def server(serve: Callable[..., Server], folder: Path) -> Server:
    return serve(
        "reviews.csv", "--id", "order", "--text", "review", "--drop", "truth",
        "--classes", "praise", folder=folder,
    )  # fmt: skip


@pytest.fixture(scope="module")
def page(server: Server, browser: Any) -> Any:
    found = opened(browser, server.link)
    found.wait_for_selector(".question h1")
    return found


def current_id(page: Any) -> str:
    return str(page.locator(".question .id").inner_text())


def is_complaint(page: Any) -> bool:
    return "refund" in page.locator(".question .text").inner_text()


def saved(page: Any, text: str) -> None:
    try:
        page.locator(".saving", has_text=text).wait_for()
    except Exception as error:
        shown = page.locator("main").inner_text()
        raise AssertionError(f"no {text!r} in: {shown}; errors: {page.errors}") from error


def name_class(page: Any, name: str) -> str:
    row = current_id(page)
    page.keyboard.press("n")
    page.fill("dialog input", name)
    page.keyboard.press("Enter")
    saved(page, f"Saved: {row} is {name}")
    return row


def step_the_link_works_once_and_leaves_no_token(page: Any, server: Server, browser: Any) -> None:
    assert "token" not in page.url
    second = opened(browser, server.link)
    second.get_by_text("Open the link from the terminal").wait_for()
    second.context.close()


def step_a_row_is_shown_as_what_it_is(page: Any) -> None:
    page.locator("header.top").get_by_text("No model yet").wait_for()
    assert page.locator(".question .text p").count() == 2  # paragraphs
    cells = page.locator(".cells dt").all_inner_texts()
    assert "amount" in cells
    assert HOSTILE in cells  # as text, not as an element
    assert page.title().startswith("Label")
    assert page.locator(".question img").count() == 0


def step_new_classes_get_buttons_and_keys(page: Any) -> None:
    name_class(page, "complaint" if is_complaint(page) else "praise")
    for _ in range(30):
        name = "complaint" if is_complaint(page) else "praise"
        if page.locator(".classes button", has_text=name).count():
            key = page.locator(".classes button", has_text=name).locator("kbd").inner_text()
            row = current_id(page)
            page.keyboard.press(key.lower())
            saved(page, f"Saved: {row} is {name}")
        else:
            name_class(page, name)
    assert page.locator(".classes button").count() == 2
    assert not page.errors


def step_keys_without_a_class_say_what_to_do(page: Any) -> None:
    """A key of a class that has no name yet does nothing to the row, and says how to name it."""
    row = current_id(page)
    for key in ("0", "7"):
        page.keyboard.press(key)
        saved(page, f"No class has the key {key}: N names a new one.")
    assert current_id(page) == row
    assert page.locator("dialog").count() == 0


def step_fast_typing_goes_to_the_dialog(page: Any) -> None:
    """Nothing typed right after N is taken for an answer, a skip or another command."""
    row = current_id(page)
    page.keyboard.press("n")
    page.keyboard.type("1s0")  # a class, a command and a key of nothing
    page.keyboard.press("Enter")
    saved(page, f"Saved: {row} is 1s0")
    page.keyboard.press("u")
    saved(page, f"Taken back: {row}")
    page.locator(".classes button", has_text="1s0").wait_for(state="detached")


def step_keys_before_anything_is_drawn_are_text(page: Any) -> None:
    """Two keys in one turn of the browser: the second one comes before the dialog is there."""
    row = current_id(page)
    page.evaluate(
        """() => [..."nfraud"].forEach((key) => dispatchEvent(
            new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })))"""
    )
    field = page.get_by_label("Its name")
    field.wait_for()
    assert field.input_value() == "fraud"  # u took nothing back, 1 named nothing
    page.keyboard.type("ster")
    assert field.input_value() == "fraudster"
    page.keyboard.press("Escape")
    field.wait_for(state="detached")
    assert current_id(page) == row


def step_the_row_stays_in_sight_while_it_is_named(page: Any) -> None:
    text = page.locator(".question .text").bounding_box()
    page.keyboard.press("n")
    dialog = page.locator("dialog").bounding_box()
    # The text is 70 characters wide and left of the dialog, or above it.
    assert text["x"] + 0.7 * text["width"] <= dialog["x"]
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")


def step_undo_brings_the_row_back(page: Any) -> None:
    row = current_id(page)
    page.keyboard.press("1")
    saved(page, f"Saved: {row}")
    page.keyboard.press("u")
    saved(page, f"Taken back: {row}")
    page.locator(".question .id", has_text=row).wait_for()
    page.locator(".classes button").first.click()
    saved(page, f"Saved: {row}")


def step_the_last_answers_are_taken_back_one_by_one(page: Any) -> None:
    rows = []
    for _ in range(2):
        rows.append(current_id(page))
        page.keyboard.press("1")
        saved(page, f"Saved: {rows[-1]}")
    for row in reversed(rows):
        page.keyboard.press("u")
        saved(page, f"Taken back: {row}")
        page.locator(".question .id", has_text=row).wait_for()


def step_skip_with_a_reason_and_a_note(page: Any) -> None:
    row = current_id(page)
    page.keyboard.press("t")
    page.fill("dialog textarea", f"odd {HOSTILE}")
    page.get_by_role("button", name="Save", exact=True).click()
    saved(page, f"Note on {row} saved")
    page.keyboard.press("s")
    page.get_by_role("button", name="Unreadable").click()
    saved(page, f"Saved: {row} skipped")
    # Who skips says nothing of the class: neither agrees with the model nor teaches it.
    page.keyboard.press("w")
    told = page.locator(".why p", has_text="The model would have said")
    told.wait_for()
    assert re.fullmatch(r"The model would have said \w+\.", told.inner_text())
    page.keyboard.press("w")


def step_a_class_whose_name_attacks_is_only_a_name(page: Any) -> None:
    name_class(page, HOSTILE)
    assert page.locator(".classes img").count() == 0
    page.keyboard.press("u")
    saved(page, "Taken back")


def step_why_is_told_after_the_answer(page: Any) -> None:
    page.keyboard.press("1")
    saved(page, "Saved")
    page.keyboard.press("w")
    page.locator(".why p", has_text="asked because").first.wait_for()
    page.locator(".why h3", has_text="Nearest labelled rows").wait_for()
    page.locator(".why h3", has_text="What speaks for each class").wait_for()
    # Beside the answers and below the row: a long list of classes does not push it away.
    question = page.locator(".question").bounding_box()
    assert page.locator(".why").bounding_box()["x"] == question["x"]
    page.keyboard.press("w")


def step_the_list_of_keys(page: Any) -> None:
    page.keyboard.press("?")
    page.locator("dialog", has_text="Undo your last answer").wait_for()
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")


def step_an_answer_given_while_the_network_is_away_is_sent_later(page: Any) -> None:
    row = current_id(page)
    page.context.set_offline(True)
    page.keyboard.press("1")
    page.locator(".saving.bad", has_text="does not answer").wait_for()
    assert current_id(page) != row  # the next row was preloaded
    page.context.set_offline(False)
    saved(page, f"Saved: {row}")
    page.errors.clear()  # the browser reports what it could not fetch


def step_the_same_row_after_a_reload(page: Any) -> None:
    row = current_id(page)
    page.reload()
    page.wait_for_selector(".question h1")
    assert current_id(page) == row


def test_a_person_labels(page: Any, server: Server, browser: Any) -> None:
    """One visit, step by step: each builds on the answers before it."""
    step_the_link_works_once_and_leaves_no_token(page, server, browser)
    step_a_row_is_shown_as_what_it_is(page)
    step_new_classes_get_buttons_and_keys(page)
    step_keys_without_a_class_say_what_to_do(page)
    step_fast_typing_goes_to_the_dialog(page)
    step_keys_before_anything_is_drawn_are_text(page)
    step_the_row_stays_in_sight_while_it_is_named(page)
    step_undo_brings_the_row_back(page)
    step_the_last_answers_are_taken_back_one_by_one(page)
    step_skip_with_a_reason_and_a_note(page)
    step_a_class_whose_name_attacks_is_only_a_name(page)
    step_why_is_told_after_the_answer(page)
    step_the_list_of_keys(page)
    step_an_answer_given_while_the_network_is_away_is_sent_later(page)
    step_the_same_row_after_a_reload(page)
