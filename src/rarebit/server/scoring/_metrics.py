"""Counters and times of the service, in the text format of Prometheus."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Measurements:
    """What the service has done since it began.

    Parameters
    ----------
    paths : iterable of str
        Paths that are counted by name; all others are one.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(paths)
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str]] = Counter()
        self._rows: Counter[str] = Counter()
        self._classes: Counter[str] = Counter()
        self._outside: Counter[str] = Counter()
        self._buckets: dict[str, list[int]] = defaultdict(lambda: [0] * len(_BOUNDS))
        self._sums: defaultdict[str, float] = defaultdict(float)
        self._began = time.time()

    def count_request(self, path: str, status: int, seconds: float) -> None:
        """Note a reply."""
        known = path if path in self._paths else "other"
        with self._lock:
            self._requests[known, str(status)] += 1
            self._sums[known] += seconds
            buckets = self._buckets[known]
            for place, bound in enumerate(_BOUNDS):
                buckets[place] += seconds <= bound

    def count_rows(self, path: str, classes: Mapping[str, int]) -> None:
        """Note how many rows were decided to be of each class."""
        with self._lock:
            self._rows[path] += sum(classes.values())
            if path == "/predict":
                self._classes.update(classes)

    def count_outside(self, columns: Mapping[str, int]) -> None:
        """Note how many rows lie outside the training range of each column."""
        with self._lock:
            self._outside.update(columns)

    def text(self, in_progress: int, info: Mapping[str, str]) -> str:
        """Return all measurements as Prometheus reads them."""
        with self._lock:
            return "".join(f"{line}\n" for line in self._lines(in_progress, info))

    def _lines(self, in_progress: int, info: Mapping[str, str]) -> Iterator[str]:
        yield from _head("rarebit_model_info", "gauge", "The model that is served.")
        yield f"rarebit_model_info{_labels(info)} 1"
        yield from _head("rarebit_start_time_seconds", "gauge", "When the service began.")
        yield f"rarebit_start_time_seconds {self._began:.3f}"
        yield from _head("rarebit_requests_in_progress", "gauge", "Requests that are worked on.")
        yield f"rarebit_requests_in_progress {in_progress}"
        yield from _head("rarebit_requests_total", "counter", "Requests by path and status.")
        for (path, status), n in sorted(self._requests.items()):
            yield f"rarebit_requests_total{_labels({'path': path, 'status': status})} {n}"
        yield from _head("rarebit_rows_total", "counter", "Rows that were predicted or explained.")
        for path, n in sorted(self._rows.items()):
            yield f"rarebit_rows_total{_labels({'path': path})} {n}"
        yield from _head("rarebit_predicted_total", "counter", "Rows by the class decided.")
        for name, n in sorted(self._classes.items()):
            yield f"rarebit_predicted_total{_labels({'class': name})} {n}"
        name = "rarebit_outside_range_total"
        yield from _head(name, "counter", "Rows outside the range of 99 % of the training rows.")
        for column, n in sorted(self._outside.items()):
            yield f"{name}{_labels({'column': column})} {n}"
        name = "rarebit_request_seconds"
        yield from _head(name, "histogram", "Time until a reply began.")
        for path, buckets in sorted(self._buckets.items()):
            total = sum(n for (own, _), n in self._requests.items() if own == path)
            for bound, n in zip(_BOUNDS, buckets, strict=True):
                yield f"{name}_bucket{_labels({'path': path, 'le': f'{bound:g}'})} {n}"
            yield f"{name}_bucket{_labels({'path': path, 'le': '+Inf'})} {total}"
            yield f"{name}_sum{_labels({'path': path})} {self._sums[path]:.6f}"
            yield f"{name}_count{_labels({'path': path})} {total}"


class CountedApp:
    """An application whose replies are counted.

    Parameters
    ----------
    app : ASGI application
        What replies.
    measurements : Measurements
        Where they are counted.
    """

    def __init__(self, app: ASGIApp, measurements: Measurements) -> None:
        self._app, self._measurements = app, measurements

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()

        async def send_counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                took = time.perf_counter() - began
                self._measurements.count_request(scope["path"], message["status"], took)
            await send(message)

        await self._app(scope, receive, send_counted)


def _head(name: str, kind: str, what: str) -> Iterator[str]:
    yield f"# HELP {name} {what}"
    yield f"# TYPE {name} {kind}"


def _labels(labels: Mapping[str, str]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items()) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
