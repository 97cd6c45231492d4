"""Two people in two browsers: invitation, roles, no row twice, blind overlap, disagreements."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .serving import Server, make_reviews, opened


@pytest.fixture(scope="module")
def server(serve: Callable[..., Server], tmp_path_factory: pytest.TempPathFactory) -> Server:
    folder: Path = tmp_path_factory.mktemp("team")
    make_reviews(folder / "reviews.csv", 120)
    subprocess.run(
        [sys.executable, "-m", "rarebit", "team", "add", "ann", "--role", "owner",
         "--password-stdin"],
        input="correct horse\n", text=True, check=True, cwd=folder, capture_output=True,
    )  # fmt: skip
    return serve(
        "reviews.csv", "--id", "order", "--text", "review", "--drop", "truth",
        "--classes", "praise,complaint", folder=folder,
    )  # fmt: skip


@pytest.fixture(scope="module")
def ann(server: Server, browser: Any) -> Any:
    page = opened(browser, server.origin)
    page.get_by_label("Name").fill("ann")
    page.get_by_label("Password").fill("wrong horse")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").wait_for()
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector(".question h1")
    return page


@pytest.fixture(scope="module")
def bob(ann: Any, browser: Any) -> Any:
    ann.click("nav.views a[href$='/team']")
    ann.get_by_role("button", name="Make a link").click()
    link = ann.locator("#invitation").inner_text()
    page = opened(browser, link)
    page.get_by_label("Name").fill("bob")
    page.get_by_label("Password").fill("battery staple")
    page.get_by_role("button", name="Join").click()
    page.wait_for_selector(".question h1")
    ann.click("nav.views a[href$='/label']")
    ann.wait_for_selector(".question h1")
    return page


def answer(page: Any, key: str) -> str:
    row = str(page.locator(".question .id").inner_text())
    page.keyboard.press(key)
    page.locator(".saving", has_text=f"Saved: {row}").wait_for()
    return row


def step_two_people_never_get_the_same_row(ann: Any, bob: Any) -> None:
    ours, theirs = set(), set()
    for _ in range(8):
        ours.add(answer(ann, "1"))
        theirs.add(answer(bob, "1"))
    assert len(ours) == len(theirs) == 8
    assert not ours & theirs


def step_who_is_here(ann: Any, bob: Any) -> None:
    ann.click("nav.views a[href$='/team']")
    ann.locator("tr", has_text="bob").get_by_text("now").wait_for()
    accounts = ann.get_by_label("Accounts")
    accounts.locator("select[name=scope]").select_option("here")
    accounts.get_by_role("button", name="Make a link").click()
    accounts.locator("li", has_text="annotator, reviews").wait_for()
    ann.click("nav.views a[href$='/answers']")
    ann.get_by_label("Person").select_option("bob")
    ann.locator("p[role=status]", has_text="8 answers").wait_for()
    assert ann.get_by_label("Person").locator("option").all_inner_texts() == ["all", "ann", "bob"]


def step_a_class_of_one_is_a_button_of_the_other(ann: Any, bob: Any) -> None:
    for page in (ann, bob):
        page.click("nav.views a[href$='/label']")
        page.wait_for_selector(".question h1")
    ann.keyboard.press("n")
    ann.keyboard.type("parcel lost")
    ann.keyboard.press("Enter")
    bob.locator(".classes button", has_text="parcel lost").wait_for(timeout=10_000)


def step_an_annotator_owns_nothing(bob: Any) -> None:
    bob.click("nav.views a[href$='/project']")
    bob.get_by_text("Only the owner changes these").wait_for()
    guidelines = bob.get_by_label("Guidelines")
    assert guidelines.is_disabled()
    said = bob.get_by_text("Only the owner changes these").bounding_box()
    assert said["y"] < guidelines.bounding_box()["y"]  # before anybody tries
    colours = "each => getComputedStyle(each).backgroundColor"
    card = bob.locator("form.card").first
    assert guidelines.evaluate(colours) != card.evaluate(colours)
    assert bob.get_by_role("button", name="Save settings").count() == 0
    assert bob.get_by_role("button", name="Model").count() == 0
    # What the server would refuse is not offered.
    assert bob.get_by_role("button", name="Labels as").count() == 0
    bob.get_by_text("Files are for the owner and viewers").wait_for()
    bob.click("nav.views a[href$='/team']")
    bob.locator("main h1").wait_for()
    bob.get_by_label("Old password").fill("wrong horse")
    bob.get_by_label("New password").fill("another staple")
    bob.get_by_role("button", name="Change password").click()
    bob.get_by_text("The old password is wrong").wait_for()
    bob.get_by_label("Old password").fill("battery staple")
    bob.get_by_role("button", name="Change password").click()
    bob.get_by_text("Changed.").wait_for()
    bob.errors.clear()  # the refusal
    assert bob.get_by_role("button", name="Make a link").count() == 0
    bob.click("nav.views a[href$='/progress']")
    bob.get_by_label("People and details").wait_for()
    assert bob.get_by_text("Answers are kept in").count() == 0  # that place is the owner's
    assert bob.locator("header.top").get_by_text("bob", exact=True).count() == 1


def step_overlap_is_blind_and_disagreement_goes_to_the_owner(ann: Any, bob: Any) -> None:
    ann.click("nav.views a[href$='/project']")
    ann.get_by_label("Share of rows that two people label").fill("0.5")
    ann.get_by_role("button", name="Save settings").click()
    ann.get_by_text("Saved.").wait_for()
    for page in (ann, bob):
        page.click("nav.views a[href$='/label']")
        page.wait_for_selector(".question h1")
    for _ in range(20):
        answer(ann, "1")
        answer(bob, "2")
    ann.click("nav.views a[href$='/team']")
    ann.get_by_text("Rows that two or more people answered").wait_for()
    # One says always this, the other always that: no chance to agree by chance.
    ann.locator("tr", has_text="Cohen's κ").get_by_text("too few rows to tell").wait_for()
    ann.locator("tr", has_text="Same answer").get_by_text("0.00 (95 % interval").wait_for()
    first = ann.locator("section[aria-label=Disagreements] .card").first
    first.wait_for()
    assert first.get_by_text("ann:").count() == first.get_by_text("bob:").count() == 1
    row = first.locator("h3").first.inner_text().removeprefix("Row ")
    ann.set_viewport_size({"width": 390, "height": 844})
    assert ann.evaluate("document.documentElement.scrollWidth") <= 390  # accounts too
    ann.set_viewport_size({"width": 1280, "height": 800})
    header = ann.locator("header.top").bounding_box()
    assert header["height"] < 60  # one line, with a name and a way to sign out
    first.get_by_role("button", name="complaint").click()
    ann.get_by_text(f"{row} is complaint.").wait_for()
    assert not ann.errors[1:]  # the first is the refused password
    assert not bob.errors


def step_signing_out_ends_the_session(bob: Any, server: Server) -> None:
    bob.get_by_role("button", name="Sign out").click()
    bob.get_by_label("Password").wait_for()
    bob.reload()
    bob.get_by_label("Password").wait_for()


def test_two_people_label_together(ann: Any, bob: Any, server: Server) -> None:
    """One session of two people, step by step."""
    step_two_people_never_get_the_same_row(ann, bob)
    step_who_is_here(ann, bob)
    step_a_class_of_one_is_a_button_of_the_other(ann, bob)
    step_an_annotator_owns_nothing(bob)
    step_overlap_is_blind_and_disagreement_goes_to_the_owner(ann, bob)
    step_signing_out_ends_the_session(bob, server)
