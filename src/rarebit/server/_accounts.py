"""Accounts of a team: one file that only its owner can read, passwords as argon2 hashes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rarebit._whole_files import sync_folder
from rarebit.exceptions import RarebitError

ROLES = ("viewer", "annotator", "owner")  # each may do what those before it may
_FORMAT = 1
_SESSION = 14 * 24 * 3600.0  # seconds that a login lasts
_SHORTEST_PASSWORD = 8
_LONGEST = 200


class AccountsError(RarebitError, ValueError):
    """Accounts that cannot be read or changed as asked; the message says what to do instead."""


class Accounts:
    """Users, their roles, invitations and sessions, in a file of mode 0600.

    Parameters
    ----------
    path : Path
        The file; it is made at the first change.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rarebit.server import Accounts
    >>> folder = tempfile.TemporaryDirectory()
    >>> accounts = Accounts(pathlib.Path(folder.name) / "team.json")
    >>> accounts.add("ann", "correct horse", "owner")
    >>> accounts.check("ann", "correct horse"), accounts.check("ann", "wrong")
    (True, False)
    >>> accounts.role("ann", "payments")
    'owner'
    >>> folder.cleanup()
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._stamp: tuple[int, int] | None = None
        self._held: dict[str, Any] = _empty()
        from argon2 import PasswordHasher

        self._hasher = PasswordHasher()
        # Unknown names take as long as known ones: nobody learns from the time who is here.
        self._nobody = self._hasher.hash(secrets.token_hex(16))

    # --- users --------------------------------------------------------------------------

    def users(self) -> dict[str, dict[str, Any]]:
        """Return name → ``role`` and ``projects``, in the order added."""
        return {
            name: {"role": user["role"], "projects": dict(user["projects"])}
            for name, user in self._read()["users"].items()
        }

    def add(self, name: str, password: str, role: str, project: str | None = None) -> None:
        """Add a user.

        Parameters
        ----------
        name : str
            Up to 200 characters.
        password : str
            At least 8 characters.
        role : {"viewer", "annotator", "owner"}
            What they may do.
        project : str or None, default=None
            The only project they may see; None for all.
        """
        _check_name(name)
        _check_role(role)
        hashed = self._hash(password)
        with self._changing() as held:
            if name in held["users"]:
                raise AccountsError(f"There is a user {name!r} already: choose another name.")
            held["users"][name] = _user(hashed, role, project)

    def remove(self, name: str) -> None:
        """Remove a user; their answers stay."""
        with self._changing() as held:
            _known(held, name)
            del held["users"][name]
            _keep_an_owner(held)
            _end_sessions(held, name)

    def set_role(self, name: str, role: str, project: str | None = None) -> None:
        """Change what a user may do, everywhere or in one project."""
        _check_role(role)
        with self._changing() as held:
            user = _known(held, name)
            if project is None:
                user["role"] = role
            else:
                user["projects"][project] = role
            _keep_an_owner(held)

    def set_password(self, name: str, password: str) -> None:
        """Change a password and end all sessions of the user."""
        hashed = self._hash(password)
        with self._changing() as held:
            _known(held, name)["hash"] = hashed
            _end_sessions(held, name)

    def check(self, name: str, password: str) -> bool:
        """Return whether a password is that of a user."""
        from argon2.exceptions import InvalidHashError, VerificationError

        user = self._read()["users"].get(name)
        try:
            self._hasher.verify(self._nobody if user is None else user["hash"], password)
        except (VerificationError, InvalidHashError):
            return False
        return user is not None

    def role(self, name: str, project: str) -> str | None:
        """Return the role of a user in a project; None if they may not see it."""
        user = self._read()["users"].get(name)
        if user is None:
            return None
        role = user["projects"].get(project, user["role"])
        return role if role in ROLES else None

    def owner(self) -> str | None:
        """Return the first owner of everything."""
        users = self._read()["users"].items()
        return next((name for name, user in users if user["role"] == "owner"), None)

    # --- invitations --------------------------------------------------------------------

    def invitations(self) -> list[dict[str, Any]]:
        """Return the invitations that can still be used, without their secrets."""
        return [
            {"id": name, **{key: each[key] for key in ("role", "project", "until", "uses")}}
            for name, each in self._read()["invitations"].items()
            if each["until"] > time.time() and each["uses"] > 0
        ]

    def invite(
        self, role: str, project: str | None = None, days: float = 7.0, uses: int = 1
    ) -> tuple[str, str]:
        """Make an invitation; return its name, and the secret, which is kept as a hash only."""
        _check_role(role)
        name, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
        with self._changing() as held:
            held["invitations"] = {
                known: each
                for known, each in held["invitations"].items()
                if each["until"] > time.time() and each["uses"] > 0
            }
            held["invitations"][name] = {
                "hash": _digest(secret), "role": role, "project": project,
                "until": time.time() + days * 86400.0, "uses": uses,
            }  # fmt: skip
        return name, secret

    def withdraw(self, name: str) -> None:
        """Withdraw an invitation."""
        with self._changing() as held:
            if held["invitations"].pop(name, None) is None:
                raise AccountsError(f"There is no invitation {name!r}: list them.")

    def join(self, secret: str, name: str, password: str) -> None:
        """Make an account by an invitation, which has one use less after it."""
        _check_name(name)
        hashed = self._hash(password)
        with self._changing() as held:
            invitation = _invitation(held, secret)
            if invitation is None:
                raise PermissionError(
                    "The invitation is used or overdue: ask the owner for a new link."
                )
            if name in held["users"]:
                raise AccountsError(f"There is a user {name!r} already: choose another name.")
            invitation["uses"] -= 1
            held["users"][name] = _user(hashed, invitation["role"], invitation["project"])

    # --- sessions -----------------------------------------------------------------------

    def begin_session(self, name: str) -> str:
        """Return the secret of a new session; only its hash is kept."""
        secret = secrets.token_urlsafe(32)
        with self._changing() as held:
            _known(held, name)
            now = time.time()
            held["sessions"] = {k: v for k, v in held["sessions"].items() if v["until"] > now}
            held["sessions"][_digest(secret)] = {"user": name, "until": now + _SESSION}
        return secret

    def end_session(self, secret: str) -> None:
        """End a session."""
        with self._changing() as held:
            held["sessions"].pop(_digest(secret), None)

    def user_of(self, secret: str) -> str | None:
        """Return the user of a session; None if it is over."""
        held = self._read()
        session = held["sessions"].get(_digest(secret))
        if session is None or session["until"] < time.time():
            return None
        return session["user"] if session["user"] in held["users"] else None

    # --- the file -----------------------------------------------------------------------

    def _hash(self, password: str) -> str:
        if not _SHORTEST_PASSWORD <= len(password) <= 1000:
            raise AccountsError(
                f"A password needs {_SHORTEST_PASSWORD} to 1,000 characters, got "
                f"{len(password)}: choose a longer one."
            )
        return self._hasher.hash(password)

    def _read(self) -> dict[str, Any]:
        """Return what the file holds; another process may have changed it."""
        with self._lock:
            try:
                found = os.stat(self.path)
            except FileNotFoundError:
                self._held, self._stamp = _empty(), None
                return self._held
            stamp = (found.st_mtime_ns, found.st_ino)
            if stamp != self._stamp:
                if os.name != "nt" and found.st_mode & 0o077:
                    raise AccountsError(
                        f"{self.path} can be read by others on this computer: run chmod 600 on it."
                    )
                try:
                    held = json.loads(self.path.read_text("utf-8"))
                    if held["format"] != _FORMAT:
                        raise ValueError(f"format {held['format']}")
                except (ValueError, KeyError, TypeError) as error:
                    raise AccountsError(
                        f"{self.path} does not hold accounts ({error}): restore it from a copy, or "
                        "give another file."
                    ) from error
                self._held, self._stamp = held, stamp
            return self._held

    @contextlib.contextmanager
    def _changing(self) -> Iterator[dict[str, Any]]:
        with self._lock, _locked(self.path):
            self._stamp = None
            held = json.loads(json.dumps(self._read()))
            yield held
            handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:  # mode 0600
                    json.dump(held, file, indent=1)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(name, self.path)
            finally:
                Path(name).unlink(missing_ok=True)
            sync_folder(self.path.parent)
            self._stamp = None


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keep other processes from changing the file meanwhile."""
    try:
        import fcntl
    except ImportError:  # Windows: one server at a time
        yield
        return
    handle = os.open(path.with_name(f".{path.name}.lock"), os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _empty() -> dict[str, Any]:
    return {"format": _FORMAT, "users": {}, "invitations": {}, "sessions": {}}


def _user(hashed: str, role: str, project: str | None) -> dict[str, Any]:
    # A user of one project has no role elsewhere.
    projects = {} if project is None else {project: role}
    return {"hash": hashed, "role": role if project is None else "", "projects": projects}


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _known(held: dict[str, Any], name: str) -> dict[str, Any]:
    if name not in held["users"]:
        raise AccountsError(f"There is no user {name!r}: list them with rarebit team list.")
    user: dict[str, Any] = held["users"][name]
    return user


def _invitation(held: dict[str, Any], secret: str) -> dict[str, Any] | None:
    digest = _digest(secret)
    for each in held["invitations"].values():
        if secrets.compare_digest(each["hash"], digest):
            return each if each["until"] > time.time() and each["uses"] > 0 else None
    return None


def _end_sessions(held: dict[str, Any], name: str) -> None:
    held["sessions"] = {k: v for k, v in held["sessions"].items() if v["user"] != name}


def _keep_an_owner(held: dict[str, Any]) -> None:
    if not any(user["role"] == "owner" for user in held["users"].values()):
        raise AccountsError("The last owner cannot go: make another user owner first.")


def _check_name(name: str) -> None:
    if not (1 <= len(name) <= _LONGEST and name.isprintable() and name == name.strip()):
        raise AccountsError(
            f"A name needs 1 to {_LONGEST} printable characters without spaces around them, got "
            f"{name[:50]!r}: choose another."
        )


def _check_role(role: str) -> None:
    if role not in ROLES:
        raise AccountsError(
            f"A role is one of {', '.join(ROLES)}, got {role!r}: give one of these."
        )
