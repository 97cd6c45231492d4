"""A folder of images; subfolders are the classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.tables._checksum import checksum_of
from rarebit.tables._errors import TableError
from rarebit.tables._options import Options
from rarebit.tables._roles import Role
from rarebit.tables._table import Table

SUFFIXES = {".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff", ".pgm", ".ppm"}
# Images that are looked at to tell whether there are colours.
_LOOKED_AT = 20
_BATCH = 500


@dataclass(eq=False)
class FolderScan:
    """Images below a folder, each scaled to a square of pixels."""

    path: Path
    options: Options
    files: list[Path]
    colours: bool
    notes: list[str] = field(default_factory=list)

    @property
    def n_expected(self) -> int:
        """Number of images."""
        return len(self.files)

    @property
    def number_names(self) -> tuple[str, ...]:
        """One name a pixel, or three."""
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
            yield self._table(self.files[start : start + step])

    def read(self, advance: Callable[[int], None] = lambda rows: None) -> Table:
        """Read all images."""
        return self._table(self.files, advance)

    def _table(
        self, files: list[Path], advance: Callable[[int], None] = lambda rows: None
    ) -> Table:
        side = self.options.image_size
        numbers = np.empty((len(files), len(self.number_names)), dtype=np.uint8)
        for row, file in enumerate(files):
            numbers[row] = open_image(file, self.colours, side).reshape(-1)
            advance(1)
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
            pixels=True,
            notes=tuple(self.notes),
            image=lambda row: open_image(files[row], self.colours),
            checksum=lambda: checksum_of(self.path, self.files),
        )


def scan_folder(path: Path, options: Options) -> FolderScan:
    """Find the images below a folder."""
    files = sorted(
        file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES and file.is_file()
    )
    if not files:
        raise TableError(
            f"The folder {path.name!r} holds no images: give a folder with {', '.join(SUFFIXES)} "
            "files, or a file."
        )
    if options.image_size < 1:
        raise TableError(
            f"Images need a size of at least 1 pixel, got {options.image_size}; 32 is usual."
        )
    if options.schema is not None:
        colours = any(name.startswith("r") for name in options.schema)
    else:
        colours = any(_has_colours(file) for file in files[:_LOOKED_AT])
    return FolderScan(path, options, files, colours)


def _has_colours(file: Path) -> bool:
    image = open_image(file, colours=True)
    return bool((image != image[..., :1]).any())


def open_image(file: Path, colours: bool, side: int | None = None) -> NDArray[Any]:
    """Read one image as brightnesses from 0 to 255."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(file) as opened:
            image: Image.Image = opened
            # 16 bits a pixel would be cut at 255 by a plain conversion.
            if image.mode.startswith("I"):
                values = np.asarray(image, dtype=np.float64)
                image = Image.fromarray((values * (255.0 / max(values.max(), 1.0))).astype("uint8"))
            image = image.convert("RGB" if colours else "L")
            if side is not None:
                image = image.resize((side, side), Image.Resampling.BILINEAR)
            return np.asarray(image)
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise TableError(
            f"{file.name} cannot be read as an image: remove it or replace it by a good one."
        ) from error
