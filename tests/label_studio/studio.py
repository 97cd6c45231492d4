"""A real Label Studio on loopback, and a person who labels in it."""

from __future__ import annotations

import io
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from PIL import Image

USER = "person@rarebit.example"
CONFIG = (
    '<View><Text name="review" value="$review"/>'
    '<Choices name="kind" toName="review" choice="single">'
    '<Choice value="ok"/><Choice value="fraud"/></Choices></View>'
)
FIELDS = CONFIG.replace("$review", "$payment")
IMAGES = CONFIG.replace('<Text name="review" value="$review"/>',
                        '<Image name="review" value="$image"/>')  # fmt: skip
GOOD = [
    "thanks",
    "for",
    "the",
    "quick",
    "parcel",
    "it",
    "arrived",
    "today",
    "and",
    "all",
    "is",
    "well",
    "with",
    "the",
    "order",
]
BAD = [
    "stolen",
    "card",
    "unknown",
    "charge",
    "bank",
    "police",
    "never",
    "ordered",
    "money",
    "gone",
    "scam",
]


def reviews(n: int, n_rare: int, seed: int = 0) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return tasks, few of them of fraud, and the class of each text."""
    rng = np.random.default_rng(seed)
    rare = np.zeros(n, dtype=bool)
    rare[rng.choice(n, n_rare, replace=False)] = True
    tasks, truth = [], {}
    for i in range(n):
        words = [*rng.choice(GOOD, 9), *(rng.choice(BAD, 4) if rare[i] else rng.choice(GOOD, 4))]
        text = f"{' '.join(rng.permutation(words))} n{i}"
        tasks.append({"data": {"review": text}})
        truth[text] = "fraud" if rare[i] else "ok"
    return tasks, truth


def payments(n: int, n_rare: int, seed: int = 0) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return tasks of fields, few of them of fraud, and the class of each payment."""
    rng = np.random.default_rng(seed)
    rare = np.zeros(n, dtype=bool)
    rare[rng.choice(n, n_rare, replace=False)] = True
    amounts = np.round(np.where(rare, rng.normal(95.0, 3.0, n), rng.normal(40.0, 12.0, n)), 2)
    ages = np.round(np.where(rare, rng.normal(20.0, 1.0, n), rng.normal(45.0, 9.0, n)), 1)
    data = [
        {"payment": f"P-{i}", "amount": float(amounts[i]), "age": float(ages[i])} for i in range(n)
    ]
    truth = {each["payment"]: "fraud" if rare[i] else "ok" for i, each in enumerate(data)}
    return [{"data": each} for each in data], truth


