"""How a system spoils a reference: wrong words, wrong forms, omissions, additions, swaps, and cut ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from betterthan.examples.draws import FloatArray, pick
from betterthan.examples.sentences import PUNCTUATION
from betterthan.examples.vocabulary import CLASS_OF, STRAY_WORDS, SYNONYMS

LOST_WORD = 3.0
CRUCIAL_WORDS = frozenset({"not", "no", "never", "nobody", "unless"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """A system's output: its tokens, which of them are wrong, and how grave all of it is to a reader."""

    tokens: tuple[str, ...]
    bad: tuple[bool, ...]
    severity: float


@dataclass(frozen=True, slots=True)
class _Piece:
    tokens: tuple[str, ...]
    bad: tuple[bool, ...]
    severity: float
    n_used: int = 1


def render(reference: tuple[str, ...], draws: FloatArray, *, rate: float, paraphrase: float) -> Rendering:
    """Render a reference with mistakes.

    Parameters
    ----------
    reference : tuple of str
        Tokens.
    draws : array, tokens × 4
        Uniform numbers: whether a token is touched, what happens to it, which word is taken, and how much
        readers mind.
    rate, paraphrase : float
        Probability that a token is spoilt, and that it is replaced by a synonym, which is no mistake.

    Examples
    --------
    >>> import numpy as np
    >>> draws = np.array([[touch, 0.5, 0.0, 0.5] for touch in (0.9, 0.0, 0.25, 0.9)])
    >>> render(("the", "minister", "announced", "."), draws, rate=0.2, paraphrase=0.1)
    Rendering(tokens=('the', 'mayor', 'unveiled', '.'), bad=(False, True, False, False), severity=3.0)
    """
    pieces: list[_Piece] = []
    severity = 0.0
    position = 0
    while position < len(reference):
        touch, kind, choice, mind = (float(draw) for draw in draws[position])
        word = reference[position]
        piece = _Piece((word,), bad=(False,), severity=0.0)
        if word not in PUNCTUATION and touch < rate:
            piece = _spoilt(reference, position, kind, choice)
        elif touch < rate + paraphrase:
            piece = _Piece((SYNONYMS.get(word, word),), bad=(False,), severity=0.0)
        pieces.append(piece)
        severity += (0.4 + 1.2 * mind) * piece.severity
        position += piece.n_used
    tokens = tuple(token for piece in pieces for token in piece.tokens)
    return Rendering(
        tokens=tokens, bad=tuple(flag for piece in pieces for flag in piece.bad), severity=severity
    )


def cut(rendering: Rendering, n_kept: int) -> Rendering:
    """Break a rendering off after some tokens, as a system with a short memory does.

    Examples
    --------
    >>> cut(Rendering(tokens=("keep", "it", "dry", "."), bad=(False,) * 4, severity=0.0), 2)
    Rendering(tokens=('keep', 'it', '.'), bad=(False, False, False), severity=3.0)
    """
    n_lost = len(rendering.tokens) - 1 - n_kept
    if n_lost <= 0:
        return rendering
    return Rendering(
        tokens=(*rendering.tokens[:n_kept], "."),
        bad=(*rendering.bad[:n_kept], False),
        severity=rendering.severity + LOST_WORD * n_lost,
    )


def _weight(word: str) -> float:
    """How much a word matters: numbers and negations most, words of grammar least."""
    return 5.0 if word.isdigit() or word in CRUCIAL_WORDS else 3.0 if word in CLASS_OF else 0.8


def _spoilt(reference: tuple[str, ...], position: int, kind: float, choice: float) -> _Piece:
    spoil = next(function for limit, function in _KINDS if kind < limit)
    return spoil(reference, position, choice)


def _wrong_form(reference: tuple[str, ...], position: int, choice: float) -> _Piece:
    word = reference[position]
    if word not in CLASS_OF or not word.islower() or len(word) <= 3:
        return _wrong_word(reference, position, choice)
    form = word[:-1] if word.endswith("s") else word[:-2] + "ing" if word.endswith("ed") else word + "s"
    return _Piece((form,), bad=(True,), severity=0.8)


def _wrong_word(reference: tuple[str, ...], position: int, choice: float) -> _Piece:
    word = reference[position]
    others = [other for other in CLASS_OF.get(word, STRAY_WORDS) if other != word]
    return _Piece((pick(others, choice),), bad=(True,), severity=_weight(word))


def _omission(reference: tuple[str, ...], position: int, _choice: float) -> _Piece:
    return _Piece((), bad=(), severity=_weight(reference[position]))


def _addition(reference: tuple[str, ...], position: int, choice: float) -> _Piece:
    stray = pick((*STRAY_WORDS, reference[position]), choice)
    return _Piece((stray, reference[position]), bad=(True, False), severity=0.8)


def _swap(reference: tuple[str, ...], position: int, choice: float) -> _Piece:
    if reference[position + 1] in PUNCTUATION:
        return _wrong_form(reference, position, choice)
    return _Piece((reference[position + 1], reference[position]), bad=(True, True), severity=1.0, n_used=2)


_KINDS: tuple[tuple[float, Callable[[tuple[str, ...], int, float], _Piece]], ...] = (
    (0.40, _wrong_form),
    (0.70, _wrong_word),
    (0.82, _omission),
    (0.90, _addition),
    (1.00, _swap),
)
