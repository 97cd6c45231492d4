"""What a learner knew, kept in the user's cache: a start need not repeat the whole history."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import pickle
import platform
import stat
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rarebit._later import is_sparse
from rarebit.projects._preparing import Prepared, RowsElsewhere
from rarebit.projects._settings import Settings
from rarebit.projects.stores import Event

if TYPE_CHECKING:
    from rarebit.projects._questions import Questions
    from rarebit.tables import Table

_MOST_FILES = 20
_LEAST_SECONDS = 10.0  # between two times that a learner at work is kept
_SHARE = 0.05  # of the time that keeping it may take
_FEW_ROWS = 50_000  # up to which the history is repeated unless a page is open
_MARK = b"rarebit learner 1\n"
# Settings that only change what people see.
_SHOWN = ("guidelines", "colours", "keys", "overlap", "opinion", "classes", "max_labels", "known")


def cache_folder() -> Path:
    """Return where learners are kept: ``RAREBIT_CACHE``, or the cache folder of the user."""
    given = os.environ.get("RAREBIT_CACHE")
    if given:
        return Path(given)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return Path(base or Path.home() / "AppData" / "Local") / "rarebit" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "rarebit"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rarebit"


class SavedLearner:
    """The file of one learner: of these features, settings, store and versions, and no others.

    The file is a pickle, which can run code when it is read. So it is in a folder of the user that
    nobody else may write to, never beside the data.

    Parameters
    ----------
    features : array or CSR matrix of shape (n_rows, n_features)
        Features of all rows; they are not saved.
    settings : Settings
        Settings of the project.
    address : str
        Address of the store.
    folder : Path or None, default=None
        Where; None for `cache_folder`.
    """

    def __init__(
        self, features: Any, settings: Settings, address: str, folder: Path | None = None
    ) -> None:
        self._features = features
        # Rows held out come from the column of answers, which is not part of the name below.
        self._fits = settings.holdout is None
        values = {k: v for k, v in settings.to_json().items() if k not in _SHOWN}
        place = address if "://" in address else str(Path(address).resolve())
        parts = [_versions(), values, place, _digest(features)]
        name = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
        self.path = (folder or cache_folder()) / "learners" / f"{name[:40]}.state"

    def save(self, questions: Questions, n_learned: int, events: Sequence[Event]) -> None:
        """Keep a learner that has learned the first `n_learned` events; a full disk is no error."""
        if not self._fits:
            return
        stream = io.BytesIO()
        pickler = _Pickler(stream, self._features)
        pickler.dump((n_learned, _history(events[:n_learned]), questions))
        content = stream.getvalue()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Whole or not at all; one that a power failure loses is only slower to start.
            handle, name = tempfile.mkstemp(dir=self.path.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_MARK + hashlib.sha256(content).digest() + content)
                os.replace(name, self.path)
            finally:
                Path(name).unlink(missing_ok=True)
            _forget_oldest(self.path.parent)
        except OSError:
            self.forget()

    def load(self, events: Sequence[Event]) -> tuple[Questions, int] | None:
        """Return the learner and the number of events it has learned; None if it does not fit.

        Parameters
        ----------
        events : sequence of Event
            The history as the store has it, of which the learner's must be the beginning.

        Returns
        -------
        tuple of Questions and int, or None
            None where there is no file, or it is damaged, of another history, or not the user's
            own: the history is then repeated.
        """
        try:
            if not self._fits or not _is_own(self.path):
                return None
            data = self.path.read_bytes()
        except OSError:
            return None
        start = len(_MARK) + 32
        head, content = data[:start], data[start:]
        if head != _MARK + hashlib.sha256(content).digest():
            return None
        try:
            n_learned, history, questions = _Unpickler(io.BytesIO(content), self._features).load()
        except Exception:  # of a version that is not told apart: whatever a pickle can raise
            return None
        if n_learned > len(events) or _history(events[:n_learned]) != history:
            return None
        return questions, n_learned

    def forget(self) -> None:
        """Remove the file."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)


