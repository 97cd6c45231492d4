"""Settings of a project: plain values, kept as JSON in the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any, Literal, get_args

from rarebit._choices import EXPLORERS, GOALS, RULES, STOPS, WITH_PRIORS
from rarebit.models import method_names
from rarebit.projects._errors import SettingsError
from rarebit.projects._setting_types import tidy_collections

TUNED = "tuned"
HIDDEN = 0.005

FORMAT = 1
Task = Literal["learn", "discover"]
TASKS: tuple[str, ...] = get_args(Task)
KERNELS = ("rbf", "linear", "poly", "sigmoid")
_READING = {
    "aside", "id", "text", "drop", "categorical", "columns", "delimiter", "duplicates", "encoding",
    "embed", "header", "image_features", "image_size", "max_unpacked", "sheet",
}  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """What decides how a project asks, learns and judges.

    Parameters
    ----------
    task : {"learn", "discover"}, default="learn"
        Whether a classifier is wanted, or only the classes there are.
    oracle : str or None, default=None
        Column of the data that holds the answers; None if people answer.
    target : str or None, default=None
        Column of the data with the classes that are known already; its empty cells are asked for.
        Its labels count as given. Cannot be combined with `oracle`.
    known : mapping of str to str, default={}
        Id to class of rows that are known already; they count as given.
    classes : sequence of str, default=()
        Classes that are expected, in the order of their keys.
    max_labels : int or None, default=None
        Number of labels at which asking ends.
    explorer : {"scout", "malice", "alice", "random"}, default="scout"
        Search for classes; malice and alice need `priors`.
    priors : sequence of float, default=()
        Shares of the rare classes, for malice and alice; a single one is an upper bound.
    stop : {"auto", "support", "margin", "never"} or "recall=SHARE", default="auto"
        Rule that says when there are enough labels. None of the four promises a recall;
        ``"recall=0.9"`` is ``"auto"`` with the setting ``recall=0.9``, which proves one.
    hidden : float, default=0.005
        Largest share of the rows that undiscovered rare rows may have when the rule ``"auto"``
        stops; a smaller one takes more labels.
    goal : {"both", "learn", "find"}, default="both"
        Whether a classifier is wanted, the rare rows themselves, or both; see `rarebit.Hunt`.
    recall : float or None, default=None
        Share of the rare rows that is to be found and proved to be; None proves nothing.
    confidence : float, default=0.95
        Probability that what is proved is right.
    like : str, default=""
        Words that describe what is sought, for texts: rows that share them are asked first,
        until a rare row and another one are known.
    repeats : float, default=0.0
        Share of the answers that is asked a second time without saying so, to see how often
        labels are wrong.
    holdout : float or None, default=None
        Share of the rows of each class that is never asked and measures the classifier; needs
        `oracle`.
    group, time : str or None, default=None
        Column by which rows are held out: those of one group together, or the latest. It must be
        among the columns read or set ``aside``.
    rare, normal : sequence of str, default=()
        The classes that the model is to find and whose recall is proved, or those that it is not;
        at most one of the two. Without them ``goal="find"`` seeks the class of the rows known
        beforehand, where they have one; otherwise every class is rare but the one that most rows
        seem to have.
    method : {"auto", "blend", "border", "bagged"}, default="auto"
        Final classifier, as `rarebit.models.final_classifier` names them.
    kernel : {"rbf", "linear", "poly", "sigmoid"} or None, default=None
        Kernel of the border learner; None for linear on texts and rbf on everything else.
    C : float or "tuned", default=1.0
        Cost of an error in the SVM that asks; ``"tuned"`` chooses it again whenever the labels
        have grown by half. The final classifier tunes its own.
    gamma : float, "tuned" or None, default=None
        Kernel coefficient; None for ``"scale"``.
    rule : {"first", "majority", "owner"}, default="first"
        Which label counts where annotators disagree.
    owner : str or None, default=None
        Annotator whose answer decides under the rule ``"owner"``.
    guidelines : str, default=""
        What annotators should know, shown beside the question.
    colours, keys : mapping of str to str, default={}
        Colour (``"#c2410c"``) and key of classes on the page.
    overlap : float, default=0.0
        Share of the questions that two annotators answer without knowing of each other, from which
        their agreement is measured; at most 0.5.
    opinion : bool, default=False
        Whether annotators see what the model expects before they answer, which biases them.
    imported : sequence of str, default=()
        Columns of the data whose labels were imported: they are not features.
    missing : {"mean", "indicate"}, default="mean"
        What a missing number becomes: the mean, with ``"indicate"`` also a feature that says so.
    seed : int, default=0
        Seed of every random choice.
    reading : mapping, default={}
        Options of `rarebit.tables.read_table`: ``aside``, ``id``, ``text``, ``drop``,
        ``categorical``, ``columns``, ``delimiter``, ``duplicates``, ``embed``, ``encoding``,
        ``header``, ``image_features``, ``image_size``, ``max_unpacked``, ``sheet``.

    Examples
    --------
    >>> from rarebit.projects import Settings
    >>> settings = Settings(classes=("ok", "fraud"), seed=3)
    >>> Settings.from_json(settings.to_json()) == settings
    True
    """

    task: str = "learn"
    oracle: str | None = None
    target: str | None = None
    known: Mapping[str, str] = field(default_factory=dict)
    classes: tuple[str, ...] = ()
    max_labels: int | None = None
    explorer: str = "scout"
    priors: tuple[float, ...] = ()
    stop: str = "auto"
    hidden: float = HIDDEN
    goal: str = "both"
    recall: float | None = None
    confidence: float = 0.95
    like: str = ""
    repeats: float = 0.0
    holdout: float | None = None
    group: str | None = None
    time: str | None = None
    rare: tuple[str, ...] = ()
    normal: tuple[str, ...] = ()
    method: str = "auto"
    kernel: str | None = None
    C: float | str = 1.0
    gamma: float | str | None = None
    rule: str = "first"
    owner: str | None = None
    guidelines: str = ""
    colours: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    overlap: float = 0.0
    opinion: bool = False
    imported: tuple[str, ...] = ()
    missing: str = "mean"
    seed: int = 0
    reading: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        tidy_collections(self)
        self._read_stop()
        for name, allowed in (
            ("task", TASKS),
            ("goal", GOALS),
            ("explorer", EXPLORERS),
            ("stop", STOPS),
            ("rule", RULES),
            ("method", method_names(learns=True)),
            ("missing", ("mean", "indicate")),
        ):
            if getattr(self, name) not in allowed:
                raise SettingsError(
                    f"The setting {name!r} must be one of {', '.join(allowed)}, got "
                    f"{getattr(self, name)!r}: give one of these."
                )
        if self.kernel is not None and self.kernel not in KERNELS:
            raise SettingsError(
                f"The setting 'kernel' must be one of {', '.join(KERNELS)} or None, got "
                f"{self.kernel!r}: give one of these."
            )
        self._check_numbers()
        if self.explorer in WITH_PRIORS and not self.priors:
            raise SettingsError(
                f"The explorer {self.explorer!r} needs the share of a rare class or an upper "
                "bound of it, such as 0.01, and got none: give 'priors', or use the explorer "
                "'scout', which needs none."
            )
        if self.explorer not in WITH_PRIORS and self.priors:
            raise SettingsError(
                f"'priors' are for the explorers {' and '.join(WITH_PRIORS)}, and "
                f"{self.explorer!r} was given: leave out 'priors', or choose one of these."
            )
        if self.holdout is not None and self.oracle is None:
            raise SettingsError(
                "'holdout' needs 'oracle', the column that knows the classes of the rows held "
                "out: give it, or leave out 'holdout'."
            )
        if self.oracle is not None and self.target is not None:
            raise SettingsError(
                "'oracle' and 'target' cannot be combined: a column either answers every question "
                "or holds the labels that are known already; give one of them."
            )
        if self.group is not None and self.time is not None:
            raise SettingsError("'group' and 'time' cannot be combined: give one of them.")
        if (self.group or self.time) is not None and self.holdout is None:
            raise SettingsError(
                "'group' and 'time' say which rows are held out: give 'holdout', too, or leave "
                "them out."
            )
        if self.rare and self.normal:
            raise SettingsError("'rare' and 'normal' cannot be combined: give one of them.")
        if self.rule == "owner" and not self.owner:
            raise SettingsError(
                "The rule 'owner' needs the name of the annotator who decides: give 'owner'."
            )
        unknown = set(self.reading) - _READING
        if "target" in unknown:
            raise SettingsError(
                "'target' is a setting of its own, not an option of reading: give it beside "
                "'reading'."
            )
        if unknown:
            raise SettingsError(
                f"Options of reading are {', '.join(sorted(_READING))}, got "
                f"{', '.join(sorted(map(str, unknown)))}: leave these out."
            )

    def _read_stop(self) -> None:
        """Take a recall out of the setting ``stop``."""
        name, equals, share = str(self.stop).partition("=")
        if name != "recall" or not equals:
            return
        try:
            recall = float(share)
        except ValueError:
            recall = -1.0  # refused below, with what is allowed
        object.__setattr__(self, "recall", recall)
        object.__setattr__(self, "stop", "auto")

    def _check_numbers(self) -> None:
        limit: Any = self.max_labels
        if limit is not None and not (_is_whole(limit) and limit >= 1):
            raise SettingsError(
                f"'max_labels' must be a whole number from 1 or None, got {self.max_labels!r}: "
                "give the number of labels at which asking ends."
            )
        if not (_is_whole(self.seed) and self.seed >= 0):
            raise SettingsError(f"'seed' must be a whole number from 0, got {self.seed!r}.")
        overlap: Any = self.overlap
        if not (isinstance(overlap, int | float) and 0.0 <= overlap <= 0.5):
            raise SettingsError(
                f"'overlap' must lie between 0 and 0.5, got {overlap!r}: give a share such as 0.1."
            )
        shares: list[tuple[str, Any]] = [
            ("hidden", self.hidden),
            ("holdout", self.holdout),
            ("recall", self.recall),
            ("confidence", self.confidence),
            ("repeats", self.repeats or None),
        ]
        shares += [("priors", share) for share in self.priors]
        for name, share in shares:
            if share is not None and not (isinstance(share, int | float) and 0.0 < share < 1.0):
                raise SettingsError(
                    f"{name!r} must lie between 0 and 1, got {share!r}: give a share such as 0.2."
                )
        numbers: list[tuple[str, Any]] = [("C", self.C), ("gamma", self.gamma)]
        for name, number in numbers:
            if number in (None, TUNED):
                continue
            if not (isinstance(number, int | float) and 0.0 < number < float("inf")):
                raise SettingsError(
                    f"{name!r} must be a positive number or 'tuned', got {number!r}."
                )

    def question_key(self, *, sparse: bool) -> str:
        """Return what decides which rows are asked; equal keys ask the same questions.

        Parameters
        ----------
        sparse : bool
            Whether the features are sparse, which decides on the kernel where none is set.

        Returns
        -------
        str
            Stored with every question.
        """
        parts = [self.task, self.explorer, *map(str, self.priors), f"seed {self.seed}"]
        if self.task == "learn":
            parts += [f"stop {self.stop}"]
            parts += [f"hidden {self.hidden:g}"] if self.hidden != HIDDEN else []
            parts += self._aim()
            parts += [f"holdout {self.holdout:g}"] if self.holdout is not None else []
            parts += [f"by {self.group or self.time}"] if self.group or self.time else []
            gamma = "scale" if self.gamma is None else self.gamma
            kernel = self.kernel or ("linear" if sparse else "rbf")
            C = self.C if isinstance(self.C, str) else f"{self.C:g}"
            parts += [f"{kernel} C {C} gamma {gamma}"]
        parts += ["missing indicate"] if self.missing == "indicate" else []
        parts += [f"without {name!r}" for name in self.imported]
        return " ".join(parts)

    def _aim(self) -> list[str]:
        """What decides between the ways of asking; nothing for what earlier versions did."""
        parts = [] if self.goal == "learn" else [f"goal {self.goal}"]
        if self.recall is not None:
            parts += [f"recall {self.recall:g} confidence {self.confidence:g}"]
        parts += [f"rare {name!r}" for name in self.rare]
        parts += [f"normal {name!r}" for name in self.normal]
        return [*parts, f"like {self.like!r}"] if self.like else parts

    def with_changes(self, **changes: Any) -> Settings:
        """Return the settings with some of them changed, and checked again."""
        return replace(self, **changes)

    def to_json(self) -> dict[str, Any]:
        """Return the settings as values that JSON has, with the version of their format.

        Returns
        -------
        dict
            Names to values.
        """
        values = asdict(self)
        for name in ("classes", "priors", "rare", "normal", "imported"):
            values[name] = list(values[name])
        values["colours"], values["keys"] = dict(self.colours), dict(self.keys)
        values["known"] = {str(name): str(label) for name, label in self.known.items()}
        values["reading"] = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.reading.items()
        }
        return {"format": FORMAT, **values}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Settings:
        """Return the settings that `to_json` wrote.

        Parameters
        ----------
        values : mapping
            Names to values; missing ones have their defaults.

        Returns
        -------
        Settings
            Checked.
        """
        given = dict(values)
        written = given.pop("format", FORMAT)
        if not isinstance(written, int) or written > FORMAT:
            raise SettingsError(
                f"The settings have format {written!r}, and this version of rarebit knows formats "
                f"up to {FORMAT}: use the version that wrote them."
            )
        known = {each.name for each in fields(cls)}
        unknown = sorted(set(map(str, given)) - known)
        if unknown:
            raise SettingsError(
                f"There are no settings named {', '.join(unknown)}: {_meant(unknown[0], known)}"
            )
        try:
            return cls(**given)
        except TypeError as error:
            raise SettingsError(
                f"A setting has a value of another type than it may have ({error}): give it one "
                "that the documentation of Settings names."
            ) from error


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def as_settings(given: Settings | Mapping[str, Any] | None) -> Settings:
    """Return settings from any of the forms that callers may give."""
    if given is None:
        return Settings()
    if not isinstance(given, Settings | Mapping):
        raise SettingsError(
            f"Settings must be Settings or a mapping of names to values, got "
            f"{type(given).__name__}: give one of these, such as {{'max_labels': 100}}."
        )
    return given if isinstance(given, Settings) else Settings.from_json(given)


def _meant(name: str, known: set[str]) -> str:
    """Say what a name that is no setting was probably meant to be."""
    if name in _READING:
        return f"how rows are read is said by 'reading', such as {{'reading': {{{name!r}: …}}}}."
    if name == "random_state":
        return "its name here is 'seed'."
    near = get_close_matches(name, sorted(known), n=1)
    return f"did you mean {near[0]!r}?" if near else f"the names are {', '.join(sorted(known))}."
