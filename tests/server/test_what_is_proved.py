"""What the page says of proofs: being computed, not begun, or a figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.server.served import Browser, P, served, until, write_payments


def set_target(me: Browser, recall: float | None) -> None:
    version = me.get(f"{P}/settings").json()["version"]
    reply = me.put(f"{P}/settings", json={"version": version, "target": recall})
    assert reply.status_code == 200, reply.text


def estimate(me: Browser) -> str:
    return str(me.get(f"{P}/forecast", params={"recall": 0.8}).json()["sentence"])


def status(me: Browser) -> dict[str, Any]:
    found: dict[str, Any] = me.get(f"{P}/status").json()
    return found


def test_estimates_and_figures_say_what_they_wait_for(tmp_path: Path) -> None:
    with served(write_payments(tmp_path)) as server, Browser(server) as me:
        me.come_in()
        assert estimate(me) == "Nothing can be forecast yet: label rows of two classes first."
        assert not status(me)["computing"]  # there is nothing to compute
        me.label(30)
        assert me.wait_until_learned()["target"] is None
        until(lambda: not status(me)["computing"])
        # Two classes and labels are there: a target is what is missing, and the page says where.
        assert "“Prove a recall”" in estimate(me)
        set_target(me, 0.8)
        until(lambda: status(me)["guarantee"] is not None)
        me.wait_until_learned()
        assert "A recall of 80 %" in estimate(me)
        desk = server.office.places["payments"].desk
        assert desk is not None
        learned, desk.learner.learned = desk.learner.learned, None  # as after a start
        found = status(me)
        assert found["computing"]
        assert found["target"] == 0.8
        assert found["guarantee"] is None
        assert found["forecast"] is None
        assert found["stop"]["sentence"] == "What the labels say is being computed."
        assert "Ask again in a moment" in estimate(me)
        desk.learner.learned = learned
        desk.learner.begin_again()  # what is known is of the settings before
        assert status(me)["computing"]
        until(lambda: not status(me)["computing"])
        assert status(me)["guarantee"]["target"] == 0.8
