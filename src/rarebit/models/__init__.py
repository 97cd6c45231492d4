"""Models: features and a classifier, trained on a table, judged, and kept in one file."""

from rarebit.models._file import ModelError, load_model, read_manifest, save_model
from rarebit.models._learned import last_classifier, learned_model
from rarebit.models._model import Model
from rarebit.models._threshold import Threshold
from rarebit.models._train import labelled_rows, train_model

__all__ = [
    "Model",
    "ModelError",
    "Threshold",
    "labelled_rows",
    "last_classifier",
    "learned_model",
    "load_model",
    "read_manifest",
    "save_model",
    "train_model",
]
