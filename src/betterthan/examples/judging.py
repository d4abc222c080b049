"""What readers think of the outputs: quality, human scores, a learned metric, and battles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from betterthan.examples.draws import FloatArray, bell, rounded, stream
from betterthan.examples.mistakes import Rendering
from betterthan.examples.sentences import Segment
from betterthan.examples.systems import document_indices

Winner = Literal["model_a", "model_b", "tie", "both_bad"]

N_BATTLES = 2000
N_JUDGES = 12
INDIFFERENCE = 5.0  # a judge sees no difference below this many points
HOPELESS = 40.0  # two outputs below this are both bad


class Battle(NamedTuple):
    """One vote: a judge saw two systems' outputs for a segment side by side."""

    model_a: str
    model_b: str
    winner: Winner
    judge: str
    segment: str


def quality(renderings: Sequence[Sequence[Rendering]], segments: Sequence[Segment]) -> FloatArray:
    """Quality that a perfect reader would see, 0 to 100: systems × segments.

    One hundred without mistakes; a mistake weighs less in a longer segment.

    Examples
    --------
    >>> segment = Segment(name="s", document="d", domain="news", source="", tokens=("a",) * 10)
    >>> quality([[Rendering(tokens=(), bad=(), severity=6.5)]], [segment]).tolist()
    [[50.0]]
    """
    severity: FloatArray = np.array([[rendering.severity for rendering in row] for row in renderings])
    allowance: FloatArray = np.array([4 + 0.25 * len(segment.tokens) for segment in segments])
    return 100 * allowance / (allowance + severity)


def human_scores(true: FloatArray, segments: Sequence[Segment], seed: int) -> FloatArray:
    """Human scores of the documents: integers from 0 to 100, most often multiples of 5.

    One person reads a document, all systems of it, and is lenient or severe throughout.

    Examples
    --------
    >>> segment = Segment(name="s", document="d", domain="news", source="", tokens=("a",) * 10)
    >>> human_scores(np.array([[50.0], [90.0]]), [segment], 1).tolist()
    [[49.0], [90.0]]
    """
    rng = stream(seed, "human scores")
    documents = document_indices(segments)
    leniency = 5 * bell(rng, (max(documents) + 1,))[documents]
    raw = true + leniency + 4 * bell(rng, true.shape)
    tidy = np.where(rng.random(true.shape) < 0.65, 5 * np.floor(raw / 5 + 0.5), np.floor(raw + 0.5))
    return np.minimum(100.0, np.maximum(0.0, tidy))


def learned_metric(true: FloatArray, seed: int) -> FloatArray:
    """Scores of a metric trained on human scores, 0 to 1: the quality, compressed, with some noise.

    Examples
    --------
    >>> learned_metric(np.array([[50.0, 100.0]]), 1).shape
    (1, 2)
    """
    noisy = 0.35 + 0.006 * true + 0.075 * bell(stream(seed, "learned metric"), true.shape)
    return rounded(np.minimum(1.0, np.maximum(0.0, noisy)), 3)


def battles(
    true: FloatArray, systems: Sequence[str], segments: Sequence[Segment], seed: int
) -> tuple[Battle, ...]:
    """Hold two thousand votes between two systems drawn at random, on a segment drawn at random.

    Examples
    --------
    >>> segment = Segment(name="s", document="d", domain="news", source="", tokens=("a",) * 10)
    >>> votes = battles(np.array([[99.0], [50.0]]), ("Aster", "Hazel"), [segment], 1)
    >>> len(votes), {vote.model_a for vote in votes} == {"Aster", "Hazel"}
    (2000, True)
    """
    rng = stream(seed, "battles")
    m, n = true.shape
    left, other, where, who = (rng.random((4, N_BATTLES)) * [[m], [m - 1], [n], [N_JUDGES]]).astype(np.int64)
    right = (left + 1 + other) % m
    noise = bell(rng, (2, N_BATTLES)) * (3 + 0.5 * who)  # some judges look more closely than others
    seen = np.stack([true[left, where], true[right, where]]) + noise
    return tuple(
        Battle(systems[a], systems[b], _vote(float(x), float(y)), f"J{j + 1:02}", segments[i].name)
        for a, b, x, y, j, i in zip(left, right, *seen, who, where, strict=True)
    )


def _vote(left: float, right: float) -> Winner:
    if max(left, right) < HOPELESS:
        return "both_bad"
    if abs(left - right) < INDIFFERENCE:
        return "tie"
    return "model_a" if left > right else "model_b"
