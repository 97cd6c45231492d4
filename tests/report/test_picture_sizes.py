"""Pictures of rows are as large as what is small in them asks for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")
image_module = pytest.importorskip("PIL.Image")

from rarebit import Project  # noqa: E402
from rarebit.report import Report, draw_images  # noqa: E402


def test_photographs_fill_the_page_and_icons_do_not() -> None:
    icon, photograph = np.zeros((8, 8)), np.zeros((96, 160))
    small, large = draw_images([icon], ["a"]), draw_images([photograph], ["a"])
    assert large.get_figwidth() == 2 * small.get_figwidth()
    rows = [["a", 1]]
    page = Report("x").add_rows(["id", "n"], rows, images=[photograph], text=["Look."]).html()
    assert 'class="figures wide"' in page
    assert "Look." in page
    assert "Rows that taught the classifier most.</figcaption>" in page
    assert "<caption>Rows that taught" not in page  # once is enough
    assert 'class="figures"' in Report("x").add_rows(["id", "n"], rows, images=[icon]).html()


@pytest.mark.parametrize("n_images", [1, 3, 4, 6])
@pytest.mark.parametrize("shape", [(96, 96), (96, 160), (300, 100), (8, 8)])
@pytest.mark.parametrize("caption", ["ok/part_0109.png", "ok/part_0109.png\nscore 3.41"])
def test_captions_lie_within_the_drawing(
    n_images: int, shape: tuple[int, int], caption: str
) -> None:
    figure = draw_images([np.zeros(shape)] * n_images, [caption] * n_images)
    figure.draw_without_rendering()
    box = figure.get_tightbbox()
    assert box.y0 >= 0.0
    assert box.y1 <= figure.get_figheight() + 0.01


def test_rows_that_are_predicted_rare_are_shown_as_pictures(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rare = rng.random(80) < 0.2
    for row, spot in enumerate(rare):
        pixels = rng.normal(140, 4, (64, 80)).clip(0, 255)
        if spot:
            pixels[20:30, 30:40] = 40
        folder = tmp_path / "parts" / ("pit" if spot else "ok")
        folder.mkdir(parents=True, exist_ok=True)
        image_module.fromarray(pixels.astype(np.uint8)).save(folder / f"{row:02}.png")
    settings = {"normal": ("ok",), "max_labels": 25, "method": "border"}
    store = tmp_path / "l.db"
    with Project.open(tmp_path / "parts", settings=settings, store=store) as project:
        classes = project.table.target
        assert classes is not None
        while (question := project.question()) is not None:
            project.answer(question.row, str(classes[question.row]))
        page = project.report().html()
    after = page.split("Rows that are predicted rare</h2>")[1].split("<section")[0]
    assert after.count("<image") >= 1
