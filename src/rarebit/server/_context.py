"""What routes share: who asks, which project, and what they may see."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Path, Request

from rarebit.projects import Desk
from rarebit.projects.stores import Event
from rarebit.server._office import Office, Place
from rarebit.server._people import Person
from rarebit.server._replies import fail as fail


class Context:
    """A request of a person to a project.

    Attributes
    ----------
    person : Person
        Who asks.
    place : Place
        The project, open.
    desk : Desk
        Its desk.
    role : str
        The person's role there.
    """

    def __init__(self, person: Person, place: Place, desk: Desk, role: str) -> None:
        self.person, self.place, self.desk, self.role = person, place, desk, role

    @property
    def name(self) -> str:
        """The person's name as annotator."""
        return self.person.name

    @property
    def judges(self) -> bool:
        """Whether scores may be shown: to those who do not label, or if the owner allows it."""
        return self.role in ("owner", "viewer") or self.desk.settings.opinion

    def is_hidden(self, row: int) -> bool:
        """Whether the person must not know what others said of a row."""
        return self.desk.board.is_blind(row, self.name)

    def may_see(self, event: Event) -> bool:
        """Whether the person may see an answer: their own, or one that cannot bias them."""
        if event.annotator == self.name:
            return True
        row = event.row
        if row is None or self.is_hidden(row):
            return False
        return self.role in ("owner", "viewer") or self.name in self.desk.board.answers.of_row(row)

    def row(self, row: int) -> int:
        """Return a row of the data, or end the request."""
        if not 0 <= row < self.desk.table.n_rows:
            raise fail(404, f"There is no row {row}: the data have {self.desk.table.n_rows:,}.")
        return row


def office_of(request: Request) -> Office:
    """Return the office that the application serves."""
    office: Office = request.app.state.office
    return office


def cookie_name(request: Request) -> str:
    """Return the name of the session's cookie; servers on other ports have their own."""
    return f"rarebit_{request.app.state.port}"


def session_of(request: Request) -> str | None:
    """Return the secret that the browser has."""
    return request.cookies.get(cookie_name(request))


async def signed_in(request: Request) -> Person:
    """Return who asks, or end the request.

    This and the next wait for nothing: on the event loop they save two changes of thread each.
    """
    person = office_of(request).doors.person(session_of(request))
    if person is None:
        raise fail(401, "Nobody is signed in: open the link of the terminal, or sign in.")
    return person


ProjectName = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,80}$")]
SignedIn = Annotated[Person, Depends(signed_in)]


def _with_role(role: str) -> Callable[..., Awaitable[Context]]:
    async def context(request: Request, project: ProjectName, person: SignedIn) -> Context:
        place = office_of(request).places.get(project)
        own = person.role(project)
        if place is None or own is None:  # nobody learns which projects there are
            raise fail(404, f"There is no project {project!r}.")
        if not person.may(role, project):
            raise fail(403, f"This needs the role {role}; yours is {own}.")
        if place.state == "failed":
            raise fail(409, place.message)
        if place.desk is None:
            raise fail(503, "The data are being read: try again in a moment.", {"Retry-After": "1"})
        place.desk.last_seen[person.name] = time.time()  # whatever they do, they are here
        return Context(person, place, place.desk, own)

    return context


Viewing = Annotated[Context, Depends(_with_role("viewer"))]
Annotating = Annotated[Context, Depends(_with_role("annotator"))]
Owning = Annotated[Context, Depends(_with_role("owner"))]
RowNumber = Annotated[int, Path(ge=0, le=2**31 - 1)]
