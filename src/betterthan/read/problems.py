"""The codes of problems with data, each with its meaning and a hint, from ``problems.toml``.

``betterthan check --explain BT101`` shows the text.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple


class ProblemText(NamedTuple):
    """Title, meaning and hint of a problem code, and whether it is an error or a warning."""

    title: str
    meaning: str
    cure: str
    severity: Literal["fault", "doubt"]


PROBLEMS: dict[str, ProblemText]
"""Every code with its explanation, in the order of the codes; read from the file on first use."""


@cache
def explanations() -> dict[str, ProblemText]:
    """Read every code with its explanation.

    Examples
    --------
    >>> explanations()["BT001"].title
    'no such file'
    """
    import tomllib  # noqa: PLC0415  (only problems pay for it)
    from importlib.resources import files  # noqa: PLC0415

    text = files(__package__).joinpath("problems.toml").read_text(encoding="utf-8")
    return {code: ProblemText(**fields) for code, fields in tomllib.loads(text).items()}


def __getattr__(name: str) -> dict[str, ProblemText]:
    if name == "PROBLEMS":
        return explanations()
    raise AttributeError(name)


def is_doubt(code: str) -> bool:
    """Whether a problem is only a warning; a code without its own text is an error."""
    known = explanations().get(code)
    return known is not None and known.severity == "doubt"


def title(code: str) -> str:
    """Return the title of a problem."""
    known = explanations().get(code)
    return "problem" if known is None else known.title
