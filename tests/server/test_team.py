"""Several people: roles on every object, invitations, blind overlap, disagreements, agreement."""

from __future__ import annotations

from pathlib import Path

import pytest

from rarebit.server import Accounts, AccountsError, PageServer
from tests.server.served import PASSWORD, Browser, P, served, until, write_payments

OTHER = "/api/projects/other"
OWNERS = [
    ("GET", "/disagreements", None),
    ("PUT", "/settings", {"version": 1}),
    ("POST", "/imports", {"key": "k", "column": "country"}),
    ("POST", "/rows", {"key": "k", "name": "a.csv", "base64": ""}),
    ("POST", "/known", {"key": "k", "labels": [{"id": "T-1", "label": "ok"}]}),
    ("POST", "/simulations", {"key": "k", "column": "country"}),
    ("DELETE", "/simulations/00000000", {}),
]
ANNOTATORS = [
    ("GET", "/questions", None),
    ("POST", "/answers", {"row": 1, "label": "ok", "key": "k"}),
    ("POST", "/skips", {"row": 1, "key": "k"}),
    ("POST", "/undos", {"key": "k"}),
    ("POST", "/notes", {"row": 1, "key": "k", "note": "n"}),
    ("POST", "/corrections", {"row": 1, "label": "ok", "key": "k"}),
    ("POST", "/heartbeats", {"tab": "t"}),
    ("POST", "/releases", {"tab": "t"}),
    ("POST", "/like", {"words": "x", "key": "k"}),
]
VIEWERS = [
    ("GET", path, None)
    for path in ("/status", "/answers", "/map", "/rows/0", "/rows/0/history", "/settings",
                 "/people", "/agreement", "/forecast", "/exports/labels.csv", "/events",
                 "/rows/0/images/0", "/rows/0/why", "/simulations/00000000")
]  # fmt: skip


def send(browser: Browser, method: str, path: str, body: object) -> int:
    if body is None:
        return browser.get(path).status_code
    return browser.request(method, path, json=body).status_code


@pytest.mark.parametrize(("method", "path", "body"), [*OWNERS, *ANNOTATORS, *VIEWERS])
def test_projects_of_others_do_not_exist(
    team: PageServer, method: str, path: str, body: object
) -> None:
    with Browser(team) as eve:
        eve.sign_in("eve")
        assert send(eve, method, P + path, body) == 404
        assert [each["name"] for each in eve.get("/api/projects").json()["projects"]] == ["other"]
        assert eve.get("/api/status", params={"project": "payments"}).status_code == 404


@pytest.mark.parametrize(("method", "path", "body"), OWNERS)
def test_annotators_do_not_own(team: PageServer, method: str, path: str, body: object) -> None:
    with Browser(team) as ann:
        assert send(ann.sign_in("ann"), method, P + path, body) == 403


@pytest.mark.parametrize(("method", "path", "body"), [*OWNERS, *ANNOTATORS])
def test_viewers_only_read(team: PageServer, method: str, path: str, body: object) -> None:
    with Browser(team) as vic:
        assert send(vic.sign_in("vic"), method, P + path, body) == 403


def test_team_routes_are_the_owners(team: PageServer) -> None:
    with Browser(team) as ann, Browser(team) as eve, Browser(team) as olga:
        for browser, name in ((ann, "ann"), (eve, "eve"), (olga, "olga")):
            browser.sign_in(name)
        assert ann.get("/api/team").status_code == 403
        assert ann.post("/api/team/invitations", json={"role": "owner"}).status_code == 403
        assert ann.put("/api/team/users/ann", json={"role": "owner"}).status_code == 403
        assert eve.put("/api/team/users/eve", json={"role": "owner"}).status_code == 403
        grab = {"role": "owner", "project": "payments"}
        assert eve.post("/api/team/invitations", json=grab).status_code == 404
        assert eve.request("DELETE", "/api/team/users/bob", json={}).status_code == 403
        seen = {each["name"] for each in olga.get("/api/team").json()["users"]}
        assert seen == {"olga", "ann", "bob", "vic", "eve"}
        last = olga.request("DELETE", "/api/team/users/olga", json={})
        assert last.status_code == 409


