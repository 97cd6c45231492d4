"""Current answers as a view of the history: nothing here is stored, everything is derived."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from rarebit._choices import RULES, RuleName
from rarebit.projects.stores._errors import StoreError
from rarebit.projects.stores._event import Event

Rule = RuleName


class Answers:
    """Answers that stand after a history of events.

    Attributes
    ----------
    events : list of Event
        The history, in its order.
    settings : dict
        Current settings; empty before there are any.
    version : int
        Their version.
    rows : dict or None
        Header of the data after the last time they grew; None if they never did.
    repeats : dict of int to Event
        Row to its blind second answer; the first one where there are several.
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.by_key: dict[str, Event] = {}
        self.settings: dict[str, Any] = {}
        self.version = 0
        self.rows: dict[str, Any] | None = None
        self.repeats: dict[int, Event] = {}
        # By number: where questions were chosen ahead, a history is not learned in its order.
        self._given: dict[int, Event] = {}
        self._second: dict[str, list[Event]] = {}  # annotator → standing second answers
        self._standing: dict[str, list[Event]] = {}  # annotator → answers, the last at the end
        self._of_row: dict[int, dict[str, list[Event]]] = {}  # row → annotator → answers

    def take(self, event: Event) -> None:
        """Continue the history by one event."""
        self.events.append(event)
        if event.key is not None:
            self.by_key.setdefault(event.key, event)
        if event.is_answer or event.what == "repeat":
            self._given[event.number] = event
        if event.is_answer and _names_a_class(event):
            assert event.row is not None
            self._standing.setdefault(event.annotator, []).append(event)
            self._of_row.setdefault(event.row, {}).setdefault(event.annotator, []).append(event)
        elif event.what == "repeat" and event.row is not None:
            self._second.setdefault(event.annotator, []).append(event)
            self.repeats.setdefault(event.row, event)
        elif event.what == "undo":
            self._take_back(event)
        elif event.what == "settings":
            self.settings, self.version = dict(event.data or {}), event.settings
        elif event.what == "rows":
            self.rows = event.data

    def taken_back(self, undo: Event) -> Event | None:
        """Return the answer that an undo takes back; None if it takes back none."""
        return None if undo.of is None else self._given.get(undo.of)

    def _take_back(self, undo: Event) -> None:
        taken = self.taken_back(undo)
        if taken is None:
            return
        if taken.what == "repeat":
            if taken.row is not None and _remove(self._second.get(taken.annotator, []), taken):
                left = [event for events in self._second.values() for event in events]
                left = [event for event in left if event.row == taken.row]
                self.repeats.pop(taken.row, None)
                if left:
                    self.repeats[taken.row] = min(left, key=_number)
            return
        standing = self._standing.get(taken.annotator, [])
        if taken.row is None or not _remove(standing, taken):
            return
        people = self._of_row[taken.row]
        _remove(people[taken.annotator], taken)
        if not people[taken.annotator]:
            del people[taken.annotator]
        if not people:
            del self._of_row[taken.row]

    def last(self, annotator: str) -> Event | None:
        """Return the last standing answer of an annotator, a blind second one included."""
        kinds = (self._standing.get(annotator), self._second.get(annotator))
        return max((events[-1] for events in kinds if events), key=_number, default=None)

    def of_row(self, row: int) -> dict[str, Event]:
        """Return the standing answer of each annotator to one row, the first annotator first."""
        people = self._of_row.get(row, {})
        ordered = sorted(people.items(), key=lambda item: item[1][0].number)
        return {annotator: answers[-1] for annotator, answers in ordered}

    def by_annotator(self) -> dict[str, dict[int, Event]]:
        """Return annotator → row → standing answer, rows in the order answered."""
        found: dict[str, dict[int, Event]] = {}
        for annotator, standing in self._standing.items():
            if standing:
                found[annotator] = {}
                for event in standing:
                    assert event.row is not None
                    found[annotator][event.row] = event
        return found

    def resolve(self, rule: str, owner: str | None) -> tuple[dict[int, Any], list[int]]:
        """Return the labels that count, row → label, and the rows skipped, under a rule."""
        if rule not in RULES:
            raise StoreError(
                f"The rule must be one of {', '.join(RULES)}, got {rule!r}: give one of these."
            )
        if rule == "owner" and owner is None:
            raise StoreError(
                "The rule 'owner' needs the name of the owner, got none: give owner=NAME."
            )
        labels: dict[int, Any] = {}
        skipped: list[int] = []
        for row in self._in_order():
            answers = self.of_row(row)
            given = {who: event for who, event in answers.items() if event.what != "skip"}
            if not given:
                skipped.append(row)
                continue
            decided, label = _decide(given, rule, owner)
            if decided:
                labels[row] = label
        return labels, skipped

    def label_of(self, row: int, rule: str, owner: str | None, *, default: Any = None) -> Any:
        """Return the label of one row that counts, or the default if there is none."""
        answers = self.of_row(row)
        given = {who: event for who, event in answers.items() if event.what != "skip"}
        if not given:
            return default
        decided, label = _decide(given, rule, owner)
        return label if decided else default

    def labelled_by(self, annotator: str) -> int:
        """Return the number of rows that one annotator labelled; a corrected row counts once."""
        standing = self._standing.get(annotator, ())
        return len({event.row for event in standing if event.what != "skip"})

    def counts(self) -> dict[str, int]:
        """Return annotator → number of rows that they labelled."""
        return {
            annotator: sum(event.what != "skip" for event in rows.values())
            for annotator, rows in self.by_annotator().items()
        }

    def disagreements(self) -> dict[int, dict[str, Any]]:
        """Return the rows with different labels of several annotators, with the label of each."""
        found = {}
        for row in self._in_order():
            given = {
                who: event.label
                for who, event in self.of_row(row).items()
                if event.what != "skip"
            }  # fmt: skip
            if len({json.dumps(label) for label in given.values()}) > 1:
                found[row] = given
        return found

    def _in_order(self) -> list[int]:
        """Return the rows with standing answers, in the order of their first one."""
        first = {
            row: min(answers[0].number for answers in people.values())
            for row, people in self._of_row.items()
        }
        return sorted(first, key=first.__getitem__)


def _number(event: Event) -> int:
    return event.number


def _remove(events: list[Event], event: Event) -> bool:
    """Remove an event from a list, at whose end it usually is; False if it is not there."""
    for i in reversed(range(len(events))):
        if events[i].number == event.number:
            del events[i]
            return True
    return False


def _names_a_class(event: Event) -> bool:
    """Whether an answer can be learned; early journals may hold labels such as NaN."""
    label = event.label
    return event.what == "skip" or (isinstance(label, str | int | float) and label == label)


def _decide(given: dict[str, Event], rule: str, owner: str | None) -> tuple[bool, Any]:
    """Return whether labels of several annotators are decided, and the label that counts."""
    of_owner = given.get(owner) if owner is not None else None
    # An owner who corrects a row has settled it, whatever the rule.
    if of_owner is not None and (rule == "owner" or of_owner.what == "correction"):
        return True, of_owner.label
    labels = [event.label for event in given.values()]
    if rule == "first":
        return True, labels[0]
    counts = Counter(json.dumps(label) for label in labels)
    if rule == "owner":
        return len(counts) == 1, labels[0]
    # Counter keeps the order of insertion: a tie goes to the label that was given first.
    return True, json.loads(counts.most_common(1)[0][0])
