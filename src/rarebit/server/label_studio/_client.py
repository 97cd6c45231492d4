"""Label Studio's HTTP API, as far as a backend needs it."""

from __future__ import annotations

import json
import re
import threading
import urllib.error
import urllib.parse
import urllib.request
from http.client import HTTPException
from typing import Any

from rarebit.exceptions import RarebitError

_SECONDS = 60.0
_LARGEST = 2 << 30
_LARGEST_FILE = 64 << 20
_PAGE = 500
# Where Label Studio keeps files. Anybody who can import tasks writes these paths, and they are
# fetched with the token: nothing else of its API may be reached by them.
_STORED = re.compile(r"/(data/|storage-data/|(tasks|projects)/[0-9]+/(resolve|presign)/)")


class LabelStudioError(RarebitError, OSError):
    """Label Studio cannot be reached, or refuses a request."""


class NoFileError(LabelStudioError):
    """A file of a task is not there, or is none of Label Studio's."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The token goes to Label Studio and to nobody it points to."""

    def redirect_request(self, *_: Any) -> None:
        return None


class LabelStudio:
    """One project of a Label Studio.

    Parameters
    ----------
    url : str
        Address of Label Studio.
    project : int
        Number of the project.
    token : str
        A personal access token, or a legacy token of an account that may change the project.

    Examples
    --------
    >>> from rarebit.server.label_studio import LabelStudio
    >>> LabelStudio("localhost:8080", 1, "token")
    Traceback (most recent call last):
        ...
    rarebit.server.label_studio._client.LabelStudioError: The address of Label Studio must begin \
with http:// or https://, got 'localhost:8080'.
    """

    def __init__(self, url: str, project: int, token: str) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise LabelStudioError(
                f"The address of Label Studio must begin with http:// or https://, got {url!r}."
            )
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise LabelStudioError(
                "The address of Label Studio must have no name, password, query or fragment: give "
                "a token instead, which is never shown."
            )
        if token.count(".") == 1:
            raise LabelStudioError(
                "The token is only a part of one, as Label Studio lists it: copy the whole of it, "
                "with two dots, from the window that Create New Token opens."
            )
        self.url, self.project = url.rstrip("/"), project
        self._token = token
        self._access: str | None = None
        self._lock = threading.Lock()
        self._changing = threading.Lock()
        # Proxies of the environment are left out: the token is for this address only.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect())

    # --- what a backend asks for --------------------------------------------------------

    def settings(self) -> dict[str, Any]:
        """Return the project: its label config, sampling and model version among it."""
        found: dict[str, Any] = self._call("GET", f"/api/projects/{self.project}/")
        return found

    def change(self, **settings: Any) -> None:
        """Change settings of the project; one change at a time."""
        # Label Studio writes the whole project back: of two changes at once one would be lost.
        with self._changing:
            self._call("PATCH", f"/api/projects/{self.project}/", settings)

    def tasks(self) -> list[dict[str, Any]]:
        """Return all tasks with their annotations, in the order of their numbers."""
        query = "exportType=JSON&download_all_tasks=true"
        found = self._call("GET", f"/api/projects/{self.project}/export?{query}")
        if not isinstance(found, list) or not all(_is_task(task) for task in found):
            raise LabelStudioError("Label Studio exports no list of tasks: check the project.")
        return sorted(found, key=lambda task: int(task["id"]))

    def push(self, predictions: list[dict[str, Any]]) -> None:
        """Add predictions to tasks."""
        for start in range(0, len(predictions), _PAGE):
            part = predictions[start : start + _PAGE]
            self._call("POST", f"/api/projects/{self.project}/import/predictions", part)

    def versions(self) -> list[str]:
        """Return the model versions that tasks have predictions of."""
        found = self._call("GET", f"/api/projects/{self.project}/model-versions/")
        return [str(version) for version in found] if isinstance(found, dict) else []

    def drop_predictions(self, version: str) -> None:
        """Delete the predictions of a model version."""
        path = f"/api/projects/{self.project}/model-versions/"
        self._call("DELETE", path, {"model_version": version})

    def connect(self, address: str, title: str) -> None:
        """Make a backend the one of this title in the project, webhook included."""
        known = self._call("GET", f"/api/ml?project={self.project}")
        own = [each for each in known or [] if each.get("title") == title]
        if any(each.get("url") == address for each in own):
            return
        hooks = self._call("GET", f"/api/webhooks/?project={self.project}")
        gone = {f"{each.get('url')}".rstrip("/") + "/webhook" for each in own}
        for hook in hooks or []:
            if hook.get("url") in gone:
                self._call("DELETE", f"/api/webhooks/{int(hook['id'])}/")
        for each in own:
            self._call("DELETE", f"/api/ml/{int(each['id'])}")
        backend = {"url": address, "project": self.project, "title": title}
        self._call("POST", "/api/ml", {**backend, "is_interactive": False})

    def file(self, path: str) -> bytes:
        """Return a file that Label Studio itself stores.

        Parameters
        ----------
        path : str
            As it stands in a task: a path of Label Studio, or its whole address.
        """
        address = self._stored(path)
        try:
            return self._send_again("GET", address, None, _LARGEST_FILE)
        except urllib.error.HTTPError as error:
            if error.code == 401:
                raise self._refused(error, address) from error
            raise NoFileError(
                f"Label Studio replies {error.code} to {path!r}: is the file still there?"
            ) from error

    def _stored(self, path: str) -> str:
        """Return the address of a stored file, quoted."""
        own = urllib.parse.urlsplit(self.url)
        try:
            if path.startswith("/") and not path.startswith(f"{own.path}/"):
                path = own.path + path
            whole = urllib.parse.urlsplit(urllib.parse.urljoin(f"{self.url}/", path))
            inside = urllib.parse.unquote(whole.path.removeprefix(own.path))
            is_own = (whole.scheme, whole.netloc) == (own.scheme, own.netloc)
        except ValueError:
            is_own, inside = False, ""
        if not is_own or not _STORED.match(inside) or ".." in re.split(r"[/\\]", inside):
            raise NoFileError(
                f"{path!r} is not stored in Label Studio, and nothing is fetched from elsewhere: "
                "upload the files to the project."
            )
        # Names of files may hold spaces and any letters; what is quoted already stays.
        place = urllib.parse.quote(whole.path, safe="/%:@!$&'()*+,;=~")
        query = urllib.parse.quote(whole.query, safe="/%:@!$&'()*+,;=~?")
        return urllib.parse.urlunsplit((own.scheme, own.netloc, place, query, ""))

    # --- requests -----------------------------------------------------------------------

    def _call(self, method: str, path: str, content: Any = None) -> Any:
        body = self._bytes(method, self.url + path, content, _LARGEST)
        try:
            return json.loads(body) if body.strip() else None
        except (ValueError, RecursionError) as error:
            raise LabelStudioError(
                f"{self.url} replies to {path.partition('?')[0]} with something else than JSON: "
                "check the address."
            ) from error

    def _bytes(self, method: str, address: str, content: Any, largest: int) -> bytes:
        try:
            return self._send_again(method, address, content, largest)
        except urllib.error.HTTPError as error:
            raise self._refused(error, address) from error

    def _send_again(self, method: str, address: str, content: Any, largest: int) -> bytes:
        """Send a request; once more with a new access token if the old one has ended."""
        try:
            return self._send(method, address, content, largest)
        except urllib.error.HTTPError as error:
            if error.code != 401 or "." not in self._token:
                raise
        with self._lock:
            self._access = None  # access tokens end after some minutes
        return self._send(method, address, content, largest)

    def _send(self, method: str, address: str, content: Any, largest: int) -> bytes:
        data = None if content is None else json.dumps(content).encode()
        headers = {"Content-Type": "application/json", "Authorization": self._authorization()}
        request = urllib.request.Request(address, data, headers, method=method)
        try:
            with self._opener.open(request, timeout=_SECONDS) as reply:
                body = bytes(reply.read(largest + 1))
        except urllib.error.HTTPError:
            raise
        except (OSError, HTTPException) as error:
            raise LabelStudioError(
                f"Label Studio cannot be reached at {self.url} ({error}): is it running?"
            ) from error
        if len(body) > largest:
            raise NoFileError(
                f"A reply of Label Studio has more than {largest >> 20} MB: give smaller files."
            )
        return body

    def _authorization(self) -> str:
        """Return the header; a personal access token is exchanged for one of some minutes."""
        if "." not in self._token:
            return f"Token {self._token}"
        with self._lock:
            if self._access is None:
                data = json.dumps({"refresh": self._token}).encode()
                request = urllib.request.Request(
                    f"{self.url}/api/token/refresh/", data, {"Content-Type": "application/json"}
                )
                try:
                    with self._opener.open(request, timeout=_SECONDS) as reply:
                        self._access = str(json.loads(reply.read(1 << 16))["access"])
                except urllib.error.HTTPError as error:
                    raise self._refused(error, request.full_url) from error
                except (OSError, HTTPException, ValueError, KeyError) as error:
                    raise LabelStudioError(
                        f"Label Studio cannot be reached at {self.url} ({error}): is it running?"
                    ) from error
            return f"Bearer {self._access}"

    def _refused(self, error: urllib.error.HTTPError, address: str) -> LabelStudioError:
        path = urllib.parse.urlsplit(address).path
        said = error.read(2000).decode("utf-8", "replace")
        if error.code in (401, 403):
            return LabelStudioError(
                f"Label Studio refuses the token ({error.code} at {path}): give a personal access "
                "token of an account that may change the project."
            )
        if error.code == 404:
            return LabelStudioError(f"Label Studio has no {path}: check the number of the project.")
        return LabelStudioError(f"Label Studio replies {error.code} to {path}: {said[:300]}")


def _is_task(task: Any) -> bool:
    return isinstance(task, dict) and type(task.get("id")) is int and task["id"] > 0
