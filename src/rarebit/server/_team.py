"""Routes of the team: users, roles, invitations."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request

from rarebit.server._accounts import Accounts, AccountsError
from rarebit.server._context import SignedIn, fail, office_of
from rarebit.server._people import Person
from rarebit.server._requests import Invitation, Nothing, RoleChange

router = APIRouter(prefix="/api/team")
UserName = Annotated[str, Path(min_length=1, max_length=200)]


class Ruling:
    """An owner, and what they own: everything, or some projects."""

    def __init__(self, person: Person, accounts: Accounts, projects: list[str], all: bool) -> None:
        self.person, self.accounts = person, accounts
        self.projects, self.all = projects, all

    def check(self, project: str | None) -> None:
        """End the request if the owner may not decide over a project, or over all."""
        if project is None and not self.all:
            raise fail(403, "You own some projects only: name one of them.")
        if project is not None and project not in self.projects:
            raise fail(404, f"There is no project {project!r}.")


def _ruling(request: Request, person: SignedIn) -> Ruling:
    office = office_of(request)
    if person.accounts is None:
        raise fail(409, "This server has no accounts: make them with rarebit team.")
    owned = [name for name in office.places if person.may("owner", name)]
    if not owned:
        raise fail(403, "This needs the role owner.")
    everywhere = person.accounts.users().get(person.name, {}).get("role") == "owner"
    return Ruling(person, person.accounts, owned, everywhere)


Rules = Annotated[Ruling, Depends(_ruling)]


@router.get("")
def team(rules: Rules) -> dict[str, Any]:
    """List users and invitations."""
    users = []
    for name, user in rules.accounts.users().items():
        if not rules.all and not any(rules.accounts.role(name, p) for p in rules.projects):
            continue
        projects = {p: r for p, r in user["projects"].items() if p in rules.projects}
        users.append({"name": name, "role": user["role"] or None, "projects": projects})
    invitations = [
        {**each, "until": _stamp(each["until"]), "uses_left": each["uses"]}
        for each in rules.accounts.invitations()
        if rules.all or each["project"] in rules.projects
    ]
    for each in invitations:
        del each["uses"]
    return {"users": users, "invitations": invitations, "everywhere": rules.all}


@router.post("/invitations")
def invite(rules: Rules, body: Invitation, request: Request) -> dict[str, Any]:
    """Make an invitation; its link is shown this once."""
    rules.check(body.project)
    name, secret = rules.accounts.invite(body.role, body.project, body.days, body.uses)
    until = next(each["until"] for each in rules.accounts.invitations() if each["id"] == name)
    host = request.headers["host"]  # one of those that the guard knows
    return {"id": name, "link": f"http://{host}/?invite={secret}", "until": _stamp(until)}


@router.delete("/invitations/{name}")
def withdraw(
    rules: Rules, name: Annotated[str, Path(pattern=r"^[0-9a-f]{8}$")], body: Nothing
) -> dict[str, Any]:
    """Withdraw an invitation."""
    found = {each["id"]: each for each in rules.accounts.invitations()}.get(name)
    if found is None or not (rules.all or found["project"] in rules.projects):
        raise fail(404, "There is no such invitation.")
    rules.accounts.withdraw(name)
    return {"withdrawn": name}


@router.put("/users/{name}")
def set_role(rules: Rules, name: UserName, body: RoleChange) -> dict[str, Any]:
    """Change what a user may do."""
    rules.check(body.project)
    _check_known(rules, name)
    try:
        rules.accounts.set_role(name, body.role, body.project)
    except AccountsError as error:
        raise fail(409, str(error)) from error
    return {"name": name, "role": body.role, "project": body.project}


@router.delete("/users/{name}")
def remove(rules: Rules, name: UserName, body: Nothing) -> dict[str, Any]:
    """Remove a user; their answers stay."""
    rules.check(None)
    _check_known(rules, name)
    try:
        rules.accounts.remove(name)
    except AccountsError as error:
        raise fail(409, str(error)) from error
    return {"removed": name}


def _check_known(rules: Ruling, name: str) -> None:
    known = rules.accounts.users()
    if name not in known or not (
        rules.all or any(rules.accounts.role(name, p) for p in rules.projects)
    ):
        raise fail(404, "There is no such user.")


def _stamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
