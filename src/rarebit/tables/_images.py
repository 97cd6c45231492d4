"""A folder of images; subfolders are the classes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.tables._checksum import checksum_of
from rarebit.tables._descriptors import describe_image, descriptor_names, side_of
from rarebit.tables._duplicates import tell_contradictions, without_duplicates
from rarebit.tables._embedding import embed_images, vector_names
from rarebit.tables._errors import ColumnsMismatchError, TableError
from rarebit.tables._options import Options
from rarebit.tables._read import IMAGES
from rarebit.tables._roles import Role
from rarebit.tables._table import Table

# Images that are looked at to tell whether there are colours.
_LOOKED_AT = 20
_BATCH = 500
# Images that an embedder gets at a time, and the longer side that they have at most.
_EMBEDDED = 64
_LARGEST = 1_024


@dataclass(eq=False)
class FolderScan:
    """Images below a folder, each scaled to a square of pixels."""

    path: Path
    options: Options
    files: list[Path]
    colours: bool
    local: bool = True
    notes: list[str] = field(default_factory=list)
    # Files that are no images, and why.
    _damaged: dict[Path, TableError] = field(default_factory=dict, init=False)

    @property
    def n_expected(self) -> int:
        """Number of images."""
        return len(self.files)

    @cached_property
    def number_names(self) -> tuple[str, ...]:
        """One name a measure, or one a pixel, or three, or one per number of a vector."""
        if self.options.embed is not None:
            return vector_names(self.options.embed)
        if self.local:
            return descriptor_names(colours=self.colours)
        n = self.options.image_size**2
        if not self.colours:
            return tuple(f"p{i}" for i in range(n))
        return tuple(f"{colour}{i}" for i in range(n) for colour in "rgb")

    @property
    def columns(self) -> dict[str, Role]:
        """Columns that can become features, and what they are."""
        return dict.fromkeys(self.number_names, "number")

    def batches(self, n_rows: int | None = None) -> Iterator[Table]:
        """Yield some images at a time, in the order of their paths."""
        step = n_rows or _BATCH
        for start in range(0, len(self.files), step):
            part = self._table(self.files[start : start + step])
            if part.n_rows:
                yield part
        self._tell_damaged()

    def read(self, advance: Callable[[int], None] = lambda rows: None) -> Table:
        """Read all images."""
        table = self._table(self.files, advance)
        self._tell_damaged()
        if told := tell_contradictions(table):
            self.notes.append(told)
        table = replace(table, notes=tuple(self.notes))
        return without_duplicates(table, self.options.duplicates)

    def _tell_damaged(self) -> None:
        """Say which files were left out; a folder without a good one is refused."""
        if len(self._damaged) == len(self.files):
            raise next(iter(self._damaged.values()))
        if self._damaged:
            names = [file.relative_to(self.path).as_posix() for file in self._damaged]
            listed = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
            one = len(names) == 1
            self.notes.append(
                f"{len(names):,} {'file' if one else 'files'} of {self.path.name} cannot be read "
                f"as {'an image and is' if one else 'images and are'} left out: {listed}."
            )

    def _table(
        self, given: list[Path], advance: Callable[[int], None] = lambda rows: None
    ) -> Table:
        embed = self.options.embed
        pixels = not self.local and embed is None
        kind = np.uint8 if pixels else np.float32
        numbers = np.empty((len(given), len(self.number_names)), dtype=kind)
        files: list[Path] = []
        step = len(given) if embed is None else _EMBEDDED
        # Files are read and measured outside the interpreter's lock, in the order of their paths.
        with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
            for start in range(0, len(given), max(step, 1)):
                part, found = given[start : start + step], []
                before = len(files)
                for file, values in zip(part, pool.map(self._numbers_of, part), strict=True):
                    if isinstance(values, TableError):
                        self._damaged[file] = values
                    else:
                        files.append(file)
                        if embed is None:
                            numbers[len(files) - 1] = values
                        else:
                            found.append(values)
                    advance(1)
                if embed is not None and found:
                    numbers[before : len(files)] = embed_images(found, embed)
        numbers = numbers[: len(files)]
        names = [file.relative_to(self.path) for file in files]
        # An image that lies in the folder itself has no class.
        classes = [name.parts[0] if len(name.parts) > 1 else "" for name in names]
        return Table(
            source=self.path.name,
            ids=np.array([name.as_posix() for name in names], dtype=object),
            id_name="file",
            numbers=numbers,
            number_names=self.number_names,
            target=np.array(classes, dtype=np.str_) if any(classes) else None,
            target_name="folder" if any(classes) else None,
            pixels=pixels,
            embedded=None if embed is None else (None, embed),
            notes=tuple(self.notes),
            image=lambda row: open_image(files[row], self.colours),
            checksum=lambda: checksum_of(self.path, self.files),
            place=lambda row: files[row],
        )

    def _numbers_of(self, file: Path) -> NDArray[Any] | TableError:
        """Return the measures of one image, or why there are none: one file must not stop all."""
        side = self.options.image_size
        try:
            if self.options.embed is not None:
                return open_image(file, colours=True, largest=_LARGEST)
            if not self.local:
                return open_image(file, self.colours, side).reshape(-1)
            # Four times as fine as a thumbnail: a defect is small.
            return describe_image(open_image(file, self.colours, 4 * side, at_most=True))
        except TableError as error:
            return error


def scan_folder(path: Path, options: Options) -> FolderScan:
    """Find the images below a folder."""
    files = sorted(
        file
        for file in path.rglob("*")
        if file.suffix.lower() in IMAGES and not _is_hidden(file, path) and file.is_file()
    )
    if not files:
        raise TableError(
            f"The folder {path.name!r} holds no images: give a folder with "
            f"{', '.join(sorted(IMAGES))} files, or a file."
        )
    if options.target not in (None, "folder"):
        raise TableError(
            f"The classes of the folder {path.name!r} are the names of its subfolders, as if they "
            f"were a column 'folder': write --oracle folder (or --target folder) instead of "
            f"{options.target!r}. Classes by file name are taken over with rarebit labels import."
        )
    # A model that judges a folder passes its columns, and says itself what classes are for.
    wanted = options.target is not None and options.schema is None
    if wanted and all(file.parent == path for file in files):
        raise TableError(
            f"The folder {path.name!r} has no classes, because its images lie in no subfolder: put "
            "the images of each class into a subfolder of its name, or import labels by file name "
            "(rarebit labels import)."
        )
    if options.image_size < 1:
        raise TableError(
            f"Images need a size of at least 1 pixel, got {options.image_size}: 32 is usual."
        )
    if options.image_features not in ("local", "pixels"):
        raise TableError(
            f"Features of images are local or pixels, got {options.image_features!r}: give one."
        )
    local = options.image_features == "local" and options.embed is None
    if options.schema is not None and options.embed is None:
        # Models of earlier versions know pixels only.
        local = any("_" in name for name in options.schema)
        colours = any(name.startswith("r") for name in options.schema)
    else:
        colours = any(_has_colours(file) for file in files[:_LOOKED_AT])
    scan = FolderScan(path, options, files, colours, local)
    _check_model(scan, options.schema or {})
    return scan


def _check_model(scan: FolderScan, schema: Mapping[str, Role]) -> None:
    """Refuse the columns of a model that learned from a table."""
    of_numbers = all(role == "number" for role in schema.values())  # as all columns of images are
    if schema and not (of_numbers and set(schema) & set(scan.number_names)):
        raise ColumnsMismatchError(
            f"{scan.path.name} holds images, and the model is of a table: give a file with the "
            "columns that the model was trained on."
        )


def _is_hidden(file: Path, folder: Path) -> bool:
    """Whether a file is a preview or a leftover of another program, which nobody sees."""
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def _has_colours(file: Path) -> bool:
    try:
        image = open_image(file, colours=True)
    except TableError:
        return False  # told when all images are read
    return bool((image != image[..., :1]).any())


def open_image(
    file: Path,
    colours: bool,
    side: int | None = None,
    *,
    at_most: bool = False,
    largest: int | None = None,
) -> NDArray[Any]:
    """Read one image as brightnesses from 0 to 255, as a square if a side is given.

    With ``largest`` no side is longer, and the image keeps its shape.
    """
    from PIL import Image

    try:
        # A warning of a large or damaged image would tell nothing to be done.
        with warnings.catch_warnings(action="ignore"), Image.open(file) as opened:
            image: Image.Image = opened
            # 16 bits a pixel would be cut at 255 by a plain conversion.
            if image.mode.startswith("I"):
                values = np.asarray(image, dtype=np.float64)
                image = Image.fromarray((values * (255.0 / max(values.max(), 1.0))).astype("uint8"))
            image = image.convert("RGB" if colours else "L")
            if largest is not None:
                image.thumbnail((largest, largest))
            if side is not None:
                side = side_of(*image.size, side) if at_most else side
                image = image.resize((side, side), Image.Resampling.BILINEAR)
            return np.asarray(image)
    except Image.DecompressionBombError as error:
        raise TableError(
            f"{file.name} has more pixels than the {2 * (Image.MAX_IMAGE_PIXELS or 0):,} that an "
            "image may have: scale it down, or remove it."
        ) from error
    # Decoders raise a dozen types for damaged bytes, struct.error and SyntaxError among them.
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise TableError(
            f"{file.name} cannot be read as an image: remove it or replace it by a good one."
        ) from error
