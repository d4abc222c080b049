"""The cast: eight systems, what each is good and bad at, and what they make of the test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from betterthan.examples.draws import FloatArray, bell, stream
from betterthan.examples.sentences import Rendering, Segment, cut, render

LONG_SEGMENT = 17


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """A system's habits.

    Attributes
    ----------
    name : str
        A plant.
    rate : float
        Mistakes per word.
    rate_in : mapping of str to float
        The same for domains where it differs.
    paraphrase : float
        Free but right choices per word that has a synonym.
    forgets : float
        Probability that it breaks off a long segment.
    built_on : str
        A system whose mistakes it shares, but for those it has learnt to avoid.
    """

    name: str
    rate: float
    rate_in: Mapping[str, float] = field(default_factory=dict)
    paraphrase: float = 0.06
    forgets: float = 0.0
    built_on: str = ""


CAST = (
    System(name="Aster", rate=0.07),
    System(name="Birch", rate=0.14, paraphrase=0.40),
    System(name="Cedar", rate=0.14),
    System(name="Daphne", rate=0.10, forgets=0.95, built_on="Elm"),
    System(name="Elm", rate=0.21),
    System(name="Fern", rate=0.37, rate_in={"health": 0.03}),
    System(name="Ginkgo", rate=0.31),
    System(name="Hazel", rate=0.56),
)


def translate(segments: Sequence[Segment], seed: int) -> tuple[tuple[Rendering, ...], ...]:
    """Let every system of the cast translate every segment: systems × segments.

    Some documents are hard for all systems, and each system has documents that suit it: segments of one
    document are correlated, and an interval that takes them for independent is too short.

    Examples
    --------
    >>> from betterthan.examples.sentences import compose_segments
    >>> renderings = translate(compose_segments(2024), 2024)
    >>> len(renderings), len(renderings[0])
    (8, 300)
    """
    difficulty = _difficulty(segments, seed)
    return tuple(_translations(system, segments, difficulty, seed) for system in CAST)


def document_indices(segments: Sequence[Segment]) -> list[int]:
    """Index of each segment's document, in order of appearance.

    Examples
    --------
    >>> from betterthan.examples.sentences import compose_segments
    >>> document_indices(compose_segments(2024))[:9]
    [0, 0, 0, 0, 0, 0, 0, 0, 1]
    """
    order = {name: index for index, name in enumerate(dict.fromkeys(s.document for s in segments))}
    return [order[segment.document] for segment in segments]


def _difficulty(segments: Sequence[Segment], seed: int) -> FloatArray:
    documents = document_indices(segments)
    rng = stream(seed, "difficulty")
    of_document = bell(rng, (max(documents) + 1,))[documents]
    of_segment = bell(rng, (len(segments),))
    return np.maximum(0.25, 1 + 0.35 * of_document + 0.35 * of_segment)


def _translations(
    system: System, segments: Sequence[Segment], difficulty: FloatArray, seed: int
) -> tuple[Rendering, ...]:
    rng = stream(seed, f"translations of {system.built_on or system.name}")
    documents = document_indices(segments)
    fit = np.maximum(0.2, 1 + 0.35 * bell(rng, (max(documents) + 1,)))[documents]
    strains = (float(strain) for strain in difficulty * fit)
    return tuple(_translation(system, s, strain, rng) for s, strain in zip(segments, strains, strict=True))


def _translation(system: System, segment: Segment, strain: float, rng: np.random.Generator) -> Rendering:
    rate = strain * system.rate_in.get(segment.domain, system.rate)
    rendering = render(
        segment.tokens, rng.random((len(segment.tokens), 4)), rate=rate, paraphrase=system.paraphrase
    )
    forgets, share = rng.random(2)
    if len(segment.tokens) < LONG_SEGMENT or forgets >= system.forgets:
        return rendering
    return cut(rendering, int(len(segment.tokens) * (0.25 + 0.2 * share)))
