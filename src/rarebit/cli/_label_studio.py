"""``rarebit label-studio``: a backend that orders the tasks of a Label Studio project."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rarebit.cli._command import ExampleCommand
from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    from rarebit.server.label_studio import BackendServer

_TOKEN = "LABEL_STUDIO_TOKEN"


@click.command(
    "label-studio",
    cls=ExampleCommand,
    example="""\
rarebit label-studio http://127.0.0.1:8080 --project 1 --token-file token.txt --connect
rarebit label-studio http://127.0.0.1:8080 --project 1 --token-file token.txt --out a.rarebit""",
)
@click.argument("url", metavar="URL")
@click.option("--project", type=click.IntRange(1), required=True, metavar="N",
              help="Number of the project, as in its address.")  # fmt: skip
@click.option("--token-file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="File with a personal access token of Label Studio [default: what the "
              f"environment variable {_TOKEN} holds].")  # fmt: skip
@click.option("--connect", is_flag=True,
              help="Add the backend to the project and set its sampling.")  # fmt: skip
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", show_default=True,
              help="Address to listen at.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=9090, metavar="N",
              show_default=True, help="Port of the backend.")  # fmt: skip
@click.option("--labels", "--store", "store", metavar="ADDRESS",
              help="Where answers are kept and continued [default: label-studio-N.labels.db "
              "here].")  # fmt: skip
@click.option("-o", "--out", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the model that the labels make here at the end.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Random choices.")  # fmt: skip
def label_studio(
    url: str,
    project: int,
    token_file: Path | None,
    connect: bool,
    host: str,
    port: int,
    store: str | None,
    out: Path | None,
    seed: int,
    terminal: Terminal,
) -> None:
    """Put the tasks of a Label Studio project into the order that finds the rare class.

    Runs beside Label Studio at URL as its machine learning backend. Answers are stored here as they
    are given there, and the same command continues after any end. Ctrl-C ends it.
    """
    token = _token(token_file)
    from rarebit.projects import write_model
    from rarebit.server.label_studio import Backend, BackendServer, LabelStudio
    from rarebit.server.label_studio import kept_secret as secret_of

    name = f"label-studio-{project}"
    studio = LabelStudio(url, project, token)
    with terminal.progress("reading the project", None):
        backend = Backend(
            studio, store or f"{name}.labels.db", Path(f"{name}.images"), seed=seed,
            say=lambda text: terminal.note(f"note: {text}"),
        )  # fmt: skip
    try:
        server = BackendServer(backend, secret_of(Path(f"{name}.secret")), host, port)
    except OSError as error:
        backend.close()
        raise click.UsageError(
            f"cannot listen at {host}:{port} ({error.strerror}): choose another --port"
        ) from error
    terminal.say(server.address)
    terminal.result({"address": server.address, "project": project})
    sys.stdout.flush()
    try:
        backend.start()
        if connect:  # Label Studio calls the backend meanwhile, so that it must be running
            threading.Thread(target=_connect, args=(server, terminal), daemon=True).start()
        else:
            terminal.note(
                "Add this address in the project: Settings, Model, Connect Model. The sampling is "
                "set by --connect only, unless the project has it already."
            )
        server.run()
        if out is not None:
            write_model(backend.desk, out)
            terminal.note(f"Wrote {out}.")
    finally:
        backend.close()
    terminal.note(f"Answers are in {backend.desk.store.address}; the same command continues.")


def _connect(server: BackendServer, terminal: Terminal) -> None:
    from rarebit.server.label_studio import LabelStudioError

    try:
        server.backend.connect(server.address)
        terminal.note("The backend is connected to the project.")
    except LabelStudioError as error:
        terminal.note(f"error: {error}")
        server.stop()


def _token(file: Path | None) -> str:
    if file is not None:
        token = file.read_text(encoding="utf-8", errors="replace").strip()
    else:
        token = os.environ.get(_TOKEN, "").strip()
    if not token or not token.isascii() or not token.isprintable():
        raise click.UsageError(
            "Label Studio needs a token: make a personal access token (Account & Settings there), "
            f"write it to a file and give --token-file, or set {_TOKEN}"
        )
    return token