class Keeping:
    """Keeps a learner at work now and then, so that a process that is killed loses little.

    Parameters
    ----------
    saved : SavedLearner
        Its file.
    n_learned : int, default=0
        Number of events that the file knows already.
    """

    def __init__(self, saved: SavedLearner, n_learned: int = 0) -> None:
        self._saved, self._n_learned = saved, n_learned
        self._at, self._cost = time.monotonic(), 0.0

    def is_due(self) -> bool:
        """Whether enough time has passed: seconds, and many times what the last one took."""
        return time.monotonic() - self._at >= max(_LEAST_SECONDS, self._cost / _SHARE)

    def save(self, questions: Questions, n_learned: int, events: Sequence[Event]) -> None:
        """Keep what was learned since the last time; labels are safe as they are if it fails."""
        if n_learned <= self._n_learned:
            return
        began = time.monotonic()
        with contextlib.suppress(pickle.PicklingError):
            self._saved.save(questions, n_learned, events)
        self._n_learned, self._at = n_learned, time.monotonic()
        self._cost = self._at - began


def learner_to_keep(
    table: Table, prepared: Prepared, settings: Settings, address: str
) -> SavedLearner | None:
    """Return where the learner of a project is kept; None where beginning anew is as quick.

    Parameters
    ----------
    table : Table
        The data.
    prepared : Prepared
        Their features.
    settings : Settings
        Settings of the project.
    address : str
        Address of the store.

    Returns
    -------
    SavedLearner or None
        None for few rows, and for rows elsewhere.
    """
    if table.n_rows <= _FEW_ROWS or isinstance(table, RowsElsewhere):
        return None
    return SavedLearner(prepared.features, settings, address)


class _Pickler(pickle.Pickler):
    """Leaves out the features, which every start makes again."""

    def __init__(self, stream: io.BytesIO, features: Any) -> None:
        super().__init__(stream, protocol=5)
        self._features = features

    def persistent_id(self, value: Any) -> str | None:
        return "features" if value is self._features else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, features: Any) -> None:
        super().__init__(stream)
        self._features = features

    def persistent_load(self, name: Any) -> Any:
        return self._features


def _history(events: Sequence[Event]) -> str:
    """Return a checksum of what a learner takes from events."""
    said = hashlib.sha256()
    for e in events:
        audit = None if e.audit is None else (e.audit.n, e.audit.kappa, e.audit.stratum)
        said.update(
            repr((e.number, e.what, e.row, e.label, e.annotator, e.reason, e.order, audit, e.source,
                  e.of, e.by, e.note if e.what == "ask" else "")).encode("utf-8", "surrogatepass")
        )  # fmt: skip
    return said.hexdigest()


def _digest(features: Any) -> str:
    """Return a checksum of features; those on a cluster know their own."""
    own = getattr(features, "checksum", None)
    if own is not None:
        return str(own)
    arrays = (
        [features.data, features.indices, features.indptr] if is_sparse(features) else [features]
    )
    said = hashlib.sha256(repr((features.shape, str(features.dtype))).encode())
    for array in arrays:
        said.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return said.hexdigest()


def _versions() -> list[str]:
    from importlib.metadata import PackageNotFoundError, version

    import rarebit._core

    found = [platform.python_version(), platform.machine()]
    for name in ("rarebit", "numpy", "scipy", "scikit-learn"):
        try:
            found.append(version(name))
        except PackageNotFoundError:
            found.append("")
    # A build of the same version may choose other rows.
    engine = Path(str(rarebit._core.__file__)).stat()
    return [*found, str(engine.st_size), str(engine.st_mtime_ns)]


def _is_own(path: Path) -> bool:
    """Whether a file and its folder are the user's own, and nobody else can write to them."""
    if os.name != "posix":
        return True
    for place in (path.parent, path):
        found = place.lstat()
        if found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o022:
            return False
    return True


def _forget_oldest(folder: Path) -> None:
    files = sorted(folder.glob("*.state"), key=lambda file: file.stat().st_mtime)
    for file in files[:-_MOST_FILES]:
        file.unlink(missing_ok=True)
