"""The label config of a project: which choices there are, and on what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from rarebit._text import visible
from rarebit.server.label_studio._client import LabelStudioError

_LARGEST = 1 << 20
_LONGEST = 200  # letters of a class
_TEXTS = ("Text", "HyperText", "Paragraphs")


@dataclass(frozen=True)
class Config:
    """Where a project's classes are, and what people see.

    Attributes
    ----------
    name, to_name : str
        Names of the tag ``Choices`` and of what it is about.
    choices : tuple of str
        The classes.
    texts : tuple of str
        Fields of a task that are shown as text.
    images : tuple of str
        Fields that are images.
    """

    name: str
    to_name: str
    choices: tuple[str, ...]
    texts: tuple[str, ...]
    images: tuple[str, ...]

    def label_of(self, result: Any) -> str | None:
        """Return the class that an annotation chooses; None if it chooses none."""
        for item in result if isinstance(result, list) else []:
            if not isinstance(item, dict) or item.get("from_name") != self.name:
                continue
            value = item.get("value")
            chosen = value.get("choices") if isinstance(value, dict) else None
            if isinstance(chosen, list) and chosen:
                label = " + ".join(sorted(str(each) for each in chosen))
                # A class that the config does not name may be anything that a webhook carries.
                return label if label in self.choices else visible(label)[:_LONGEST]
        return None

    def result_of(self, label: str | None) -> list[dict[str, Any]]:
        """Return a class as Label Studio writes it in predictions."""
        if label is None or label not in self.choices:
            return []
        return [
            {
                "from_name": self.name,
                "to_name": self.to_name,
                "type": "choices",
                "value": {"choices": [label]},
            }
        ]


def read_config(text: str) -> Config:
    """Read the label config of a project.

    Parameters
    ----------
    text : str
        XML, as Label Studio has it.

    Returns
    -------
    Config
        Of the first tag ``Choices``.

    Examples
    --------
    >>> from rarebit.server.label_studio import read_config
    >>> config = read_config(
    ...     '<View><Text name="t" value="$review"/><Choices name="c" toName="t">'
    ...     '<Choice value="ok"/><Choice value="fraud"/></Choices></View>'
    ... )
    >>> config.choices, config.texts
    (('ok', 'fraud'), ('review',))
    """
    if len(text) > _LARGEST or "<!DOCTYPE" in text.upper() or "<!ENTITY" in text.upper():
        raise LabelStudioError("The label config of the project is too large or no plain XML.")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise LabelStudioError(
            f"The label config of the project is not XML ({error}): correct it in its settings."
        ) from error
    control = next(iter(root.iter("Choices")), None)
    if control is None:
        raise LabelStudioError(
            "The label config of the project has no tag Choices: rarebit learns one class per "
            "task, so add Choices with the classes."
        )
    choices = tuple(each.get("alias") or each.get("value") or "" for each in control.iter("Choice"))
    texts: list[str] = []
    images: list[str] = []
    for tag in root.iter():
        field = (tag.get("value") or "").partition("$")[2]
        if field and tag.tag in _TEXTS:
            texts.append(field)
        elif field and tag.tag == "Image":
            images.append(field)
    return Config(
        control.get("name") or "",
        control.get("toName") or "",
        tuple(choice for choice in choices if choice),
        tuple(dict.fromkeys(texts)),
        tuple(dict.fromkeys(images)),
    )
