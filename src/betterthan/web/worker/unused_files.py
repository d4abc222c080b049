"""Files of a run that its question does not use, so that no one believes they counted."""

from __future__ import annotations

from collections.abc import Sequence

from betterthan.web.runs.run import StoredFile

_USED = {
    "scores": ("data", "gold"),
    "battles": ("data", "gold"),
    "meta": ("data", "gold", "human"),
    "texts": ("data", "gold", "reference", "source"),
    "tags": ("data", "gold", "words"),
}
_PARTS = {
    "human": "human scores",
    "reference": "a reference text",
    "source": "a source text",
    "words": "words that were tagged",
}
_ABOUT = {"scores": "scores", "battles": "battles", "meta": "metrics", "texts": "texts", "tags": "tags"}


def unused(question: str, parts: Sequence[str], kinds: Sequence[str]) -> list[int]:
    """Return the positions of the files that a question does not use, those left out on purpose excepted.

    Parameters
    ----------
    question : str
        As it is answered; of one that is not known nothing is said.
    parts, kinds : sequence of str
        What each file is in the run, and what it looks like.

    Examples
    --------
    >>> unused("texts", ["human", "data", "reference"], ["scores", "texts", "texts"])
    [0]
    >>> unused("meta", ["human", "data", "nothing"], ["scores", "scores", "texts"])
    []
    """
    if question not in _USED:
        return []
    used = set(_USED[question])
    data = [kind for part, kind in zip(parts, kinds, strict=True) if part == "data"]
    if question == "scores" and "texts" in data[1:]:  # texts beside scores are shown with their references
        used |= {"reference", "source"}
    first = {part: parts.index(part) for part in ("source", "words") if part in parts}  # one of each is read
    return [
        at
        for at, part in enumerate(parts)
        if part != "nothing" and (part not in used or first.get(part, at) != at)
    ]


def unused_note(file: StoredFile, question: str, part: str) -> str:
    """Return the sentence that says that a file is not used, and what to do if it should be."""
    what = _PARTS.get(part, part)
    more = f"more than one file is {what}" if part in _USED[question] else f"it is {what}"
    return (
        f"{file.name} is not used: {more}, and this report is about {_ABOUT[question]}. "
        "Choose another question, or say what else the file is."
    )
