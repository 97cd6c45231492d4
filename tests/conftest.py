"""Fixtures shared by every test."""

from __future__ import annotations

import os
import random
import shutil
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from typing import Any

import numpy as np
import pytest

SEED = 20260

# What a shell starts in the background ignores Ctrl-C, and so would programs that tests interrupt.
if (
    threading.current_thread() is threading.main_thread()
    and signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):
    signal.signal(signal.SIGINT, signal.default_int_handler)

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# RAREBIT_REQUIRE="chromium,postgresql,data" turns skips for want of these into failures: a machine
# that is meant to have them must not pass without them. Words that reasons for skips hold.
REQUIRED = {
    "chromium": ("chromium", "playwright"),
    "postgresql": ("postgres", "psycopg", "sqlalchemy"),
    "data": ("rarebit_data",),
    "dask": ("dask",),
}


def lacking(reason: str) -> str | None:
    """Return the required thing for want of which a test was skipped."""
    wanted = os.environ.get("RAREBIT_REQUIRE", "").replace(",", " ").split()
    unknown = [name for name in wanted if name not in REQUIRED]
    if unknown:
        raise pytest.UsageError(f"RAREBIT_REQUIRE names {unknown[0]!r}; known: {list(REQUIRED)}")
    found = (name for name in wanted if any(word in reason.lower() for word in REQUIRED[name]))
    return next(found, None)


def _fail_if_lacking(report: Any) -> None:
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
        name = lacking(reason)
        if name is not None:
            report.outcome = "failed"
            report.longrepr = f"{name} is required (RAREBIT_REQUIRE), and was not there: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """Fail tests that were skipped for want of something required."""
    report = yield
    _fail_if_lacking(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    """Fail files that were skipped for want of something required."""
    report = yield
    _fail_if_lacking(report)
    return report


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep what learners save out of the cache of whoever runs the tests."""
    os.environ.setdefault("RAREBIT_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(autouse=True)
def _seed_global_generators() -> None:
    """Pin the global generators, which third-party code may read."""
    random.seed(SEED)
    np.random.seed(SEED)  # noqa: NPY002


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a generator that starts at the same place in every test."""
    return np.random.default_rng(SEED)


@pytest.fixture
def require_task() -> Callable[..., Any]:
    """Return a loader of named tasks that skips the test where the data is absent."""

    def load(name: str, **options: Any) -> Any:
        from rarebit.datasets import load_task

        if not os.environ.get("RAREBIT_DATA"):
            pytest.skip(f"task {name!r} needs data: set RAREBIT_DATA to its directory")
        try:
            return load_task(name, **options)
        except OSError as error:
            pytest.skip(f"the data of task {name!r} is absent: {error}")

    return load


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return a real browser; its event loop ends with the module, which other tests need."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no Chromium is installed: apt-get install chromium")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu"]
        )
        yield opened
        opened.close()
