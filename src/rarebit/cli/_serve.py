"""``rarebit serve``: a model behind HTTP."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from rarebit.cli._command import ExampleCommand
from rarebit.cli._predict import MODEL, TRUST
from rarebit.cli._terminal import Terminal

_LOCAL = ("127.0.0.1", "localhost")
_TOKEN = "RAREBIT_TOKEN"
_SHORTEST = 16


@click.command(
    cls=ExampleCommand,
    example="""\
rarebit serve fraud.rarebit --port 8000
rarebit serve fraud.rarebit --host 0.0.0.0 --port 8000 --token-file token.txt""",
)
@MODEL
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", show_default=True,
              help="Address to listen at; one that others can reach needs a token.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=0, metavar="N",
              help="Port of the service [default: any that is free].")  # fmt: skip
@click.option("--token-file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="File with the token that requests must have (Authorization: Bearer TOKEN) "
              f"[default: what the environment variable {_TOKEN} holds].")  # fmt: skip
@click.option("--max-rows", type=click.IntRange(1), default=100_000, show_default=True,
              metavar="N", help="Maximum number of rows per request.")  # fmt: skip
@click.option("--max-mb", type=click.IntRange(1, 1024), default=64, show_default=True,
              metavar="N", help="Maximum megabytes per request.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(0.1, 3600.0), default=30.0, show_default=True,
              metavar="SECONDS", help="Maximum time for a request.")  # fmt: skip
@click.option("--workers", type=click.IntRange(1, 256), metavar="N",
              help="Requests that are worked on at once [default: one per processor].")  # fmt: skip
@TRUST
def serve(
    model: Path,
    host: str,
    port: int,
    token_file: Path | None,
    max_rows: int,
    max_mb: int,
    timeout: float,
    workers: int | None,
    trust: tuple[str, ...],
    terminal: Terminal,
) -> None:
    """Serve predictions of MODEL over HTTP.

    POST /predict takes records or columns as JSON, or an Arrow stream, and checks columns as
    predict does. /schema says what a row must have, /health that the service works, /metrics what
    it has done, and /openapi.json describes all of these. Ctrl-C ends it.
    """
    token = _token(token_file)
    if host not in _LOCAL and token is None:
        raise click.UsageError(
            f"--host {host} lets others in, so it needs a token: write one to a file, as in "
            "openssl rand -hex 32 > token.txt, and give --token-file token.txt"
        )
    from rarebit.models import load_model
    from rarebit.server.scoring import Limits, ScoringServer

    loaded = load_model(model, trusted=trust)
    for warning in loaded.warnings:
        terminal.note(f"note: {warning}")
    limits = Limits(
        max_bytes=max_mb << 20,
        max_rows=max_rows,
        seconds=timeout,
        workers=workers or os.cpu_count() or 1,
    )
    try:
        server = ScoringServer(loaded, host, port, name=model.stem, limits=limits, token=token)
    except OSError as error:
        raise click.UsageError(
            f"cannot listen at {host}:{port} ({error.strerror}): choose another --host or --port"
        ) from error
    terminal.say(server.address)
    terminal.result({"address": server.address, "model": model.stem})
    sys.stdout.flush()
    terminal.note(
        f"{model.name} is served until Ctrl-C; {server.address}/schema says what a row must have."
    )
    server.run()


def _token(file: Path | None) -> str | None:
    """Return the token of a file or of the environment; None where there is none."""
    if file is None:
        token, source = os.environ.get(_TOKEN, "").strip(), _TOKEN
        if not token:
            return None
    else:
        token, source = file.read_text(encoding="utf-8", errors="replace").strip(), str(file)
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise click.UsageError(
            f"the token of {source} must have at least {_SHORTEST} letters and digits and no space"
        )
    return token