def scans(n: int, n_rare: int, seed: int = 0) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return PNG files of noise, few of them with a bright square, and the class of each."""
    rng = np.random.default_rng(seed)
    rare = np.zeros(n, dtype=bool)
    rare[rng.choice(n, n_rare, replace=False)] = True
    files, truth = {}, {}
    for i in range(n):
        pixels = rng.integers(60, 120, (32, 32)).astype(np.uint8)
        if rare[i]:
            row, column = rng.integers(4, 16, 2)
            pixels[row : row + 12, column : column + 12] = 250
        sink = io.BytesIO()
        Image.fromarray(pixels).save(sink, "PNG")
        files[f"größe {i}.png"] = sink.getvalue()  # a name that addresses must quote
        truth[str(i)] = "fraud" if rare[i] else "ok"
    return files, truth


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Studio(httpx.Client):
    """The person: makes projects, labels, changes and deletes annotations."""

    def __init__(self, address: str, password: str, log: Path | None = None) -> None:
        super().__init__(base_url=address, timeout=120.0)
        self.address, self._log = address, log
        self.n_repeats = 0  # labels that Label Studio failed to store at first
        self.get("/user/login/")
        form = {"email": USER, "password": password, "csrfmiddlewaretoken": self._cross_site()}
        self.post("/user/login/", data=form, headers={"Referer": address})
        self.token = str(self.call("POST", "/api/token/")["token"])  # a personal access token

    def _cross_site(self) -> str:
        return self.cookies.get("csrftoken") or ""

    def call(self, method: str, path: str, **options: Any) -> Any:
        headers = {"X-CSRFToken": self._cross_site(), "Referer": self.address}
        reply = self.request(method, path, headers=headers, **options)
        said = f"{method} {path}: {reply.status_code} {reply.text[:500]}"
        assert reply.status_code < 300, f"{said}\n{self._last_words()}"
        return reply.json() if reply.content else None

    def _last_words(self) -> str:
        lines = self._log.read_text(errors="replace").splitlines() if self._log else []
        return "\n".join(["Label Studio's log ends with:", *lines[-25:]])

    def new_project(self, tasks: list[dict[str, Any]], config: str = CONFIG, **more: Any) -> int:
        made = self.call("POST", "/api/projects/", json={"title": "reviews", "label_config": config,
                                                         **more})  # fmt: skip
        if tasks:
            self.call("POST", f"/api/projects/{made['id']}/import", json=tasks)
        return int(made["id"])

    def upload(self, project: int, files: dict[str, bytes]) -> None:
        """Upload files in some requests, as a browser does."""
        given = [(name, (name, content, "image/png")) for name, content in files.items()]
        for i in range(0, len(given), 50):
            self.call("POST", f"/api/projects/{project}/import", files=given[i : i + 50])

    def next(self, project: int) -> dict[str, Any] | None:
        reply = self.get(f"/api/projects/{project}/next")
        return reply.json() if reply.status_code == 200 else None

    def label(self, task: int, choice: str, **more: Any) -> int:
        result = [{"from_name": "kind", "to_name": "review", "type": "choices",
                   "value": {"choices": [choice]}}]  # fmt: skip
        place, body = f"/api/tasks/{task}/annotations/", {"result": result, **more}
        headers = {"X-CSRFToken": self._cross_site(), "Referer": self.address}
        # Label Studio on SQLite fails now and then while others write. People press the button
        # again then, unless the answer is there after all.
        for _ in range(5):
            reply = self.post(place, headers=headers, json=body)
            if reply.status_code < 500:
                break
            self.n_repeats += 1
            print(f"Label Studio: {reply.status_code} for a label. {self._last_words()}")
            time.sleep(1.0)
            if stored := self.call("GET", place):
                return int(stored[-1]["id"])
        assert reply.status_code < 300, f"{reply.status_code} {reply.text[:500]}"
        return int(reply.json()["id"])

    def change(self, annotation: int, choice: str) -> None:
        result = [{"from_name": "kind", "to_name": "review", "type": "choices",
                   "value": {"choices": [choice]}}]  # fmt: skip
        self.call("PATCH", f"/api/annotations/{annotation}/", json={"result": result})


@contextmanager
def label_studio(folder: Path) -> Iterator[Studio]:
    """Start the Label Studio of LABEL_STUDIO_BIN, or use the one at LABEL_STUDIO_URL."""
    if url := os.environ.get("LABEL_STUDIO_URL"):
        with closing(Studio(url, os.environ["LABEL_STUDIO_PASSWORD"])) as studio:
            yield studio
        return
    port, password = free_port(), secrets.token_hex(12)
    address = f"http://127.0.0.1:{port}"
    environment = {
        **os.environ, "LABEL_STUDIO_BASE_DATA_DIR": str(folder), "COLLECT_ANALYTICS": "false",
        "LATEST_VERSION_CHECK": "false", "ML_BLOCK_LOCAL_IP": "false",
        "SSRF_PROTECTION_ENABLED": "false", "DEBUG": "false",
    }  # fmt: skip
    environment.pop("PYTHONPATH", None)
    place = folder / "label-studio.log"
    log = place.open("w")
    process = subprocess.Popen(
        [os.environ["LABEL_STUDIO_BIN"], "start", "--no-browser", "--internal-host", "127.0.0.1",
         "--host", address, "--port", str(port), "--username", USER, "--password", password],
        env=environment, stdout=log, stderr=log, start_new_session=True,
    )  # fmt: skip
    try:
        until_up(f"{address}/health", process, 900.0)
        with closing(Studio(address, password, place)) as studio:
            yield studio
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)
        log.close()


def until_up(address: str, process: subprocess.Popen[Any], seconds: float = 120.0) -> None:
    limit = time.monotonic() + seconds
    while True:
        assert process.poll() is None, "it ended"
        try:
            if httpx.get(address, timeout=5.0).status_code == 200:
                return
        except httpx.HTTPError:
            pass
        assert time.monotonic() < limit, "it did not start in time"
        time.sleep(0.2)


class Running:
    """`rarebit label-studio` in a process of its own, that can be killed; ``with`` ends it."""

    def __init__(self, studio: Studio, project: int, folder: Path, port: int) -> None:
        self._words = [
            sys.executable, "-m", "rarebit", "label-studio", studio.address, "--project",
            str(project), "--port", str(port), "--connect",
        ]  # fmt: skip
        self._folder = folder
        self._environment = {**os.environ, "LABEL_STUDIO_TOKEN": studio.token}
        self.process: subprocess.Popen[str] | None = None
        self.address = ""

    def start(self) -> Running:
        log = (self._folder / "backend.log").open("a")
        self.process = subprocess.Popen(
            self._words, cwd=self._folder, env=self._environment, stdout=subprocess.PIPE,
            stderr=log, text=True,
        )  # fmt: skip
        log.close()
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        assert self.address, (self._folder / "backend.log").read_text()
        until_up(f"{self.address}/health", self.process)
        return self

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process is not None and self.process.poll() is None:
            self.kill()

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(30)

    def end(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(60) == 0, (self._folder / "backend.log").read_text()

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = httpx.get(f"{self.address}/status", timeout=30.0).json()
        return found
