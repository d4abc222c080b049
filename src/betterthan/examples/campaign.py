"""An evaluation campaign of our own making: eight systems, people, metrics, battles and word tags.

Everything is computed from a seed, and the same seed gives the same bytes everywhere. The systems, texts and
scores are invented; what they show is not. Aster is clearly best and Hazel clearly worst. Birch and Cedar
cannot be told apart by people, though metrics that count overlaps punish Birch for its paraphrases. Daphne,
built on Elm, wins against it more often than not, by little, but breaks off in the middle of long segments,
so that Elm has the higher mean. Fern is good at health texts only. Segments of one document are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

import numpy as np

from betterthan.examples.draws import FloatArray, rounded
from betterthan.examples.judging import Battle, battles, human_scores, learned_metric, quality
from betterthan.examples.mistakes import Rendering
from betterthan.examples.overlap import character_f, length_ratio, word_edit_rate
from betterthan.examples.sentences import compose_segments, natural
from betterthan.examples.systems import CAST, translate
from betterthan.examples.tagging import TAGGERS, Lines, gold_tags, predicted_tags

TAGGED_SYSTEM = "Ginkgo"
METRIC_DIGITS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Tags:
    """Word tags of one system's output, all a line a segment and a tag a token.

    Attributes
    ----------
    system : str
        Whose output was tagged.
    tokens : tuple of tuple of str
        The output, tokenised.
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
        Scores given by people, whole numbers from 0 to 100.
    metrics : mapping of str to array, m × n
        Metric to its scores.
    lower_is_better : frozenset of str
        The metrics that count what is wrong.
    battles : tuple of Battle
        Votes between two systems.
    tags : Tags
        Word tags of one system's output.
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
        8 systems, 300 segments in 30 documents of 4 domains, 4 metrics, 2000 battles, 4 taggers. Arrays are
        read-only.

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
