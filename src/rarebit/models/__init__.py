"""Models: features and a classifier, trained on a table, judged, and kept in one file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rarebit._extras import naming_extras
from rarebit.models._methods import METHODS, Method, find_method, method_names

if TYPE_CHECKING:
    from rarebit.classifiers import final_classifier
    from rarebit.models._alarms import doubt_alarms, doubt_few
    from rarebit.models._archive import MissingModelError, ModelError
    from rarebit.models._card import model_card
    from rarebit.models._class_names import ClassNamesWarning
    from rarebit.models._decision_frame import cells_of as cells_of
    from rarebit.models._decision_frame import decision_frame
    from rarebit.models._decisions import Decisions
    from rarebit.models._each import table_of_each as table_of_each
    from rarebit.models._estimate import estimate_sentences as estimate_sentences
    from rarebit.models._explain import Explanation, explain
    from rarebit.models._file import load_model, read_manifest, save_model
    from rarebit.models._leaking import LeakWarning
    from rarebit.models._learned import Learned, learn_classifier, learned_model
    from rarebit.models._measure import Measured, measure_decisions
    from rarebit.models._measure import truth_as_known as truth_as_known
    from rarebit.models._model import Model
    from rarebit.models._rare import REST as REST
    from rarebit.models._rare import choose_rare as choose_rare
    from rarebit.models._reading import ReadingWarning
    from rarebit.models._splits import SplitBy, times_of
    from rarebit.models._splits import doubt_about_times as doubt_about_times
    from rarebit.models._splits import read_times as read_times
    from rarebit.models._threshold import Threshold, operating_points
    from rarebit.models._threshold import n_alarms as n_alarms
    from rarebit.models._threshold import score_of_rank as score_of_rank
    from rarebit.models._train import count_fits as count_fits
    from rarebit.models._train import labelled_rows, train_model
    from rarebit.models._validation import Judged

__all__ = [
    "METHODS",
    "ClassNamesWarning",
    "Decisions",
    "Explanation",
    "Judged",
    "LeakWarning",
    "Learned",
    "Measured",
    "Method",
    "MissingModelError",
    "Model",
    "ModelError",
    "ReadingWarning",
    "SplitBy",
    "Threshold",
    "decision_frame",
    "doubt_alarms",
    "doubt_few",
    "explain",
    "final_classifier",
    "find_method",
    "labelled_rows",
    "learn_classifier",
    "learned_model",
    "load_model",
    "measure_decisions",
    "method_names",
    "model_card",
    "operating_points",
    "read_manifest",
    "save_model",
    "times_of",
    "train_model",
]

# Names are looked up when they are first used: the command line lists the methods in its help and
# must not wait for scikit-learn.
_HOMES = {
    "ClassNamesWarning": "_class_names",
    "Decisions": "_decisions",
    "Explanation": "_explain",
    "Judged": "_validation",
    "LeakWarning": "_leaking",
    "ReadingWarning": "_reading",
    "Learned": "_learned",
    "Measured": "_measure",
    "MissingModelError": "_archive",
    "Model": "_model",
    "ModelError": "_archive",
    "REST": "_rare",
    "SplitBy": "_splits",
    "Threshold": "_threshold",
    "cells_of": "_decision_frame",
    "choose_rare": "_rare",
    "count_fits": "_train",
    "decision_frame": "_decision_frame",
    "doubt_about_times": "_splits",
    "doubt_alarms": "_alarms",
    "doubt_few": "_alarms",
    "estimate_sentences": "_estimate",
    "explain": "_explain",
    "labelled_rows": "_train",
    "learn_classifier": "_learned",
    "learned_model": "_learned",
    "load_model": "_file",
    "measure_decisions": "_measure",
    "model_card": "_card",
    "n_alarms": "_threshold",
    "operating_points": "_threshold",
    "read_manifest": "_file",
    "read_times": "_splits",
    "save_model": "_file",
    "score_of_rank": "_threshold",
    "table_of_each": "_each",
    "times_of": "_splits",
    "train_model": "_train",
    "truth_as_known": "_measure",
}


def __getattr__(name: str) -> Any:
    if name == "final_classifier":
        from rarebit.classifiers import final_classifier

        return final_classifier
    if name not in _HOMES:
        raise AttributeError(f"module 'rarebit.models' has no attribute {name!r}")
    with naming_extras("Models need"):
        value = getattr(import_module(f"rarebit.models.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
