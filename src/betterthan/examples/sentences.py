"""Thirty documents of plausible sentences, and the same in the invented source language.

Words are sentence patterns for four domains and synonyms. A system spoils a reference by wrong words, wrong forms,
omissions, additions, swaps, and cut ends.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from string import Formatter

import numpy as np

from betterthan.examples.draws import FloatArray, pick, stream

MAIN_CLAUSES = {
    "news": (
        "the {official} of {place} {decided} a {quality} {plan}",
        "{place} {decided} the {quality} {plan} on {day}",
        "the {official} met {number} {group} in {place}",
        "{number} {group} marched against the {quality} {plan}",
        "the {plan} may cost {place} {number} million crowns",
        "the {group} of {place} {decided} the {plan}",
    ),
    "chat": (
        "hello , I still wait for my {item}",
        "my {item} {failed} after {number} {period}",
        "please send me a new {item} on {day}",
        "the {item} from your shop is {feeling}",
        "thank you , the {item} arrived on {day}",
        "I paid {number} crowns for this {feeling} {item}",
    ),
    "health": (
        "take {number} {dose} of this {medicine} every {daytime}",
        "the patient felt {degree} {pain} in the {body}",
        "do not mix this {medicine} with {food}",
        "the {doctor} examined the {body} of the patient",
        "this {medicine} may cause {degree} {pain}",
        "the {doctor} stopped the {medicine} after {number} {period}",
    ),
    "manual": (
        "press the {look} {part} to start the {machine}",
        "clean the {part} with a {look} cloth",
        "remove the {part} before you move the {machine}",
        "do not open the {part} while the {machine} is on",
        "the {machine} needs {number} {period} to cool",
        "keep the {machine} away from {food}",
    ),
}

SIDE_CLAUSES = {
    "news": (
        "after {number} {period} of {quality} talks",
        "despite a warning from the {official}",
        "because the {group} had asked for help",
        "while {number} {group} waited outside",
        "and promised a {quality} answer by {day}",
        "according to a report by the {official}",
    ),
    "chat": (
        "and nobody answered my last message",
        "because the box was open",
        "so I want my money back",
        "and my {relative} is not happy",
        "but your shop never called me",
        "and the number on it is {number}",
    ),
    "health": (
        "if the {pain} lasts {number} {period}",
        "before you eat or drink {food}",
        "and call the {doctor} in that case",
        "because the {body} had not healed",
        "unless the {doctor} says otherwise",
        "when the test showed no change",
    ),
    "manual": (
        "until the {look} light goes out",
        "and wait {number} {period} before the next step",
        "so that the {part} does not break",
        "or the {machine} will stop at once",
        "as the picture on page {number} shows",
        "and turn the {part} to the left",
    ),
}

# A document keeps to one choice of these, as a text that is about something does.
TOPIC_SLOTS = ("place", "plan", "item", "medicine", "body", "machine")

SLOTS = {
    "official": ("minister", "mayor", "governor", "judge", "speaker"),
    "place": ("Varos", "Lunden", "Ostrel", "Peltria", "Carvale", "Dorwick"),
    "decided": ("announced", "rejected", "defended", "approved", "delayed"),
    "quality": ("new", "costly", "secret", "bold", "modest", "sudden"),
    "plan": ("budget", "reform", "treaty", "law", "bridge", "census"),
    "group": ("farmers", "nurses", "students", "workers", "drivers", "teachers"),
    "day": ("Monday", "Tuesday", "Thursday", "Friday", "Sunday"),
    "number": ("2", "3", "4", "5", "6", "8", "12", "15", "20", "30", "40", "60"),
    "period": ("hours", "days", "weeks", "months"),
    "item": ("lamp", "kettle", "jacket", "phone", "tent", "clock"),
    "failed": ("broke", "stopped", "leaked", "vanished"),
    "feeling": ("broken", "wonderful", "useless", "lovely", "dirty"),
    "relative": ("mother", "brother", "daughter", "uncle"),
    "dose": ("drops", "spoons", "tablets", "grams"),
    "medicine": ("syrup", "powder", "ointment", "vaccine", "tonic"),
    "daytime": ("morning", "evening", "night", "meal"),
    "degree": ("mild", "severe", "sudden", "constant"),
    "pain": ("fever", "cough", "itching", "dizziness", "swelling"),
    "body": ("knee", "throat", "shoulder", "stomach", "eye"),
    "food": ("milk", "alcohol", "salt", "water", "oil"),
    "doctor": ("doctor", "nurse", "surgeon", "midwife"),
    "look": ("red", "green", "yellow", "soft", "small"),
    "part": ("lever", "filter", "cover", "button", "valve"),
    "machine": ("pump", "printer", "mower", "oven", "drill"),
}

SYNONYMS = {
    "minister": "secretary", "speaker": "spokesman", "announced": "unveiled", "rejected": "refused",
    "defended": "supported", "approved": "accepted", "delayed": "postponed", "new": "recent",
    "costly": "pricey", "secret": "hidden", "bold": "daring", "modest": "limited", "sudden": "rapid",
    "treaty": "agreement", "law": "act", "farmers": "growers", "students": "pupils", "workers": "employees",
    "may": "could", "marched": "demonstrated", "after": "following", "talks": "negotiations",
    "despite": "notwithstanding", "warning": "caution", "because": "since", "asked": "begged",
    "help": "assistance", "while": "whilst", "answer": "reply", "report": "study", "broke": "snapped",
    "broken": "damaged", "wonderful": "marvellous", "useless": "worthless", "lovely": "charming",
    "jacket": "coat", "send": "post", "shop": "store", "message": "note", "box": "parcel", "money": "cash",
    "happy": "pleased", "called": "phoned", "want": "need", "tablets": "pills", "evening": "dusk",
    "severe": "serious", "mild": "slight", "constant": "permanent", "dizziness": "vertigo",
    "stomach": "belly", "doctor": "physician", "examined": "inspected", "cause": "provoke", "mix": "combine",
    "lasts": "continues", "call": "phone", "change": "difference", "press": "push", "start": "launch",
    "remove": "detach", "keep": "hold", "picture": "drawing", "turn": "rotate", "stop": "halt",
    "break": "crack", "cover": "lid", "cloth": "rag", "needs": "requires",
    "every": "each", "stopped": "halted",
}  # fmt: skip

STRAY_WORDS = ("of", "with", "their", "very", "then", "under", "also", "which", "more", "yet")

CLASS_OF = {word: words for words in SLOTS.values() for word in words}

_ONSETS = ("l", "m", "n", "r", "s", "t", "v", "d", "br", "st", "y", "h", "gl", "j", "tr", "z")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "eo", "a")


def invented(word: str) -> str:
    """Translate an English word into the invented source language; numbers and punctuation stay.

    Examples
    --------
    >>> invented("minister"), invented("12"), invented("minister") == invented("minister")
    ('robrasu', '12', True)
    """
    if not word.isalpha():
        return word
    digest = hashlib.sha256(word.lower().encode()).digest()
    n_syllables = 1 if len(word) <= 3 else 2 if len(word) <= 6 else 3
    syllables = (_ONSETS[digest[2 * k] % 16] + _VOWELS[digest[2 * k + 1] % 8] for k in range(n_syllables))
    name = "".join(syllables)
    return name.capitalize() if word[0].isupper() and word != "I" else name


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
