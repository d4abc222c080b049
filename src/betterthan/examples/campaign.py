"""An evaluation campaign of our own making: eight systems, human judges, three metrics, battles and word tags.

Everything is computed from a seed, and the same seed gives the same bytes everywhere. The systems, texts and
scores are invented; what they show is not. Aster is clearly best and Hazel clearly worst. Birch and Cedar
do not differ significantly by human scores, though overlap metrics penalize Birch for its paraphrases. Daphne,
built on Elm, wins against it more often than not, by little, but breaks off in the middle of long segments,
so that Elm has the higher mean. Fern is good at health texts only. Segments of one document are alike.
Besides, two models answer the same questions with two prompts, in five runs each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from betterthan.examples.draws import FloatArray, bell, rounded, stream
from betterthan.examples.sentences import Rendering, Segment, compose_segments, natural
from betterthan.examples.systems import CAST, document_indices, translate

MODELS = {"Linden": 0.9, "Maple": 0.45}
"""How much each model knows."""
PROMPTS = {"plain": 0.0, "steps": 0.1}
STEPS_SUIT = {"Linden": 0.35, "Maple": 0.0}
"""What thinking in steps adds for this model alone."""
TOPICS = ("arithmetic", "history", "logic", "reading")
N_QUESTIONS, N_RUNS = 120, 5
_HARD, _OWN, _RUN, _CHANCE = 1.0, 0.45, 0.12, 0.8


class ModelAnswer(NamedTuple):
    """One answer of a model to a question: 1 for right and 0 for wrong."""

    item: str
    topic: str
    model: str
    prompt: str
    seed: int
    correct: int


def answers(seed: int) -> tuple[ModelAnswer, ...]:
    """Let every model answer every question with every prompt, in five runs.

    Some questions are hard for everybody, some for one system only, and some runs go a little better than others as a
    whole.

    Examples
    --------
    >>> rows = answers(2024)
    >>> len(rows), rows[0]
    (2400, ModelAnswer(item='q001', topic='arithmetic', model='Linden', prompt='plain', seed=1, correct=1))
    """
    rng = stream(seed, "answers")
    systems = [(model, prompt) for model in MODELS for prompt in PROMPTS]
    m = len(systems)
    easy = -_HARD * bell(rng, (1, N_QUESTIONS, 1)) + _OWN * bell(rng, (m, N_QUESTIONS, 1))
    able = np.array([MODELS[a] + PROMPTS[b] + (STEPS_SUIT[a] if b == "steps" else 0.0) for a, b in systems])
    known = able[:, None, None] + easy + _RUN * bell(rng, (m, 1, N_RUNS))
    right = known + _CHANCE * bell(rng, (m, N_QUESTIONS, N_RUNS)) > 0
    return tuple(
        ModelAnswer(f"q{i + 1:03}", TOPICS[i % len(TOPICS)], *systems[s], r + 1, int(right[s, i, r]))
        for s in range(m)
        for i in range(N_QUESTIONS)
        for r in range(N_RUNS)
    )


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


CHARACTER_ORDERS = range(1, 7)
_RECALL_WEIGHT = 4.0  # beta = 2, squared


def character_f(output: str, reference: str) -> float:
    """Character n-gram F-score of one segment, 0 to 100: chrF2 without smoothing.

    Precision and recall are averaged over the orders 1 to 6 that both texts are long enough for; recall
    counts twice as much. Spaces do not count.

    Examples
    --------
    >>> character_f("The cat sat.", "The cat sat.")
    100.0
    >>> round(character_f("The cat.", "The cat sat."), 2)
    53.5
    """
    precision = recall = 0.0
    n_orders = 0
    for found, wanted in zip(_ngrams(output), _ngrams(reference), strict=True):
        if found and wanted:
            common = (found & wanted).total()
            precision += common / found.total()
            recall += common / wanted.total()
            n_orders += 1
    weighted = _RECALL_WEIGHT * precision + recall
    if not weighted:
        return 0.0
    return 100 * (1 + _RECALL_WEIGHT) * precision * recall / (weighted * n_orders)


def word_edit_rate(output: str, reference: str) -> float:
    """Word edits that turn an output into the reference, per 100 words of the reference; lower is better.

    An insertion, a deletion, a substitution and the swap of two neighbors count one edit each. Capitals do
    not count. TER allows for longer moves too; the systems of the example make none, so that the two differ
    only on a handful of segments where hardly a word is right.

    Examples
    --------
    >>> word_edit_rate("the sat cat there", "The cat sat")
    66.66666666666667
    """
    words, wanted = output.lower().split(), reference.lower().split()
    before: list[int] = []
    above = list(range(len(wanted) + 1))
    for i, word in enumerate(words):
        row = [i + 1]
        for j, target in enumerate(wanted):
            cost = min(above[j] + (word != target), above[j + 1] + 1, row[j] + 1)
            if i and j and word == wanted[j - 1] and words[i - 1] == target:
                cost = min(cost, before[j - 1] + 1)
            row.append(cost)
        before, above = above, row
    return 100 * above[-1] / len(wanted)


def length_ratio(output: str, reference: str) -> float:
    """Characters of the shorter text per character of the longer one, 0 to 1.

    Examples
    --------
    >>> length_ratio("abc", "abcdef"), length_ratio("abcdef", "abc")
    (0.5, 0.5)
    """
    return min(len(output), len(reference)) / max(len(output), len(reference))


@lru_cache(maxsize=16)
def _ngrams(text: str) -> tuple[Counter[str], ...]:
    letters = "".join(text.split())
    return tuple(
        Counter(letters[start : start + order] for start in range(len(letters) - order + 1))
        for order in CHARACTER_ORDERS
    )


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
    """OK or BAD for every token, one line per segment.

    Examples
    --------
    >>> gold_tags([Rendering(tokens=("no", "way"), bad=(False, True), severity=3.0)])
    (('OK', 'BAD'),)
    """
    return tuple(_line(rendering.bad) for rendering in renderings)


def predicted_tags(tagger: Tagger, renderings: Sequence[Rendering], seed: int) -> Lines:
    """What a tagger believes, token by token, one line per segment.

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