def test_nobody_registers_without_an_invitation(team: PageServer) -> None:
    with Browser(team) as stranger:
        body = {"name": "mallory", "password": PASSWORD}
        assert stranger.post("/api/join", json=body).status_code == 403
        stranger.cookies.set(f"rarebit_invite_{team.port}", "guessed")
        assert stranger.post("/api/join", json=body).status_code == 403
        assert stranger.post("/api/register", json=body).status_code in (404, 405)


def test_an_invitation_makes_one_account(team: PageServer, accounts: Accounts) -> None:
    with Browser(team) as olga, Browser(team) as cid, Browser(team) as second:
        made = olga.sign_in("olga").post("/api/team/invitations", json={"role": "annotator"})
        link = made.json()["link"]
        reply = cid.get(link)
        assert (reply.status_code, reply.headers["location"]) == (303, "/#/join")
        body = {"name": "cid", "password": PASSWORD}
        assert cid.post("/api/join", json={**body, "role": "owner"}).status_code == 422
        assert cid.post("/api/join", json={**body, "password": "short"}).status_code == 400
        assert cid.post("/api/join", json={**body, "name": "ann"}).status_code == 409
        joined = cid.post("/api/join", json=body)
        assert joined.json()["role"] == "annotator"
        second.get(link)
        assert second.post("/api/join", json={**body, "name": "dan"}).status_code == 403
        assert cid.get(f"{P}/status").status_code == 200
        removed = olga.request("DELETE", "/api/team/users/cid", json={})
        assert removed.status_code == 200
        assert cid.get(f"{P}/status").status_code == 401


def test_people_label_blindly_and_the_owner_settles(team: PageServer) -> None:
    with Browser(team) as ann, Browser(team) as bob, Browser(team) as olga:
        ann.sign_in("ann").label(16, tab="ann")
        bob.sign_in("bob")
        olga.sign_in("olga")
        desk = team.office.places["payments"].desk
        assert desk is not None
        waiting = set(desk.board.second)
        assert waiting
        row = next(iter(waiting))
        # Nothing tells bob what ann said, or that she was asked at all.
        assert bob.get(f"{P}/rows/{row}").json()["answers"] == []
        assert bob.get(f"{P}/rows/{row}/history").json() == {"events": []}
        assert bob.get(f"{P}/rows/{row}/why").status_code == 403
        assert bob.get(f"{P}/answers").json()["total"] == 0
        drawn = bob.get(f"{P}/map").json()
        assert drawn["label"][drawn["row"].index(row)] is None
        found = bob.post(f"{P}/searches", json={"words": f"t-{row}"}).json()["rows"]
        assert {each["label"] for each in found if each["row"] == row} == {None}
        # The owner may be asked these rows too: she is told that answers are missing, and why.
        listed = olga.get(f"{P}/answers").json()
        given = sum(len(rows) for rows in desk.board.answers.by_annotator().values())
        assert listed["total"] + listed["hidden"] == given
        assert listed["hidden"] >= len(waiting)
        assert bob.get(f"{P}/answers").json()["hidden"] == 0
        # He is asked it, says something else, and then sees both.
        front = bob.ask(1, tab="bob")["front"]
        first = front[0]
        assert first in waiting
        said = desk.board.answers.of_row(first)["ann"].label
        other = "ok" if said == "fraud" else "fraud"
        bob.post(f"{P}/answers", json={"row": first, "label": other, "key": "b", "tab": "bob"})
        assert {a["annotator"] for a in bob.get(f"{P}/rows/{first}").json()["answers"]} == {
            "ann", "bob"
        }  # fmt: skip
        assert desk.board.labels[first] == said
        queue = olga.get(f"{P}/disagreements").json()
        assert first in {each["row"]["row"] for each in queue["rows"]}
        olga.post(f"{P}/corrections", json={"row": first, "label": other, "key": "o"})
        assert desk.board.labels[first] == other
        rest = olga.get(f"{P}/disagreements").json()["rows"]
        assert first not in {each["row"]["row"] for each in rest}
        bob.label(6, tab="bob")
        agreed = olga.get(f"{P}/agreement").json()
        assert agreed["rows"] >= 1
        assert agreed["people"] == ["ann", "bob"]
        assert agreed["raw"]["low"] <= agreed["raw"]["value"] <= agreed["raw"]["high"]
        people = {each["name"]: each for each in olga.get(f"{P}/people").json()["people"]}
        assert people["ann"]["here"]
        assert people["olga"]["here"]  # who decides is here, too, without labelling
        assert people["ann"]["labels"] == 16
        assert people["bob"]["rows"]
        assert all(not each["rows"] for each in bob.get(f"{P}/people").json()["people"])


