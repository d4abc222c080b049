"""Thirty documents of plausible sentences, and the same in the invented source language."""

from __future__ import annotations

from dataclasses import dataclass
from string import Formatter

import numpy as np

from betterthan.examples.draws import pick, stream
from betterthan.examples.vocabulary import MAIN_CLAUSES, SIDE_CLAUSES, SLOTS, TOPIC_SLOTS, invented

DOCUMENTS_PER_DOMAIN = {"news": 10, "chat": 8, "health": 6, "manual": 6}
DOCUMENT_SIZES = (8, 12, 10, 7, 13, 10, 9, 11, 10, 10)
N_SIDE_CLAUSES = {
    "news": (0, 0, 1, 1, 3),
    "chat": (0, 0, 0, 1, 2),
    "health": (0, 0, 1, 1, 3),
    "manual": (0, 0, 0, 1, 2),
}
PUNCTUATION = frozenset(".,")
_ARTICLES = frozenset({"a", "the"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One segment of the test set: where it stands, what it says, and the tokens of its reference."""

    name: str
    document: str
    domain: str
    source: str
    tokens: tuple[str, ...]


def compose_segments(seed: int) -> tuple[Segment, ...]:
    """Write the test set: 300 segments in 30 documents of four domains.

    Examples
    --------
    >>> segments = compose_segments(2024)
    >>> len(segments), segments[0].name, len({segment.document for segment in segments})
    (300, 'news-01:01', 30)
    """
    rng = stream(seed, "sentences")
    segments: list[Segment] = []
    names = [(d, f"{d}-{k + 1:02}") for d, n in DOCUMENTS_PER_DOMAIN.items() for k in range(n)]
    for index, (domain, document) in enumerate(names):
        size = DOCUMENT_SIZES[index % len(DOCUMENT_SIZES)]
        segments += _document(domain, document, size, rng)
    return tuple(segments)


def natural(tokens: tuple[str, ...]) -> str:
    """Write tokens as a sentence: a capital first, punctuation without a space before it.

    Examples
    --------
    >>> natural(("thank", "you", ",", "Varos", "."))
    'Thank you, Varos.'
    """
    text = "".join(token if token in PUNCTUATION else f" {token}" for token in tokens).lstrip()
    return text[:1].upper() + text[1:]


def _document(domain: str, document: str, size: int, rng: np.random.Generator) -> list[Segment]:
    topic = {slot: pick(SLOTS[slot], rng.random()) for slot in TOPIC_SLOTS}
    segments = []
    for number in range(1, size + 1):
        clauses = _clauses(domain, topic, rng)
        segment = Segment(
            name=f"{document}:{number:02}",
            document=document,
            domain=domain,
            source=_source(clauses),
            tokens=(*(token for clause in clauses for token in clause), "."),
        )
        segments.append(segment)
    return segments


def _clauses(domain: str, topic: dict[str, str], rng: np.random.Generator) -> list[list[str]]:
    patterns = [pick(MAIN_CLAUSES[domain], rng.random())]
    unused = list(SIDE_CLAUSES[domain])
    for _ in range(pick(N_SIDE_CLAUSES[domain], rng.random())):
        chosen = pick(unused, rng.random())
        unused.remove(chosen)
        patterns.append(chosen)
    return [_filled(pattern, topic, rng) for pattern in patterns]


def _filled(pattern: str, topic: dict[str, str], rng: np.random.Generator) -> list[str]:
    slots = [slot for _, slot, _, _ in Formatter().parse(pattern) if slot]
    words = {slot: topic[slot] if slot in topic else pick(SLOTS[slot], rng.random()) for slot in slots}
    return pattern.format_map(words).split()


def _source(clauses: list[list[str]]) -> str:
    """Say it in the source language, which has no articles and puts the main clause last."""
    words = [invented(word) for clause in reversed(clauses) for word in clause if word not in _ARTICLES]
    return natural((*words, "."))
