"""Word tags: which words of one system's output are wrong, and what four taggers believe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from betterthan.examples.draws import stream
from betterthan.examples.mistakes import Rendering

Lines = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tagger:
    """How often a tagger says BAD: of a word that is wrong, and of a word that is right."""

    name: str
    finds: float
    false_alarms: float


TAGGERS = (
    Tagger(name="Finch", finds=0.75, false_alarms=0.05),
    Tagger(name="Heron", finds=0.85, false_alarms=0.20),
    Tagger(name="Lark", finds=0.35, false_alarms=0.02),
    Tagger(name="Wren", finds=0.20, false_alarms=0.20),
)


def gold_tags(renderings: Sequence[Rendering]) -> Lines:
    """OK or BAD for every token, a line a segment.

    Examples
    --------
    >>> gold_tags([Rendering(tokens=("no", "way"), bad=(False, True), severity=3.0)])
    (('OK', 'BAD'),)
    """
    return tuple(_line(rendering.bad) for rendering in renderings)


def predicted_tags(tagger: Tagger, renderings: Sequence[Rendering], seed: int) -> Lines:
    """What a tagger believes, token by token, a line a segment.

    Examples
    --------
    >>> perfect = Tagger(name="Perfect", finds=1.0, false_alarms=0.0)
    >>> predicted_tags(perfect, [Rendering(tokens=("no", "way"), bad=(False, True), severity=3.0)], 1)
    (('OK', 'BAD'),)
    """
    rng = stream(seed, f"tags of {tagger.name}")
    return tuple(_guess(tagger, rendering, rng) for rendering in renderings)


def _guess(tagger: Tagger, rendering: Rendering, rng: np.random.Generator) -> tuple[str, ...]:
    draws = rng.random(len(rendering.tokens))
    return _line(
        [
            bool(draw < (tagger.finds if bad else tagger.false_alarms))
            for bad, draw in zip(rendering.bad, draws, strict=True)
        ]
    )


def _line(flags: Sequence[bool]) -> tuple[str, ...]:
    return tuple("BAD" if flag else "OK" for flag in flags)
