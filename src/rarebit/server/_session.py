"""Routes of sessions: who is here, login, joining by an invitation."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from fastapi import APIRouter, Request, Response

from rarebit.server._accounts import AccountsError
from rarebit.server._context import SignedIn, cookie_name, fail, office_of, session_of
from rarebit.server._people import Person
from rarebit.server._requests import Login, Nothing, Password

router = APIRouter(prefix="/api")


@router.get("/me")
def me(request: Request) -> dict[str, Any]:
    """Say who is signed in."""
    office = office_of(request)
    return _who(office.doors.person(session_of(request)), request)


@router.post("/login")
def login(request: Request, response: Response, body: Login) -> dict[str, Any]:
    """Sign in with a password."""
    doors = office_of(request).doors
    if doors.accounts is None:
        raise fail(409, "This server has no accounts: open the link that the terminal printed.")
    address = request.client.host if request.client else ""
    _wait_or_fail(request, body.name, address)
    if not doors.accounts.check(body.name, body.password):
        doors.failed(body.name, address)
        raise fail(401, "Name or password is wrong.")
    _begin(request, response, doors.accounts.begin_session(body.name))
    return _who(Person(body.name, doors.accounts), request)


@router.post("/logout")
def logout(request: Request, response: Response, body: Nothing) -> dict[str, Any]:
    """End the session."""
    office_of(request).doors.leave(session_of(request))
    response.delete_cookie(cookie_name(request), path="/", httponly=True, samesite="strict")
    return _who(None, request)


@router.post("/join")
def join(request: Request, response: Response, body: Login) -> dict[str, Any]:
    """Make an account by the invitation whose link was opened."""
    doors = office_of(request).doors
    if doors.accounts is None:
        raise fail(409, "This server has no accounts, so that nobody can be invited.")
    address = request.client.host if request.client else ""
    _wait_or_fail(request, "", address)
    name = f"rarebit_invite_{request.app.state.port}"
    try:
        doors.accounts.join(request.cookies.get(name, ""), body.name, body.password)
    except PermissionError as error:
        doors.failed("", address)
        raise fail(403, str(error)) from error
    except AccountsError as error:
        raise fail(409 if "already" in str(error) else 400, str(error)) from error
    response.delete_cookie(name, path="/", httponly=True, samesite="strict")
    _begin(request, response, doors.accounts.begin_session(body.name))
    return _who(Person(body.name, doors.accounts), request)


@router.post("/password")
def password(
    request: Request, response: Response, body: Password, person: SignedIn
) -> dict[str, Any]:
    """Change one's own password; other sessions of the user end."""
    if person.accounts is None:
        raise fail(409, "This server has no accounts, so that there is no password.")
    address = request.client.host if request.client else ""
    _wait_or_fail(request, person.name, address)
    if not person.accounts.check(person.name, body.old):
        office_of(request).doors.failed(person.name, address)
        raise fail(403, "The old password is wrong.")
    person.accounts.set_password(person.name, body.new)
    _begin(request, response, person.accounts.begin_session(person.name))
    return {"changed": True}


@router.get("/projects")
def projects(request: Request, person: SignedIn) -> dict[str, Any]:
    """List the projects that the person may see."""
    return {"projects": project_list(request, person)}


def project_list(request: Request, person: Person) -> list[dict[str, Any]]:
    """Return name, title, role and state of every project that a person may see."""
    found = []
    for place in office_of(request).places.values():
        role = person.role(place.name)
        if role is None:
            continue
        desk = place.desk
        found.append({
            "name": place.name, "title": place.title, "role": role, "state": place.state,
            "message": place.message if role == "owner" else "",
            "rows": None if desk is None else desk.table.n_rows,
            "labels": None if desk is None else len(desk.board.labels),
        })  # fmt: skip
    return found


def _wait_or_fail(request: Request, name: str, address: str) -> None:
    seconds = office_of(request).doors.wait_for(name, address)
    if seconds > 0:
        raise fail(
            429,
            f"Too many wrong attempts: try again in {seconds / 60:.0f} minutes.",
            {"Retry-After": f"{seconds:.0f}"},
        )


def _begin(request: Request, response: Response, session: str) -> None:
    response.set_cookie(
        cookie_name(request), session, max_age=14 * 24 * 3600, httponly=True, samesite="strict",
        path="/",
    )  # fmt: skip


def _who(person: Person | None, request: Request) -> dict[str, Any]:
    office = office_of(request)
    role = None
    if person is not None:
        roles = [person.role(name) for name in office.places]
        role = next((each for each in ("owner", "annotator", "viewer") if each in roles), None)
    try:
        number = version("rarebit")
    except PackageNotFoundError:
        number = "0"
    return {
        "signed_in": person is not None,
        "name": None if person is None else person.name,
        "role": role,
        "team": office.doors.team,
        "version": number,
    }
