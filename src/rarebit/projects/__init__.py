"""Labelling projects: data, features, what asks, and the store that keeps the answers."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from rarebit._choices import EXPLORERS, GOALS, STOPS
from rarebit._later import names_later as _names_later
from rarebit._text import counted
from rarebit.projects._advice import StopAdvice, Ways, advise, promises_nothing
from rarebit.projects._alike import tell_near
from rarebit.projects._dealing import Dealt
from rarebit.projects._desk import Desk
from rarebit.projects._errors import LabelsLeftOutWarning, ProjectError, SettingsError
from rarebit.projects._exporting import (
    can_write_rows,
    labels_of_column,
    labels_of_file,
    rows_labelled_so,
    run_trial,
    take_labels,
    trial_of,
    write_labels,
    write_model,
    write_ranked,
    write_report,
    write_rows,
)
from rarebit.projects._findings import ClassProgress, describe_rows, rows_with_text, short_value
from rarebit.projects._given import (
    expected_classes,
    known_classes,
    refuse_by_hand,
    refuse_import,
    refuse_without_labelled,
)
from rarebit.projects._label_formats import LabelImportError, check_export_name
from rarebit.projects._looking import (
    event_json,
    matching_rows,
    row_history,
    rows_of_ids,
    search,
    standing_answers,
)
from rarebit.projects._papers import kept_decisions
from rarebit.projects._preparing import Prepared, RowsElsewhere
from rarebit.projects._progress import (
    brief_progress,
    class_settings,
    forecast,
    full_status,
    rare_settings,
    team_agreement,
    why_no_forecast,
)
from rarebit.projects._proofs import ClassProof, Proof, percent, proof_line, proof_sentences
from rarebit.projects._ranked import check_ranked_name
from rarebit.projects._sentences import (
    heading_line,
    labelled_line,
    left_out,
    may_be_ids,
    progress_line,
    search_line,
)
from rarebit.projects._settings import Settings, as_settings
from rarebit.projects._sources import silent
from rarebit.projects._transfer import (
    export_labels,
    label_events,
    read_labels,
    with_written_ids,
)

if _TYPE_CHECKING:
    from rarebit.projects._answering import Question
    from rarebit.projects._assembly import stop_rule
    from rarebit.projects._called import CalledRare
    from rarebit.projects._conclusion import Conclusion, conclude
    from rarebit.projects._project import Project
    from rarebit.projects._searching import SearchProgress, search_progress
    from rarebit.projects._status import ProjectStatus

# A desk asks its first question without what learns; these names are looked up when they are used.
__getattr__ = _names_later(
    __name__,
    {
        "_answering": ("Question",),
        "_assembly": ("stop_rule",),
        "_called": ("CalledRare",),
        "_conclusion": ("Conclusion", "conclude"),
        "_project": ("Project",),
        "_searching": ("SearchProgress", "search_progress"),
        "_status": ("ProjectStatus",),
    },
)

__all__ = [
    "EXPLORERS",
    "GOALS",
    "STOPS",
    "CalledRare",
    "ClassProgress",
    "ClassProof",
    "Conclusion",
    "Dealt",
    "Desk",
    "LabelImportError",
    "LabelsLeftOutWarning",
    "Prepared",
    "Project",
    "ProjectError",
    "ProjectStatus",
    "Proof",
    "Question",
    "RowsElsewhere",
    "SearchProgress",
    "Settings",
    "SettingsError",
    "StopAdvice",
    "Ways",
    "advise",
    "as_settings",
    "brief_progress",
    "can_write_rows",
    "check_export_name",
    "check_ranked_name",
    "class_settings",
    "conclude",
    "counted",
    "describe_rows",
    "event_json",
    "expected_classes",
    "export_labels",
    "forecast",
    "full_status",
    "heading_line",
    "kept_decisions",
    "known_classes",
    "label_events",
    "labelled_line",
    "labels_of_column",
    "labels_of_file",
    "left_out",
    "matching_rows",
    "may_be_ids",
    "percent",
    "progress_line",
    "promises_nothing",
    "proof_line",
    "proof_sentences",
    "rare_settings",
    "read_labels",
    "refuse_by_hand",
    "refuse_import",
    "refuse_without_labelled",
    "row_history",
    "rows_labelled_so",
    "rows_of_ids",
    "rows_with_text",
    "run_trial",
    "search",
    "search_line",
    "search_progress",
    "short_value",
    "silent",
    "standing_answers",
    "stop_rule",
    "take_labels",
    "team_agreement",
    "tell_near",
    "trial_of",
    "why_no_forecast",
    "with_written_ids",
    "write_labels",
    "write_model",
    "write_ranked",
    "write_report",
    "write_rows",
]
