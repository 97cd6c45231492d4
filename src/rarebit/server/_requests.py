"""Bodies of requests: only the fields named here, each within its limits."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    StrictBool,
    StrictInt,
)

from rarebit._choices import GoalName, RuleName, StopName


def _sound(text: str) -> str:
    """Refuse what no store can hold: halves of characters, and NUL."""
    if "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("must be Unicode text without NUL")
    return text


def _name(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("must be printable text")
    return text


Text = Annotated[str, AfterValidator(_sound)]
Key = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_sound)]
Tab = Annotated[str, Field(max_length=100), AfterValidator(_sound)]
ClassName = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_sound),
                      AfterValidator(_name)]  # fmt: skip
Note = Annotated[str, Field(max_length=5000), AfterValidator(_sound)]
Row = Annotated[StrictInt, Field(ge=0, le=2**31 - 1)]
Rows = Annotated[list[Row], Field(max_length=1000)]
Words = Annotated[str, Field(max_length=1000), AfterValidator(_sound)]
Column = Annotated[str, Field(max_length=500), AfterValidator(_sound)]
FileName = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_sound)]
Base64 = Annotated[str, Field(max_length=90_000_000, pattern=r"^[A-Za-z0-9+/=\s]*$")]
Role = Literal["viewer", "annotator", "owner"]


class Body(BaseModel):
    """A request without any field that is not declared."""

    model_config = ConfigDict(extra="forbid")


class Nothing(Body):
    """An empty object."""


class Login(Body):
    """A name and a password."""

    name: Annotated[str, Field(max_length=200), AfterValidator(_sound)]
    password: Annotated[str, Field(max_length=1000), AfterValidator(_sound)]


class Password(Body):
    """A change of one's own password."""

    old: Annotated[str, Field(max_length=1000), AfterValidator(_sound)]
    new: Annotated[str, Field(max_length=1000), AfterValidator(_sound)]


class Wanting(Body):
    """What every answer says of the page that sends it."""

    key: Key
    tab: Tab = ""
    want: Annotated[StrictInt, Field(ge=0, le=20)] = 0
    have: Rows = []


class Answer(Wanting):
    """A label."""

    row: Row
    label: ClassName
    note: Note = ""


class Skip(Wanting):
    """A row that cannot be labelled."""

    row: Row
    reason: Annotated[str, Field(max_length=500), AfterValidator(_sound)] = ""


class Undo(Wanting):
    """The last answers, taken back."""

    n: Annotated[StrictInt, Field(ge=1, le=100)] = 1


class NoteOn(Body):
    """A note on a row."""

    row: Row
    key: Key
    note: Note


class Heartbeat(Body):
    """A page that is still there."""

    tab: Tab
    rows: Rows = []


class Release(Body):
    """A page that is left."""

    tab: Tab


class Correction(Body):
    """Another label for a row."""

    row: Row
    label: ClassName
    key: Key
    note: Note = ""


class Condition(Body):
    """A condition on one column."""

    column: Column
    op: Literal["=", "!=", "<", "<=", ">", ">=", "contains", "missing", "present"]
    value: StrictBool | StrictInt | FiniteFloat | Words | None = None


class Search(Body):
    """Words and conditions that rows must meet."""

    words: Words = ""
    where: Annotated[list[Condition], Field(max_length=20)] = []
    labelled: Literal["any", "yes", "no"] = "any"
    class_: Annotated[ClassName | None, Field(alias="class")] = None
    sort: Literal["match", "score", "row"] = "match"
    offset: Annotated[StrictInt, Field(ge=0, le=2**31 - 1)] = 0
    limit: Annotated[StrictInt, Field(ge=1, le=200)] = 50


class KnownLabel(Body):
    """A row that is known, by its id."""

    id: StrictInt | FiniteFloat | Words
    label: ClassName


class Known(Body):
    """Rows that are known from the start."""

    labels: Annotated[list[KnownLabel], Field(min_length=1, max_length=10_000)]
    key: Key


class Like(Body):
    """Rows that match words are asked next."""

    words: Annotated[Words, Field(min_length=1)]
    n: Annotated[StrictInt, Field(ge=1, le=200)] = 20
    key: Key


class ClassSetting(Body):
    """A class as people see it."""

    name: ClassName
    colour: Annotated[str | None, Field(pattern=r"^#[0-9a-fA-F]{6}$")] = None
    key: Annotated[
        str | None,
        Field(min_length=1, max_length=1),
    ] = None


class SettingsChange(Body):
    """Settings that the owner changes; those that are left out stay."""

    version: Annotated[StrictInt, Field(ge=0)]
    guidelines: Annotated[str, Field(max_length=50_000), AfterValidator(_sound)] | None = None
    classes: Annotated[list[ClassSetting], Field(max_length=200)] | None = None
    rare: Annotated[list[ClassName], Field(max_length=200)] | None = None
    normal: Annotated[list[ClassName], Field(max_length=200)] | None = None
    goal: GoalName | None = None
    target: Annotated[FiniteFloat, Field(gt=0, lt=1)] | None = None
    stop: StopName | None = None
    overlap: Annotated[FiniteFloat, Field(ge=0, le=0.5)] | None = None
    rule: RuleName | None = None
    opinion: StrictBool | None = None
    max_labels: Annotated[StrictInt, Field(ge=1, le=2**31 - 1)] | None = None


class Import(Body):
    """Labels of a file or of a column."""

    key: Key
    name: FileName | None = None
    base64: Base64 | None = None
    id: Column | None = None
    label: Column | None = None
    column: Column | None = None
    skip_unknown: bool = False


class MoreRows(Body):
    """A file of further rows."""

    key: Key
    name: FileName
    base64: Base64


class SimulationRequest(Body):
    """A trial against a column that holds the answers."""

    column: Column
    max_labels: Annotated[StrictInt, Field(ge=10, le=5000)] = 200
    key: Key


class Invitation(Body):
    """A link by which one person, or several, make an account."""

    role: Role
    project: Annotated[str, Field(max_length=100)] | None = None
    days: Annotated[FiniteFloat, Field(gt=0, le=90)] = 7.0
    uses: Annotated[StrictInt, Field(ge=1, le=100)] = 1


class RoleChange(Body):
    """What a user may do."""

    role: Role
    project: Annotated[str, Field(max_length=100)] | None = None


def given(body: Body) -> dict[str, Any]:
    """Return the fields that a request has, null ones included."""
    return {name: getattr(body, name) for name in body.model_fields_set}
