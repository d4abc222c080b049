"""Detection of mismatched outputs and references: another language, other lines, one file used twice.

The thresholds separate both cases clearly on the texts of WMT23 (six language pairs, 83 systems). Of the 50 most
frequent words of outputs and reference at least 80% are shared, of outputs and source at most 10%. A segment shares 46%
to 79% of its words with its reference, and 12% to 23% with the reference of its neighbor. No output of WMT23 gains over
more than two lines in a row when it is shifted.

Texts with too few words for a list of frequent ones are compared by all their words. In 6,400 excerpts of 30 to 200
words of WMT21 and WMT23 (eight sets, 126 systems, 100,000 outputs) no right reference is doubted. With the source as
reference, several systems are doubted in 65% of excerpts of 30 words, 90% of 60 and 94% of 100; one system in 49%, 69%
and 85%.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, combinations, pairwise
from statistics import median
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
# Small texts: at least so many words, so many different ones and so many per line on both sides; then the share of
# words below which two texts are of different languages, with fewer than _MORE_WORDS and with more; and the same for
# several systems that share so much with each other.
_SMALL_WORDS = 30
_SMALL_DISTINCT = 20
_SMALL_PER_LINE = 4
_MORE_WORDS = 100
_NOTHING_SHARED, _LITTLE_SHARED = 0.05, 0.12
_ALL_LITTLE, _EACH_OTHER, _TIMES = 0.15, 0.3, 3
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


class _Language(NamedTuple):
    """What is known of the language of some lines: all words, and the most frequent ones if there are enough."""

    words: Counter[str]
    n_lines: int
    frequent: Words | None

    @property
    def is_enough(self) -> bool:
        """Whether these are sentences, and so many that two languages can be told from two answers."""
        total = self.words.total()
        return (
            total >= max(_SMALL_WORDS, _SMALL_PER_LINE * self.n_lines) and len(self.words) >= _SMALL_DISTINCT
        )


@lru_cache(maxsize=1)  # each metric of a report looks at the same texts
def mismatches(
    systems: Lines, outputs: tuple[Lines, ...], references: References, sources: Lines | None = None
) -> tuple[Mismatch, ...]:
    """Return evidence that these outputs and references do not match; empty for matching texts.

    Examples
    --------
    >>> lines = ("One line.", "Another line.", "A third one.", "The fourth.", "And the last.")
    >>> mismatches(("A",), (lines,), (lines,))[0].message
    '"A" is identical to the reference on 5 of 5 segments. Was the reference itself given as a system? Leave it out.'
    """
    return tuple(_all(systems, outputs, references, sources))


def _all(
    systems: Lines, outputs: tuple[Lines, ...], references: References, sources: Lines | None
) -> Iterator[Mismatch]:
    names = (
        ["the reference"] if len(references) == 1 else [f"reference {i + 1}" for i in range(len(references))]
    )
    yield from _copies(systems, outputs, references, names)
    if sources is not None:
        yield from _copies_of_source(systems, outputs, references, names, sources)
    split = [_words(lines) for lines in references]
    of_references = [list(map(frozenset, words)) for words in split]
    words = [_words(lines) for lines in outputs]
    strange = _foreign([_language(each) for each in words], [_language(each) for each in split])
    for s, system in enumerate(systems):
        if not any(s in of_systems for of_systems in strange):
            yield from _misplaced(system, list(map(frozenset, words[s])), of_references)
    for name, lines, of_systems in zip(names, references, strange, strict=True):
        is_source = sources is not None and _n_identical(sources, lines, n_words=_SMALL_WORDS)
        if of_systems and not is_source:
            yield _other_language(name, [systems[s] for s in of_systems], n_systems=len(systems))


def _copies(
    systems: Lines, outputs: tuple[Lines, ...], references: References, names: Sequence[str]
) -> Iterator[Mismatch]:
    n = len(outputs[0])
    for system, lines in zip(systems, outputs, strict=True):
        for name, reference in zip(names, references, strict=True):
            if same := _n_identical(lines, reference):
                yield Mismatch(
                    "BT262",
                    f'"{system}" is identical to {name} on {same:,} of {n:,} segments. '
                    "Was the reference itself given as a system? Leave it out.",
                )
    for (one, ours), (other, theirs) in combinations(zip(systems, outputs, strict=True), 2):
        if ours == theirs and _n_identical(ours, theirs):
            yield Mismatch(
                "BT264",
                f'"{one}" and "{other}" have the same output on all {n:,} segments. Was one file passed for both?',
            )


def _copies_of_source(
    systems: Lines, outputs: tuple[Lines, ...], references: References, names: Sequence[str], sources: Lines
) -> Iterator[Mismatch]:
    n = len(sources)
    others = [(name, lines, "a reference") for name, lines in zip(names, references, strict=True)]
    others += [(f'"{name}"', lines, "a system") for name, lines in zip(systems, outputs, strict=True)]
    for name, lines, role in others:
        if same := _n_identical(sources, lines, n_words=_SMALL_WORDS):
            yield Mismatch(
                "BT269",
                f"{name[0].upper()}{name[1:]} is identical to the source on {same:,} of {n:,} segments. "
                f"Was the source itself given as {role}?",
            )


def _n_identical(ours: Lines, theirs: Sequence[str | None], *, n_words: int = _MORE_WORDS) -> int:
    """Return how many lines are the same if nearly all are, and they are too many or too long for chance; or 0."""
    same = [one for one, other in zip(ours, theirs, strict=True) if one == other]
    if len(same) < _IDENTICAL * len(ours):
        return 0
    is_enough = len(ours) >= _FEW or sum(map(len, _words(same))) >= n_words
    return len(same) if is_enough else 0


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


def _language(lines: Sequence[Sequence[str]]) -> _Language:
    counts = Counter(chain.from_iterable(lines))
    is_known = counts.total() >= _LEAST_WORDS and len(counts) >= _FREQUENT
    frequent = frozenset(word for word, _ in counts.most_common(_FREQUENT)) if is_known else None
    return _Language(counts, sum(map(bool, lines)), frequent)


def _foreign(systems: Sequence[_Language], references: Sequence[_Language]) -> list[list[int]]:
    """Return, for each reference, the systems that are of another language."""
    strange = [[s for s, ours in enumerate(systems) if _is_foreign(ours, theirs)] for theirs in references]
    usable = [ours for ours in systems if ours.is_enough]
    if len(usable) < 2:
        return strange
    each_other = median(_share(one.words, other.words) for one, other in pairwise(usable))
    for r, theirs in enumerate(references):
        if theirs.frequent is None and theirs.is_enough and each_other >= _EACH_OTHER:
            shared = median(_share(ours.words, theirs.words) for ours in usable)
            if shared < min(_ALL_LITTLE, each_other / _TIMES):
                strange[r] = list(range(len(systems)))
    return strange


def _is_foreign(ours: _Language, theirs: _Language) -> bool:
    if ours.frequent is not None and theirs.frequent is not None:
        return len(ours.frequent & theirs.frequent) < _SAME_LANGUAGE * _FREQUENT
    if not (ours.is_enough and theirs.is_enough):
        return False
    size = min(ours.words.total(), theirs.words.total())
    return _share(ours.words, theirs.words) < (_NOTHING_SHARED if size < _MORE_WORDS else _LITTLE_SHARED)


def _share(ours: Counter[str], theirs: Counter[str]) -> float:
    """Return the share of all words of two texts that they have in common."""
    return 2 * (ours & theirs).total() / (ours.total() + theirs.total())


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