TAGGED_SYSTEM = "Ginkgo"
METRIC_DIGITS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Tags:
    """Word tags of one system's output, all one line per segment and a tag a token.

    Attributes
    ----------
    system : str
        Whose output was tagged.
    tokens : tuple of tuple of str
        The output, tokenized.
    gold : tuple of tuple of str
        ``"OK"`` or ``"BAD"``.
    predicted : mapping of str to tuple of tuple of str
        The same as each tagger believes.
    """

    system: str
    tokens: Lines
    gold: Lines
    predicted: Mapping[str, Lines]


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """All that is known after an evaluation campaign of m systems on n segments.

    Attributes
    ----------
    seed : int
        From which all of it was made.
    systems, segments : tuple of str
        Names: m and n of them.
    documents, domains : tuple of str
        Of each segment.
    source, reference : tuple of str
        Of each segment.
    outputs : mapping of str to tuple of str
        System to its text for each segment.
    human : array, m × n
        Human scores, integers from 0 to 100.
    metrics : mapping of str to array, m × n
        Metric to its scores.
    lower_is_better : frozenset of str
        The metrics that count what is wrong.
    battles : tuple of Battle
        Votes between two systems.
    tags : Tags
        Word tags of one system's output.
    answers : tuple of Answer
        Repeated answers of two models.
    """

    seed: int
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    documents: tuple[str, ...]
    domains: tuple[str, ...]
    source: tuple[str, ...]
    reference: tuple[str, ...]
    outputs: Mapping[str, tuple[str, ...]]
    human: FloatArray
    metrics: Mapping[str, FloatArray]
    lower_is_better: frozenset[str]
    battles: tuple[Battle, ...]
    tags: Tags
    answers: tuple[ModelAnswer, ...]


@cache
def campaign(seed: int = 2024) -> Campaign:
    """Hold the example campaign.

    Parameters
    ----------
    seed : int, default 2024
        The same seed gives the same campaign, on every machine and with every NumPy. The habits of the
        systems are the same for all seeds; the figures quoted in the documentation are those of the default.

    Returns
    -------
    Campaign
        8 systems, 300 segments in 30 documents of 4 domains, 4 metrics, 2000 battles, 4 taggers; 2400 answers of two
        models to 120 questions. Arrays are read-only.

    Examples
    --------
    >>> example = campaign()
    >>> example.systems[:4], example.human.shape, sorted(example.metrics)
    (('Aster', 'Birch', 'Cedar', 'Daphne'), (8, 300), ['Learned', 'Length', 'TER', 'chrF'])
    >>> example.reference[0]
    'The governor of Varos announced a sudden law.'
    >>> example.outputs["Ginkgo"][0]
    'The governor of Peltria announced a sudden act.'
    """
    segments = compose_segments(seed)
    renderings = translate(segments, seed)
    systems = tuple(system.name for system in CAST)
    outputs = {s: tuple(natural(r.tokens) for r in row) for s, row in zip(systems, renderings, strict=True)}
    reference = tuple(natural(segment.tokens) for segment in segments)
    true = quality(renderings, segments)
    return Campaign(
        seed=seed,
        systems=systems,
        segments=tuple(segment.name for segment in segments),
        documents=tuple(segment.document for segment in segments),
        domains=tuple(segment.domain for segment in segments),
        source=tuple(segment.source for segment in segments),
        reference=reference,
        outputs=MappingProxyType(outputs),
        human=_read_only(human_scores(true, segments, seed)),
        metrics=MappingProxyType(
            {"Learned": _read_only(learned_metric(true, seed)), **_overlaps(outputs, reference)}
        ),
        lower_is_better=frozenset({"TER"}),
        battles=battles(true, systems, segments, seed),
        tags=_tags(renderings[systems.index(TAGGED_SYSTEM)], seed),
        answers=answers(seed),
    )


def _overlaps(outputs: Mapping[str, Sequence[str]], reference: Sequence[str]) -> dict[str, FloatArray]:
    functions: dict[str, Callable[[str, str], float]] = {
        "chrF": character_f,
        "TER": word_edit_rate,
        "Length": length_ratio,
    }
    return {
        name: _read_only(rounded(_each(function, outputs, reference), METRIC_DIGITS))
        for name, function in functions.items()
    }


def _each(
    function: Callable[[str, str], float], outputs: Mapping[str, Sequence[str]], reference: Sequence[str]
) -> FloatArray:
    columns = zip(*outputs.values(), strict=True)
    by_segment = [[function(text, r) for text in texts] for texts, r in zip(columns, reference, strict=True)]
    return np.array(by_segment).T


def _tags(renderings: Sequence[Rendering], seed: int) -> Tags:
    predicted = {tagger.name: predicted_tags(tagger, renderings, seed) for tagger in TAGGERS}
    return Tags(
        system=TAGGED_SYSTEM,
        tokens=tuple(rendering.tokens for rendering in renderings),
        gold=gold_tags(renderings),
        predicted=MappingProxyType(predicted),
    )


def _read_only(values: FloatArray) -> FloatArray:
    values.flags.writeable = False
    return values
