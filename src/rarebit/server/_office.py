"""The projects of one server: each opened in the background, each with its desk."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rarebit.exceptions import RarebitError
from rarebit.projects import Desk
from rarebit.server._jobs import Jobs
from rarebit.server._live import Live
from rarebit.server._people import Doors
from rarebit.tables import Table


@dataclass(eq=False)
class Place:
    """One project of the server.

    Attributes
    ----------
    name : str
        Its name in addresses.
    title : str
        Its name for people.
    sources : list of Path, or Table
        The data.
    store : str or None
        Address of the store.
    settings : mapping
        Settings given on the command line.
    desk : Desk or None
        None while it is being opened.
    state : str
        ``"starting"``, ``"ready"`` or ``"failed"``.
    message : str
        Why it failed.
    removal_note : str
        What to say of answers that do not outlive the server; empty where they do.
    """

    name: str
    title: str
    sources: Any
    store: str | None
    settings: Mapping[str, Any]
    desk: Desk | None = None
    state: str = "starting"
    message: str = ""
    removal_note: str = ""
    opened: threading.Event = field(default_factory=threading.Event)
    jobs: Jobs = field(default_factory=Jobs)


class Office:
    """All projects of a server, and the doors to them.

    Parameters
    ----------
    doors : Doors
        How people come in.
    """

    def __init__(self, doors: Doors) -> None:
        self.doors = doors
        self.live = Live()
        self.places: dict[str, Place] = {}

    def add(
        self,
        sources: Sequence[Path] | Table,
        *,
        store: str | None = None,
        settings: Mapping[str, Any] | None = None,
        removal_note: str = "",
    ) -> Place:
        """Add a project and begin to open it.

        Parameters
        ----------
        sources : sequence of Path, or Table
            The data; rows of several files come below each other.
        store : str or None, default=None
            Address of the store; None for the default beside the current folder.
        settings : mapping or None, default=None
            Settings that were given; others stay as the store has them.
        removal_note : str, default=""
            What to say of answers that do not outlive the server.

        Returns
        -------
        Place
            Whose ``opened`` is set when it is ready or has failed.
        """
        title = sources.source if isinstance(sources, Table) else sources[0].name
        name = _free_name(title, self.places)
        place = Place(name, title, sources, store, settings or {}, removal_note=removal_note)
        self.places[name] = place
        threading.Thread(target=self._open, args=(place,), daemon=True).start()
        return place

    def _open(self, place: Place) -> None:
        sources = place.sources
        folder = None if isinstance(sources, Table) else Path(sources[0]).resolve().parent
        accounts = self.doors.accounts
        settings = dict(place.settings)
        if accounts is not None:
            settings["owner"] = accounts.owner()
        try:
            place.desk = Desk.open(
                sources,
                store=place.store,
                settings=settings,
                notify=lambda what, data: self.live.notify(place.name, what, data),
                team=self.doors.team,
                folder=folder,
                at_once=True,
                join_classes=True,
            )
            place.state = "ready"
            place.opened.set()  # rows can be asked; what learns may take longer
            self.live.notify(place.name, "status", {})
            place.desk.begin_learning()
        except Exception as error:  # shown to whoever opens the page, whatever it was
            said = error.message_for("command") if isinstance(error, RarebitError) else str(error)
            place.state, place.message = "failed", said
            place.error = error  # type: ignore[attr-defined]
        place.opened.set()
        self.live.notify(place.name, "status", {})

    def wait(self, seconds: float | None = None) -> None:
        """Wait until every project is open or has failed."""
        limit = None if seconds is None else time.monotonic() + seconds
        for place in self.places.values():
            place.opened.wait(None if limit is None else max(0.0, limit - time.monotonic()))

    def close(self) -> None:
        """End all learners and let go of all stores."""
        for place in self.places.values():
            place.jobs.close()
            place.opened.wait()
            if place.desk is not None:
                place.desk.close()


def _free_name(title: str, taken: Mapping[str, Any]) -> str:
    """Return a name for addresses that no other project has."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", title.split(".")[0]).strip("-")[:60] or "project"
    name, number = plain, 2
    while name in taken:
        name, number = f"{plain}-{number}", number + 1
    return name