def test_annotators_correct_their_own_answers_only(team: PageServer) -> None:
    with Browser(team) as ann, Browser(team) as bob:
        row = ann.sign_in("ann").label(1, tab="ann")[0]
        bob.sign_in("bob")
        body = {"row": row, "label": "ok", "key": "not his"}
        assert bob.post(f"{P}/corrections", json=body).status_code == 403
        mine = {"row": row, "label": "ok", "key": "hers"}
        assert ann.post(f"{P}/corrections", json=mine).status_code == 200


def test_files_are_not_for_annotators(team: PageServer) -> None:
    with Browser(team) as ann, Browser(team) as vic:
        assert ann.sign_in("ann").get(f"{P}/exports/labels.csv").status_code == 403
        assert vic.sign_in("vic").get(f"{P}/exports/labels.csv").status_code == 200


def test_sessions_last_over_a_start_and_end_with_the_password(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path / "team.json")
    accounts.add("olga", PASSWORD, "owner")
    file = write_payments(tmp_path)
    with served(file, accounts=accounts) as server, Browser(server) as me:
        cookie = me.sign_in("olga").cookies[f"rarebit_{server.port}"]
    with served(file, accounts=Accounts(tmp_path / "team.json")) as server, Browser(server) as me:
        me.cookies.set(f"rarebit_{server.port}", cookie)
        assert me.get("/api/me").json()["name"] == "olga"
        change = {"old": PASSWORD, "new": "another long one"}
        with Browser(server) as second:
            second.sign_in("olga")
            assert second.post("/api/password", json=change).json() == {"changed": True}
        assert not me.get("/api/me").json()["signed_in"]


def test_accounts_refuse_what_makes_no_sense(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path / "team.json")
    accounts.add("olga", PASSWORD, "owner")
    for name, password, role in [("", PASSWORD, "owner"), ("a\n", PASSWORD, "owner"),
                                 ("bob", "short", "owner"), ("bob", PASSWORD, "root"),
                                 ("olga", PASSWORD, "viewer")]:  # fmt: skip
        with pytest.raises(AccountsError):
            accounts.add(name, password, role)
    with pytest.raises(AccountsError, match="last owner"):
        accounts.set_role("olga", "viewer")
    with pytest.raises(AccountsError, match="no user"):
        accounts.remove("nobody")


def test_a_lease_is_taken_over_when_it_is_overdue(team: PageServer) -> None:
    with Browser(team) as ann, Browser(team) as bob:
        rows = ann.sign_in("ann").ask(2, tab="gone")["front"]
        bob.sign_in("bob")
        desk = team.office.places["payments"].desk
        assert desk is not None
        mine = set(bob.ask(2, tab="bob")["front"])
        assert not mine & set(rows)
        desk._hands.seconds, before = 0.0, desk._hands.seconds
        try:
            until(lambda: bool(set(rows) & set(bob.ask(20, tab="bob")["front"])))
        finally:
            desk._hands.seconds = before
        late = {"row": rows[0], "label": "ok", "key": "late", "tab": "gone"}
        assert ann.post(f"{P}/answers", json=late).status_code == 200
