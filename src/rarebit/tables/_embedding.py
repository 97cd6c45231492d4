"""Texts become vectors by a package that is installed, through one small protocol.

An embedder is a function of a list of texts that returns one row of numbers per text. Those that
rarebit knows are found by name; others announce themselves as an entry point of the group
``rarebit.embedders``, whose object is called without arguments and returns the function. Nothing
else is imported: the name may come from a model file of a stranger.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl

from rarebit.tables._errors import TableError
from rarebit.tables._wide import OpenFrame

GROUP = "rarebit.embedders"


class Embedder(Protocol):
    """What turns texts into vectors."""

    def __call__(self, texts: list[str], /) -> Any:
        """Return an array of shape (n_texts, n_numbers); the same text has the same vector."""


def _wordllama() -> Embedder:
    """Return WordLlama: word vectors of a language model, averaged; they come with the package."""
    import wordllama  # type: ignore[import-not-found, import-untyped, unused-ignore]

    folder = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    return lambda texts: model.embed(texts)


_KNOWN: dict[str, Callable[[], Embedder]] = {"wordllama": _wordllama}


@cache
def load_embedder(name: str) -> Embedder:
    """Return the embedder of a name.

    Parameters
    ----------
    name : str
        ``"wordllama"``, or an entry point of the group ``rarebit.embedders``.
    """
    made = _KNOWN.get(name)
    found = {point.name: point for point in entry_points(group=GROUP)}
    try:
        if made is not None:
            return made()
        if name in found:
            embedder: Embedder = found[name].load()()
            return embedder
    except ImportError as error:
        raise TableError(
            f"The embedding {name} needs the package {error.name or name}, which is not "
            f"installed: run pip install {error.name or name}."
        ) from error
    known = ", ".join(sorted({*_KNOWN, *found}))
    raise TableError(f"There is no embedding {name!r}: choose among {known}.")


def embed_column(open_frame: OpenFrame, text: str, name: str) -> OpenFrame:
    """Return a frame that has the vectors of a text beside it, one column per number.

    Parameters
    ----------
    open_frame : function
        Gives the frame.
    text : str
        Column of texts.
    name : str
        The embedder.
    """
    embed = load_embedder(name)
    width = np.asarray(embed([""])).shape[-1]
    made = [f"{text}_{j + 1}" for j in range(width)]

    def add(frame: pl.DataFrame) -> pl.DataFrame:
        texts = frame[text].cast(pl.String).fill_null("").to_list()
        vectors = np.asarray(embed(texts), dtype=np.float64) if texts else np.empty((0, width))
        if vectors.shape != (len(texts), width) or not np.isfinite(vectors).all():
            raise TableError(
                f"The embedding {name} must give {width} finite numbers per text, got an array of "
                f"shape {vectors.shape}: choose another."
            )
        return frame.hstack([pl.Series(each, vectors[:, j]) for j, each in enumerate(made)])

    def open_embedded(types: dict[str, Any]) -> pl.LazyFrame:
        frame = open_frame({each: kind for each, kind in types.items() if each not in made})
        schema: dict[str, Any] = {**frame.collect_schema(), **dict.fromkeys(made, pl.Float64)}
        return frame.map_batches(
            add,
            schema=schema,
            streamable=True,
            predicate_pushdown=False,
            projection_pushdown=False,
            slice_pushdown=False,
        )

    return open_embedded
