"""Progress, answers, search, project: what an owner does beside labelling."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from .serving import HOSTILE, Server, make_reviews, opened


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("views")
    frame = pl.read_csv(make_reviews(place / "all.csv"))
    frame.head(200).write_csv(place / "reviews.csv")
    frame.tail(40).write_csv(place / "more.csv")
    first = frame.head(30).select("order", pl.col("truth").alias("label"))
    first.write_csv(place / "known.csv")
    return place


@pytest.fixture(scope="module")
def page(serve: Callable[..., Server], folder: Path, browser: Any) -> Any:
    server = serve(
        "reviews.csv", "--id", "order", "--text", "review", "--drop", "truth", folder=folder
    )
    found = opened(browser, server.link, accept_downloads=True)
    found.wait_for_selector(".question h1")
    return found


def view(page: Any, name: str) -> None:
    page.click(f"nav.views a[href$='/{name}']")
    page.locator("main h1").first.wait_for()


def step_labels_from_a_file_are_taken_over(page: Any, folder: Path) -> None:
    view(page, "project")
    form = page.locator("form", has_text="Labels from a file")
    form.locator("input[type=file]").set_input_files(folder / "known.csv")
    form.get_by_role("button", name="Import labels").click()
    page.get_by_text("30 labels taken over").wait_for()


def place_of_a_dot(page: Any) -> dict[str, float]:
    """Return where the map shows its first row: it is drawn from edge to edge, with a margin."""
    origin, name = re.search(r"(http://[^/]+)/.*#/([^/]+)/", page.url).groups()  # type: ignore[union-attr]
    found = page.request.get(f"{origin}/api/projects/{name}/map").json()
    box = page.locator("canvas.map").bounding_box()
    x, y = (
        (found[axis][0] - min(found[axis])) / (max(found[axis]) - min(found[axis]))
        for axis in ("x", "y")
    )
    return {"x": 14 + x * (box["width"] - 28), "y": box["height"] - 14 - y * (box["height"] - 28)}


def ticks_of_a_small_chart(page: Any) -> list[str]:
    """Return what stands at the axes where two rows were found by one label: no half of a row."""
    return list(
        page.evaluate(
            """async () => {
                const { LineChart } = await import("/static/parts/chart.js");
                const { html, render } = await import("/static/dom.js");
                const place = document.createElement("div");
                const lines = [{ name: "found", colour: "red", points: [[0, 0], [1, 2]] }];
                render(html`<${LineChart} title="A chart" x="labels" lines=${lines} />`, place);
                return Array.from(place.querySelectorAll("text"), (each) => each.textContent);
            }"""
        )
    )


def step_arrows_walk_over_the_labelled_rows(page: Any) -> None:
    """From the first labelled row, one step back is the last one; from none, so is it."""
    found = page.request.get(re.sub(r"/#/([^/]+)/.*", r"/api/projects/\1/map", page.url)).json()
    pairs = zip(found["row"], found["label"], strict=True)
    rows = [row for row, label in pairs if label is not None]
    last = page.request.get(
        re.sub(r"/#/([^/]+)/.*", rf"/api/projects/\1/rows/{rows[-1]}", page.url)
    ).json()["row"]["id"]
    for is_fresh in (False, True):
        if is_fresh:
            page.reload()
            page.locator("canvas.map").wait_for()
        page.locator("canvas.map").focus()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Enter")
        page.locator("dialog", has_text=f"Row {last}").wait_for()
        page.keyboard.press("Escape")
        page.locator("dialog").wait_for(state="detached")


def step_progress_shows_figures_curves_and_a_map(page: Any) -> None:
    view(page, "progress")
    page.locator("#n-labels", has_text="30").wait_for()
    assert page.get_by_role("cell", name="complaint").count() >= 1
    assert page.get_by_label("Found so far").locator("svg.chart").count() == 1
    assert ticks_of_a_small_chart(page) == ["0", "1", "2", "0", "1", "labels"]
    # Imported labels were not guessed before: no empty axes stand for a curve.
    page.get_by_label("Learning curve").get_by_text("The curve begins when").wait_for()
    # Nothing is drawn at random for a proof until a recall is set; the page says where.
    proved = page.get_by_label("What is proved")
    proved.get_by_text("has an answer yet").wait_for()
    assert proved.get_by_role("link", name="Project").count() == 1
    assert page.locator(".tile").count() == 4  # none that counts labels up to no target
    page.locator("canvas.map").wait_for()
    page.locator("canvas.map").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.locator("dialog", has_text="Row T-").wait_for()
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")
    step_arrows_walk_over_the_labelled_rows(page)
    page.locator("canvas.map").click(position=place_of_a_dot(page))
    page.locator("dialog", has_text="Row T-").wait_for()
    page.keyboard.press("Escape")
    assert page.get_by_role("heading", name="What is proved").count() == 1
    # What the share is a share of has its name, as in the terminal.
    assert re.search("'complaint'|every class but", page.locator("#rare-classes").inner_text())
    page.get_by_role("button", name="Estimate").click()
    page.locator("section[aria-label='What is proved'] p[role=status]").wait_for()


def step_an_answer_is_corrected_in_place(page: Any) -> None:
    view(page, "answers")
    page.get_by_label("Class").select_option("praise")
    page.locator("tbody tr").first.wait_for()
    row = page.locator("tbody tr td").first.inner_text()
    page.get_by_role("button", name="Open").first.click()
    dialog = page.locator("dialog")
    # The classes there are, one button each; the class that it has is none of them.
    assert dialog.get_by_role("button", name="praise", exact=True).count() == 0
    assert "Its label is praise" in re.sub(r"\s+", " ", dialog.inner_text())
    dialog.get_by_role("button", name="complaint", exact=True).click()
    page.get_by_text(f"{row} is now complaint").wait_for()
    page.get_by_label("Class").select_option("complaint")
    page.get_by_role("cell", name=row, exact=True).wait_for()
    page.get_by_label(re.compile("^Order")).select_option("doubt")
    page.get_by_text("The model disagrees").click()
    page.locator("p[role=status]", has_text="answer").wait_for()


def step_rows_are_found_by_words_and_conditions_and_labelled(page: Any) -> None:
    view(page, "search")
    page.get_by_label("Words").fill("refund")
    page.get_by_label("Labelled").select_option("no")
    page.get_by_role("button", name="Search").click()
    page.locator("tbody tr", has_text="refund").first.wait_for()
    page.get_by_role("button", name="Add a condition").click()
    page.get_by_label("Column").select_option("amount")
    page.get_by_label("Condition").select_option(">")
    page.get_by_label("Value").fill("300")
    page.get_by_role("button", name="Search").click()
    found = page.locator("p[role=status]", has_text=re.compile(r"\d+ rows?"))
    found.wait_for()
    row = page.locator("tbody tr td").first.inner_text()
    page.get_by_role("button", name="Open").first.click()
    page.locator("dialog").get_by_role("button", name="complaint").click()
    page.get_by_text(f"{row} is complaint").wait_for()


def step_the_owner_sets_guidelines_classes_and_target(page: Any) -> None:
    view(page, "project")
    page.get_by_label("Guidelines").fill("A complaint asks for money.\n\n<b>not bold</b>")
    page.get_by_label("Prove a recall").select_option("0.9")
    page.get_by_role("button", name="Save settings").click()
    page.locator("main .message").first.wait_for()
    assert page.locator("main .message").all_inner_texts() == ["Saved."]
    view(page, "label")
    page.locator(".guidelines", has_text="<b>not bold</b>").wait_for()
    view(page, "progress")
    page.get_by_label("What is proved").get_by_text("such random rows").wait_for()


def step_the_owner_names_the_rare_classes(page: Any) -> None:
    view(page, "project")
    page.locator("#rare-now").wait_for()
    page.get_by_label("Rare classes").select_option("rare")
    page.get_by_role("group", name="Those ticked here are rare").get_by_label("complaint").check()
    page.get_by_role("button", name="Save settings").click()
    page.locator("main .message", has_text="Saved.").wait_for()
    view(page, "progress")
    page.locator("#rare-classes", has_text=re.compile("^'complaint'$")).wait_for()


def step_a_recall_of_the_command_line_stays_chosen(page: Any) -> None:
    """A recall that the page does not usually offer is shown, and kept by the next save."""
    address = re.sub(r"/#/([^/]+)/.*", r"/api/projects/\1/settings", page.url)
    version = page.request.get(address).json()["version"]
    origin = re.match(r"http://[^/]+", page.url)[0]  # type: ignore[index]
    for recall in (0.85, 0.9):
        reply = page.request.put(
            address, data={"version": version, "target": recall}, headers={"Origin": origin}
        )
        version = reply.json()["version"]
        view(page, "label")
        view(page, "project")
        assert page.get_by_label("Prove a recall").input_value() == str(recall)


def step_words_that_count_are_marked(page: Any) -> None:
    view(page, "answers")
    for _ in range(60):  # the model may still be learning
        page.get_by_role("button", name="Open").first.click()
        page.locator("dialog .text").wait_for()
        is_marked = page.locator("dialog .text mark").count() > 0
        page.keyboard.press("Escape")
        page.locator("dialog").wait_for(state="detached")
        if is_marked:
            return
        page.wait_for_timeout(1000)
    raise AssertionError("no word is marked")


def step_asking_can_go_on_after_the_advice_to_stop(page: Any) -> None:
    view(page, "project")
    page.get_by_label("Stop asking").select_option("never")
    page.get_by_role("button", name="Save settings").click()
    page.get_by_text("Saved.", exact=True).wait_for()
    page.reload()
    assert page.get_by_label("Stop asking").input_value() == "never"


def step_rows_are_added_midway(page: Any, folder: Path) -> None:
    view(page, "project")
    form = page.locator("form", has_text="More rows")
    form.locator("input[type=file]").set_input_files(folder / "more.csv")
    form.get_by_role("button", name="Add rows").click()
    page.get_by_text("40 rows added: 240 now").wait_for()


EXPORTS = [
    ("Labels as CSV", "csv"), ("Labels as JSON lines", "jsonl"), ("Labels as Parquet", "parquet"),
    ("Ranked list", "csv"), ("Model", "rarebit"), ("Report", "html"),
]  # fmt: skip


def step_exports(page: Any, title: str, ending: str, tmp_path: Path) -> None:
    view(page, "project")
    with page.expect_download(timeout=300_000) as waiting:
        page.get_by_role("button", name=title).click()
    file = tmp_path / f"got.{ending}"
    waiting.value.save_as(file)
    assert file.stat().st_size > 100
    if title == "Labels as CSV":
        frame = pl.read_csv(file)
        assert frame.height >= 30
        assert {"reason", "annotator"} <= set(frame.columns)
    if title == "Model":
        from rarebit.models import load_model

        assert load_model(file).rare_class == "complaint"


def step_a_simulation_against_a_column(page: Any) -> None:
    view(page, "project")
    card = page.locator("section", has=page.get_by_role("heading", name="Simulation"))
    card.get_by_label("Column").select_option(HOSTILE)
    card.get_by_label("Labels").fill("60")
    card.get_by_role("button", name="Simulate").click()
    card.locator("table").wait_for(timeout=300_000)
    assert card.get_by_role("cell", name="SE", exact=True).count() == 1
    assert not page.errors


def test_an_owner_beside_labelling(page: Any, folder: Path, tmp_path: Path) -> None:
    """One visit, step by step: each builds on what is there before it."""
    step_labels_from_a_file_are_taken_over(page, folder)
    step_progress_shows_figures_curves_and_a_map(page)
    step_an_answer_is_corrected_in_place(page)
    step_rows_are_found_by_words_and_conditions_and_labelled(page)
    step_the_owner_names_the_rare_classes(page)
    step_the_owner_sets_guidelines_classes_and_target(page)
    step_a_recall_of_the_command_line_stays_chosen(page)
    step_words_that_count_are_marked(page)
    step_asking_can_go_on_after_the_advice_to_stop(page)
    step_rows_are_added_midway(page, folder)
    for title, ending in EXPORTS:
        step_exports(page, title, ending, tmp_path)
    step_a_simulation_against_a_column(page)
