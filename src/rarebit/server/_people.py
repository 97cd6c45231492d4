"""Who asks: one-time links, sessions, roles, and how often a password may be wrong."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import defaultdict
from dataclasses import dataclass

from rarebit.server._accounts import ROLES, Accounts

_WINDOW = 300.0  # seconds
_MOST_PER_NAME = 5
_MOST_PER_ADDRESS = 20


@dataclass(frozen=True)
class Person:
    """Whoever sent a request.

    Attributes
    ----------
    name : str
        Name of the account; empty for the one person of a server without accounts.
    accounts : Accounts or None
        Where their roles are; None without accounts.
    """

    name: str
    accounts: Accounts | None

    def role(self, project: str) -> str | None:
        """Return the role in a project; None if this person may not see it."""
        return "owner" if self.accounts is None else self.accounts.role(self.name, project)

    def may(self, role: str, project: str) -> bool:
        """Return whether this person has at least a role in a project."""
        own = self.role(project)
        return own is not None and ROLES.index(own) >= ROLES.index(role)


class Doors:
    """How people come in.

    Parameters
    ----------
    accounts : Accounts or None
        The team; None for one person who has the link.
    """

    def __init__(self, accounts: Accounts | None) -> None:
        self.accounts = accounts
        self._lock = threading.Lock()
        self._links: set[str] = set()  # hashes of links that are not used yet
        self._sessions: set[str] = set()  # hashes, without accounts
        self._failures: dict[str, list[float]] = defaultdict(list)

    @property
    def team(self) -> bool:
        """Whether there are accounts."""
        return self.accounts is not None

    def new_link(self) -> str:
        """Return the secret of a link that lets one browser in once."""
        secret = secrets.token_urlsafe(32)
        with self._lock:
            self._links.add(_digest(secret))
        return secret

    def open_link(self, secret: str) -> str | None:
        """Use a link up; return the secret of a session, or None if it is used or unknown."""
        with self._lock:
            if _digest(secret) not in self._links:
                return None
            self._links.discard(_digest(secret))
            if self.accounts is None:
                session = secrets.token_urlsafe(32)
                self._sessions.add(_digest(session))
                return session
        owner = self.accounts.owner()
        return None if owner is None else self.accounts.begin_session(owner)

    def person(self, session: str | None) -> Person | None:
        """Return whose session it is; None if there is none."""
        if not session or len(session) > 200:
            return None
        if self.accounts is None:
            return Person("", None) if _digest(session) in self._sessions else None
        name = self.accounts.user_of(session)
        return None if name is None else Person(name, self.accounts)

    def leave(self, session: str | None) -> None:
        """End a session."""
        if not session:
            return
        if self.accounts is not None:
            self.accounts.end_session(session)
        with self._lock:
            self._sessions.discard(_digest(session))

    # --- wrong passwords ----------------------------------------------------------------

    def wait_for(self, name: str, address: str) -> float:
        """Return the seconds until a password may be tried again; 0 for now."""
        now = time.monotonic()
        waits = [0.0]
        with self._lock:
            for key, most in ((f"n{name}", _MOST_PER_NAME), (f"a{address}", _MOST_PER_ADDRESS)):
                recent = [at for at in self._failures.get(key, []) if now - at < _WINDOW]
                if len(recent) >= most:
                    waits.append(_WINDOW - (now - recent[-most]))
        return max(waits)

    def failed(self, name: str, address: str) -> None:
        """Note a wrong password."""
        now = time.monotonic()
        with self._lock:
            if len(self._failures) > 10_000:  # names are chosen by whoever tries them
                self._failures.clear()
            for key in (f"n{name[:200]}", f"a{address}"):
                recent = [at for at in self._failures[key] if now - at < _WINDOW]
                self._failures[key] = [*recent, now]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
