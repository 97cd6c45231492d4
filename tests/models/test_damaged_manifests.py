"""Manifests that are none: deep, of another type, or no JSON. Each is refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from rarebit.models import ModelError, load_model, read_manifest

from .conftest import rewritten


@pytest.mark.parametrize("manifest", [b'{"a":' + b"[" * 200_000, b"[1]", b"3", b"{}", b"\xff"])
def test_manifests_that_are_none(manifest: bytes, mixed_model: Path, tmp_path: Path) -> None:
    saved = tmp_path / "m.rarebit"
    saved.write_bytes(mixed_model.read_bytes())
    damaged = rewritten(saved, manifest_json=manifest)
    for read in (load_model, read_manifest):
        with pytest.raises(ModelError, match=r"copy\.rarebit is not a rarebit model"):
            read(damaged)
