"""The page's types say what the server sends: `make types` checks the page against them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.server.served import Browser, P

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "src/rarebit/server/page"
INTERFACE = re.compile(r"^export interface (\w+)(?: extends (\w+))? \{\n(.*?)^\}", re.M | re.S)
FIELD = re.compile(r"^ {4}(\w+)(\??): ", re.M)


def declared() -> dict[str, set[str]]:
    """Return the fields that each interface must have, by its name."""
    found: dict[str, set[str]] = {}
    for name, parent, body in INTERFACE.findall((PAGE / "replies.d.ts").read_text("utf-8")):
        fields = {field for field, optional in FIELD.findall(body) if not optional}
        found[name] = fields | found.get(parent, set())
    return found


@pytest.fixture
def replies(me: Browser) -> dict[str, Any]:
    """Return one reply for each interface, of a project with labels, a skip and a model."""
    rows = me.label(25)
    hand = me.ask(2)
    me.post(f"{P}/skips", json={"row": hand["front"][0], "reason": "unsure", "key": "a skip"})
    status = me.wait_until_learned()
    shown = me.get(f"{P}/rows/{rows[0]}").json()
    settings = me.get(f"{P}/settings").json()
    found = me.post(f"{P}/searches", json={"words": ""}).json()
    answers = me.get(f"{P}/answers").json()
    pool = me.get(f"{P}/map").json()
    why = me.get(f"{P}/rows/{rows[0]}/why").json()
    saved = me.post(f"{P}/notes", json={"row": rows[0], "note": "seen", "key": "a note"}).json()
    return {
        "Me": me.get("/api/me").json(),
        "ProjectEntry": me.get("/api/projects").json()["projects"][0],
        "Row": shown["row"], "Cell": shown["row"]["cells"][0], "RowReply": shown, "Why": why,
        "Opinion": why["opinion"], "StoredEvent": shown["mine"], "AnswerList": answers,
        "StandingAnswer": answers["answers"][0], "Saved": saved["saved"], "Hand": hand,
        "BriefProgress": hand["progress"], "Status": status, "CurvePoint": status["curve"][-1],
        "Forecast": me.get(f"{P}/forecast", params={"recall": 0.9}).json(), "PoolMap": pool,
        "Grid": pool["grid"], "SettingsReply": settings, "ClassSetting": settings["classes"][0],
        "Column": settings["columns"][0], "SearchReply": found,
        "PersonHere": me.get(f"{P}/people").json()["people"][0],
        "Agreement": me.get(f"{P}/agreement").json(),
    }  # fmt: skip


def test_replies_have_every_field_that_the_page_reads(replies: dict[str, Any]) -> None:
    types = declared()
    missing = {name: sorted(types[name] - set(reply)) for name, reply in replies.items()}
    assert {name: fields for name, fields in missing.items() if fields} == {}
    # The kinds of questions, and classes that are listed inside others.
    assert replies["Hand"]["progress"]["classes"][0].keys() == {"name", "labelled"}
    assert set(replies["Status"]["classes"][0]) >= {"class", "colour", "first_row", "labelled"}
    assert set(replies["SearchReply"]["rows"][0]) >= {"row", "id", "summary", "label", "score"}


def test_the_page_offers_only_simulations_that_the_server_takes(me: Browser) -> None:
    """A field that allows more than the server ends in a refusal."""
    source = (PAGE / "parts/simulation.js").read_text("utf-8")
    found = re.search(r'name="most" min="(\d+)" max="(\d+)"', source)
    assert found is not None
    low, high = int(found[1]), int(found[2])
    for n, is_allowed in ((low, True), (high, True), (high + 1, False)):
        body = {"column": "no such column", "max_labels": n, "key": f"{n}"}
        refused = me.post(f"{P}/simulations", json=body)
        assert ("max_labels" in refused.text) is not is_allowed


def test_types_are_those_of_the_vendored_versions() -> None:
    packages = json.loads((ROOT / "tests/page/types/package.json").read_text("utf-8"))
    wanted = packages["devDependencies"]
    table = (PAGE / "vendor/README.md").read_text("utf-8")
    vendored = dict(re.findall(r"^\| `\w+\.js` \| (\w+), `[^`]+` \| ([\d.]+) \|", table, re.M))
    assert set(vendored) == {"preact", "htm"}
    assert {name: wanted[name] for name in vendored} == vendored
    lock = (ROOT / "tests/page/types/package-lock.json").read_text("utf-8")
    assert "://" not in lock  # packages come by name and hash, from wherever npm is set up
    kept = json.loads(lock)["packages"]
    assert {name: kept[f"node_modules/{name}"]["version"] for name in wanted} == wanted
