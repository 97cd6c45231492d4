"""Labelling projects: data, features, what asks, and the store that keeps the answers."""

from rarebit.projects._answering import Question
from rarebit.projects._dealing import Dealt
from rarebit.projects._desk import Desk
from rarebit.projects._errors import ProjectError
from rarebit.projects._exporting import (
    labels_of_column,
    labels_of_file,
    run_trial,
    take_labels,
    trial_of,
    write_labels,
    write_model,
    write_ranked,
    write_report,
)
from rarebit.projects._findings import ClassProgress, describe_rows, short_value
from rarebit.projects._looking import (
    event_json,
    matching_rows,
    row_history,
    rows_of_ids,
    search,
    standing_answers,
)
from rarebit.projects._progress import (
    brief_progress,
    class_settings,
    forecast,
    full_status,
    team_agreement,
)
from rarebit.projects._project import Project
from rarebit.projects._proofs import ClassProof, Proof, percent, proof_line, proof_sentences
from rarebit.projects._searching import SearchProgress, search_progress
from rarebit.projects._sentences import (
    PROMISES_NOTHING,
    counted,
    labelled_line,
    progress_line,
    stop_advice,
)
from rarebit.projects._settings import EXPLORERS, GOALS, STOPS, Settings, SettingsError
from rarebit.projects._status import ProjectStatus
from rarebit.projects._transfer import (
    LabelImportError,
    export_labels,
    label_events,
    read_labels,
)

__all__ = [
    "EXPLORERS",
    "GOALS",
    "PROMISES_NOTHING",
    "STOPS",
    "ClassProgress",
    "ClassProof",
    "Dealt",
    "Desk",
    "LabelImportError",
    "Project",
    "ProjectError",
    "ProjectStatus",
    "Proof",
    "Question",
    "SearchProgress",
    "Settings",
    "SettingsError",
    "brief_progress",
    "class_settings",
    "counted",
    "describe_rows",
    "event_json",
    "export_labels",
    "forecast",
    "full_status",
    "label_events",
    "labelled_line",
    "labels_of_column",
    "labels_of_file",
    "matching_rows",
    "percent",
    "progress_line",
    "proof_line",
    "proof_sentences",
    "read_labels",
    "row_history",
    "rows_of_ids",
    "run_trial",
    "search",
    "search_progress",
    "short_value",
    "standing_answers",
    "stop_advice",
    "take_labels",
    "team_agreement",
    "trial_of",
    "write_labels",
    "write_model",
    "write_ranked",
    "write_report",
]
