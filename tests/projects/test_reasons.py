"""Why a row was asked is told in the words of the file, and the guess goes with the reasons."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest

from rarebit.projects import Desk, take_labels

N_ROWS = 200


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    rng = np.random.default_rng(0)
    rare = np.arange(N_ROWS) % 8 == 0
    path = tmp_path_factory.mktemp("reasons") / "payments.csv"
    review = ["refund never came" if each else "nice shop again" for each in rare]
    review = [f"{text} order number {i}" for i, text in enumerate(review)]
    pl.DataFrame(
        {
            "id": [f"t{i}" for i in range(N_ROWS)],
            "date": [f"2026-10-{1 + i % 28:02}" for i in range(N_ROWS)],
            "amount": [f"€{x:,.2f}" for x in rng.gamma(2.0, 300.0, N_ROWS) + 900.0 * rare],
            "shop": np.where(rare, "airline", rng.choice(["bakery", "books"], N_ROWS)),
            "review": review,
        }
    ).write_csv(path)
    settings = {"reading": {"id": "id", "text": "review"}}
    with Desk.open(path, store=path.with_suffix(".labels.db"), settings=settings) as opened:
        labels = {i: "fraud" if rare[i] else "ok" for i in range(60)}
        take_labels(opened, labels, "", "known")
        limit = time.monotonic() + 300.0
        while opened.learner.opinion is None or opened.learner.seen < 60:
            assert time.monotonic() < limit
            time.sleep(0.05)
        yield opened


def test_reasons_are_in_the_words_of_the_file(desk: Desk) -> None:
    said: set[str] = set()
    for row in (0, 1, 2, 8):
        why = desk.insight.why(row, "ok")
        assert why["pushes"]
        cells = desk.table.show(row, as_written=True)
        for push in why["pushes"]:
            said.add(push["said"])
            column, _, value = push["said"].partition(" is ")
            if value:
                assert cells.fields[column] == value
            else:
                word = push["said"].removeprefix("the word '").removesuffix("' in review")
                assert word in (cells.text or "")
    assert any(each.startswith("the word '") for each in said)
    assert "shop is airline" in said
    words = {each["word"] for each in desk.insight.highlights(0)}
    assert words
    assert all(word in "refund never came order number 0" for word in words)


def test_a_guess_against_most_reasons_is_explained(desk: Desk) -> None:
    """The sentence says what is so: the rest outweighs them, or together they say the same."""
    said = set()
    for row in range(N_ROWS):
        why = desk.insight.why(row, "ok")
        pushes, together = desk.insight._weighed(row)
        guess = why["opinion"]["class"]
        against = [push for push in pushes if push["class"] != guess]
        heavy = 2 * sum(each["weight"] for each in against) > sum(p["weight"] for p in pushes)
        if 2 * len(against) <= len(pushes) and not heavy:
            assert why["balance"] == ""
        elif (together > 0) == (guess == "fraud"):
            assert why["balance"] == f"Taken together, they speak for {guess}."
        else:
            assert why["balance"].endswith("the rest outweighs them.")
        said.add(why["balance"])
    assert len(said) > 1
