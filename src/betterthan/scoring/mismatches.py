"""Detection of mismatched outputs and references: another language, other lines, one file used twice.

The thresholds separate both cases clearly on the texts of WMT23 (six language pairs, 83 systems). Of the 50 most
frequent words of outputs and reference at least 80% are shared, of outputs and source at most 10%. A segment shares 46%
to 79% of its words with its reference, and 12% to 23% with the reference of its neighbor. No output of WMT23 gains over
more than two lines in a row when it is shifted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, combinations
from typing import NamedTuple

from betterthan.errors import some_of

Lines = tuple[str, ...]
References = tuple[tuple[str | None, ...], ...]
Words = frozenset[str]

MOST_LINES = 5_000
# Scripts without blanks between words are compared by their characters.
_WORD = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]|[^\W\d_]+")
_FREQUENT = 50
_LEAST_WORDS = 300
_SAME_LANGUAGE = 0.3
_IDENTICAL = 0.95
_FEW = 5
_LEAST_LINES = 20
_SHIFTS = (-2, -1, 1, 2)
_STRETCH = 10
_GAIN = 0.15
_FITTING = 1.3
_SAMPLE = 200
_NEAR_CHANCE = 2
# Where any two references share this much (forms, templates, commands), words do not show which belong together.
_ALIKE = 0.5


class Mismatch(NamedTuple):
    """The code of a problem, and a message with a hint."""

    code: str
    message: str


@lru_cache(maxsize=1)  # each metric of a report looks at the same texts
def mismatches(systems: Lines, outputs: tuple[Lines, ...], references: References) -> tuple[Mismatch, ...]:
    """Return evidence that these outputs and references do not match; empty for matching texts.

    Examples
    --------
    >>> lines = ("One line.", "Another line.", "A third one.", "The fourth.", "And the last.")
    >>> mismatches(("A",), (lines,), (lines,))[0].message
    '"A" is identical to the reference on 5 of 5 segments. Was the reference itself given as a system? Leave it out.'
    """
    return tuple(_all(systems, outputs, references))


def _all(systems: Lines, outputs: tuple[Lines, ...], references: References) -> Iterator[Mismatch]:
    names = (
        ["the reference"] if len(references) == 1 else [f"reference {i + 1}" for i in range(len(references))]
    )
    yield from _copies(systems, outputs, references, names)
    split = [_words(lines) for lines in references]
    frequent = [_frequent(words) for words in split]
    of_references = [list(map(frozenset, words)) for words in split]
    foreign: dict[str, list[str]] = {}
    for system, lines in zip(systems, outputs, strict=True):
        words = _words(lines)
        own = _frequent(words)
        strange = [name for name, theirs in zip(names, frequent, strict=True) if _is_foreign(own, theirs)]
        for name in strange:
            foreign.setdefault(name, []).append(system)
        if not strange:
            yield from _misplaced(system, list(map(frozenset, words)), of_references)
    for name, of_systems in foreign.items():
        yield _other_language(name, of_systems, n_systems=len(systems))


def _copies(
    systems: Lines, outputs: tuple[Lines, ...], references: References, names: Sequence[str]
) -> Iterator[Mismatch]:
    n = len(outputs[0])
    if n < _FEW:
        return
    for system, lines in zip(systems, outputs, strict=True):
        for name, reference in zip(names, references, strict=True):
            same = sum(ours == theirs for ours, theirs in zip(lines, reference, strict=True))
            if same >= _IDENTICAL * n:
                yield Mismatch(
                    "BT262",
                    f'"{system}" is identical to {name} on {same:,} of {n:,} segments. '
                    "Was the reference itself given as a system? Leave it out.",
                )
    for (one, ours), (other, theirs) in combinations(zip(systems, outputs, strict=True), 2):
        if ours == theirs:
            yield Mismatch(
                "BT264",
                f'"{one}" and "{other}" have the same output on all {n:,} segments. Was one file passed for both?',
            )


def _other_language(name: str, systems: Sequence[str], *, n_systems: int) -> Mismatch:
    whose = "the outputs" if len(systems) == n_systems else f"the output of {some_of(systems)}"
    cure = (
        f"Is {name} the source, or of another language?"
        if len(systems) == n_systems
        else f"Is {'it' if len(systems) == 1 else 'each of them'} the right file?"
    )
    return Mismatch(
        "BT261", f"{whose[0].upper()}{whose[1:]} and {name} have hardly a frequent word in common. {cure}"
    )


def _words(lines: Sequence[str | None]) -> list[list[str]]:
    return [_WORD.findall(line.casefold()) if line else [] for line in lines[:MOST_LINES]]


def _frequent(lines: Sequence[Sequence[str]]) -> Words | None:
    """Return the most frequent words, or None where there are too few to know a language by."""
    counts = Counter(chain.from_iterable(lines))
    if counts.total() < _LEAST_WORDS or len(counts) < _FREQUENT:
        return None
    return frozenset(word for word, _ in counts.most_common(_FREQUENT))


def _is_foreign(ours: Words | None, theirs: Words | None) -> bool:
    return ours is not None and theirs is not None and len(ours & theirs) < _SAME_LANGUAGE * _FREQUENT


def _misplaced(
    system: str, words: Sequence[Words], references: Sequence[Sequence[Words]]
) -> Iterator[Mismatch]:
    """Yield a stretch of lines that fit the references of their neighbors better, or that none fits at all."""
    n = len(words)
    if n < _LEAST_LINES:
        return
    own = [_shared(words[i], references, i) for i in range(n)]
    far = [_shared(words[i], references, (i + n // 2) % n) for i in range(0, n, 1 + n // _SAMPLE)]
    by_chance = sum(far) / len(far)
    if by_chance > _ALIKE:
        return
    if _lowest_stretch(own) > _NEAR_CHANCE * by_chance + _GAIN / 2:
        return  # nowhere as little in common as lines have that do not belong together
    stretches = {shift: _best_stretch(words, references, own, shift) for shift in _SHIFTS}
    shift, (first, last, gain) = max(stretches.items(), key=lambda each: each[1][2])
    if last - first + 1 >= _STRETCH and gain >= _GAIN * (last - first + 1):
        lines = f"{abs(shift)} line{'' if abs(shift) == 1 else 's'} {'later' if shift > 0 else 'earlier'}"
        yield Mismatch(
            "BT263",
            f'"{system}": segments {first + 1:,} to {last + 1:,} fit the reference {lines} better than their own. '
            "Is a line missing or extra? Compare the files from there on.",
        )
        return
    if sum(own) < _FITTING * by_chance * n:
        yield Mismatch(
            "BT263",
            f'"{system}": the segments have no more words in common with their own reference than with others. '
            "Are they of another test set, or in another order?",
        )


def _lowest_stretch(own: Sequence[float]) -> float:
    """Return the lowest mean of as many lines in a row as a shift must last to be told."""
    total = lowest = sum(own[:_STRETCH])
    for gone, come in zip(own, own[_STRETCH:], strict=False):
        total += come - gone
        lowest = min(lowest, total)
    return lowest / _STRETCH


def _best_stretch(
    words: Sequence[Words], references: Sequence[Sequence[Words]], own: Sequence[float], shift: int
) -> tuple[int, int, float]:
    """Return the first and last line, and the gain, of the stretch that gains most when it is shifted."""
    best = (0, -1, 0.0)
    start, total = 0, 0.0
    for i, shared in enumerate(own):
        inside = 0 <= i + shift < len(own)
        total += (_shared(words[i], references, i + shift) if inside else 0.0) - shared
        if total <= 0:
            start, total = i + 1, 0.0
        elif total > best[2]:
            best = (start, i, total)
    return best


def _shared(words: Words, references: Sequence[Sequence[Words]], i: int) -> float:
    """Return the share of words that an output and the reference of segment `i` have in common, of the best one."""
    best = 0.0
    for lines in references:
        size = len(words) + len(lines[i])
        best = max(best, 2 * len(words & lines[i]) / size if size else 0.0)
    return best
