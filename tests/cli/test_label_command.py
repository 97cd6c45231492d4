"""``rarebit label`` starts a page and ends it; ``rarebit team`` makes accounts."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import httpx
import polars as pl
import pytest

from rarebit.cli import ExitCode, main


def write_rows(path: Path) -> Path:
    pl.DataFrame({"id": [f"r{i}" for i in range(80)], "n": [i % 9 for i in range(80)],
                  "m": [i % 5 for i in range(80)]}).write_csv(path)  # fmt: skip
    return path


def test_the_page_starts_and_ends_cleanly(tmp_path: Path) -> None:
    files = [write_rows(tmp_path / "first.csv"), write_rows(tmp_path / "second.csv")]
    command = [sys.executable, "-m", "rarebit", "label", *map(str, files), "--no-browser", "--id",
               "id", "--known", "r3=odd"]  # fmt: skip
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        link = process.stdout.readline().strip()
        assert link.startswith("http://127.0.0.1:")
        assert "/?token=" in link
        base = link.partition("/?")[0]
        with httpx.Client(base_url=base, timeout=300) as client:
            assert client.get(link).status_code == 303
            names = [each["name"] for each in client.get("/api/projects").json()["projects"]]
            assert names == ["first", "second"]
            assert client.get("/api/status").json()["project"] == "first"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=300)
        assert process.returncode == 0
        assert "the same command continues" in said
        assert "token" not in said
        assert "Traceback" not in said
    finally:
        process.kill()
    assert (tmp_path / "first.labels.db").exists()


def test_rare_classes_are_named_on_the_command_line(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "rows.csv")
    for options, kept in (
        (["--rare", "dent,scratch"], (["dent", "scratch"], [])),
        (["--normal", "ok"], ([], ["ok"])),  # in place of what was named before
        ([], ([], ["ok"])),
    ):
        command = [sys.executable, "-m", "rarebit", "label", str(file), "--no-browser", *options]
        process = subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        try:
            assert process.stdout is not None
            link = process.stdout.readline().strip()
            with httpx.Client(base_url=link.partition("/?")[0], timeout=300) as client:
                assert client.get(link).status_code == 303
                limit = time.monotonic() + 300
                while (reply := client.get("/api/projects/rows/settings")).status_code != 200:
                    assert time.monotonic() < limit, reply.text
                    time.sleep(0.05)
            assert (reply.json()["rare"], reply.json()["normal"]) == kept
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=300)
        finally:
            process.kill()


def test_rare_and_normal_cannot_be_combined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_rows(tmp_path / "rows.csv")
    assert main(["label", str(file), "--rare", "a", "--normal", "b"]) == ExitCode.USAGE
    assert "--rare and --normal cannot be combined" in capsys.readouterr().err


@pytest.mark.parametrize("store", [None, "digits.db"])
def test_the_demo_says_whether_answers_stay(tmp_path: Path, store: str | None) -> None:
    command = [sys.executable, "-m", "rarebit", "label", "--demo", "--no-browser"]
    command += [] if store is None else ["--store", store]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        link = process.stdout.readline().strip()
        with httpx.Client(base_url=link.partition("/?")[0], timeout=300) as client:
            client.get(link)
            while "kept" not in (told := client.get("/api/status").json()):
                time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=300)
    finally:
        process.kill()
    gone = "Answers of the demo are removed when it ends: rarebit label --demo --store"
    assert (gone in said) == (store is None)
    assert told["kept"].startswith(gone if store is None else "Answers are kept in digits.db")
    assert (tmp_path / "digits.db").exists() == (store is not None)


@pytest.mark.parametrize(
    "arguments",
    [["label"], ["label", "--demo", "FILE"], ["label", "FILE", "--host", "0.0.0.0"],
     ["label", "FILE", "--known", "nonsense"], ["label", "FILE", "FILE", "--store", "a.db"],
     ["label", "FILE", "--accounts", "none.json"], ["team", "add", "ann"],
     ["team", "invite"]],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_rows(tmp_path / "rows.csv")
    monkeypatch.chdir(tmp_path)
    given = [str(file) if each == "FILE" else each for each in arguments]
    assert main(given) == ExitCode.USAGE


def test_accounts_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    environment = {**os.environ}
    for name, role in (("ann", "owner"), ("bob", "annotator")):
        made = subprocess.run(
            [sys.executable, "-m", "rarebit", "team", "add", name, "--role", role,
             "--password-stdin"],
            input="a long password\n", text=True, env=environment, check=True, capture_output=True,
        )  # fmt: skip
        assert "a long password" not in made.stdout + made.stderr
    assert stat.S_IMODE((tmp_path / "rarebit-team.json").stat().st_mode) == 0o600
    assert main(["team", "role", "bob", "viewer"]) == 0
    assert main(["team", "invite", "--url", "http://127.0.0.1:8000", "--quiet"]) == 0
    assert "http://127.0.0.1:8000/?invite=" in capsys.readouterr().out
    assert main(["team", "list", "--json"]) == 0
    users = json.loads(capsys.readouterr().out)["users"]
    assert [(each["name"], each["role"]) for each in users] == [("ann", "owner"), ("bob", "viewer")]
    assert main(["team", "remove", "bob"]) == 0
    assert main(["team", "remove", "ann"]) == ExitCode.INPUT
