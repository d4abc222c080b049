"""Figure 1 of the paper on relative rankings: how much does a threshold for ties throw away?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from betterthan.analysis.human.identical_outputs import kept_pairs
from betterthan.analysis.wording import amount, counted
from betterthan.arrays import FloatArray, digest
from betterthan.errors import BetterThanError, some_of
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.human_panels import HUMAN, panels_of
from betterthan.studies.reporting import UNKNOWN, Claim, Mark, figure, printed_table
from betterthan.studies.request import StudyRequest, with_data
from betterthan.studies.setups import Setup, read_setups
from betterthan.tables.ratings import Ratings
from betterthan.tables.scores import Scores

THRESHOLDS = (0, 1, 5, 10, 15, 20, 25, 30, 40, 50)
_LOW, _USUAL, _HIGH = (THRESHOLDS.index(threshold) for threshold in (1, 25, 50))
DIRECTIONS = ("to English", "from English", "other")
_PRINTED_RATIOS = printed_table("relative_ranking", "section_2_3")
JudgmentTable = Scores | Ratings
JudgmentData = JudgmentTable | Mapping[str, JudgmentTable] | str | Path | Sequence[str | Path]


class _RetainedPairs(NamedTuple):
    """One data set: pairs judged on the same segment, and how many of them each threshold keeps."""

    dataset: str
    direction: str
    n_pairs: int
    kept: FloatArray


def read(data: JudgmentData) -> dict[str, JudgmentTable]:
    """Return human scores by data set, with their gaps: unjudged outputs form no pair.

    A file with a column for the data set (``lp``, …) is cut by it. Where there are several tables of a data set and one
    is called "human", "people", "mqm", "da" or "raw", that one is taken.

    Examples
    --------
    >>> scores = Scores(name="DA", systems=["A", "B"], segments=["1"], values=[[70], [40]])
    >>> list(read({"de-en": scores})), list(read(scores))
    (['de-en'], ['DA'])
    """
    if isinstance(data, Scores | Ratings):
        return {data.name: data}
    if isinstance(data, Mapping):
        wrong = [str(name) for name, one in data.items() if not isinstance(one, Scores | Ratings)]
        if wrong or not data:
            raise BetterThanError(
                f"This study takes human scores by data set; {some_of(wrong) or 'the mapping'} holds none. Pass a "
                "mapping of names to Scores or Ratings."
            )
        return {str(name): one for name, one in data.items()}
    return _by_dataset(read_setups(data, keep_gaps=True))


def _by_dataset(setups: Sequence[Setup]) -> dict[str, JudgmentTable]:
    """Call scores after their data set; of several tables of one, those that people are known to have made count.

    A file of direct assessments often has the raw scores beside standardized ones and numbers of judgments.
    """
    judgments: dict[str, JudgmentTable] = {}
    for dataset, some in groupby(setups, key=lambda setup: setup.dataset):
        tables = list(some)
        people = [setup for setup in tables if setup.metric.lower() in (*HUMAN, "raw")] or tables
        for setup in people:
            name = dataset if len({one.metric for one in people}) == 1 else f"{dataset} {setup.metric}"
            judgments[name if name not in judgments else f"{name} ({len(judgments) + 1})"] = setup.scores
    return judgments


def run(request: StudyRequest, judged: Mapping[str, JudgmentTable] | None = None) -> Study:
    """Count the pairs of systems that each threshold keeps, on every data set, and average by direction."""
    used: tuple[tuple[str, JudgmentTable], ...]
    if judged is None:
        panels = panels_of(request.setups_or_demo())
        used, notes = tuple((panel.dataset, panel.human) for panel in panels.each), panels.notes
        setups = panels.used
    else:
        used, notes, setups = tuple(judged.items()), (), ()
    retained = [_counted(name, one) for name, one in used]
    answer = request.answer(
        tables=[_figure_table(retained), _ratios(retained), _by_data(retained)],
        claims=_claims(retained),
        charts=[_chart(retained)],
        sentences=_sentences(retained),
        differences=_DIFFERENCES,
        notes=notes,
        used=setups,
        draws=False,
    )
    if judged is None:
        return answer
    return with_data(
        answer,
        notes=(note for _, one in used for note in one.notes),
        data=digest(*((name, one.digest) for name, one in used)),
    )


_DIFFERENCES = (
    (
        "Pairs whose difference is less than the threshold are ties, so a difference of exactly the threshold is kept. "
        "The paper gives numbers in words only; the curve itself is a picture."
    ),
)


def _counted(name: str, judgements: JudgmentTable) -> _RetainedPairs:
    pairs = kept_pairs(judgements, THRESHOLDS)
    # Of no pairs the share is undefined, but the number that is kept is known: none.
    n_kept = np.round(pairs.share * pairs.n_pairs) if pairs.n_pairs else np.zeros(len(THRESHOLDS))
    return _RetainedPairs(name, direction(name), pairs.n_pairs, n_kept)


def direction(name: str) -> str:
    """Return which way a language pair goes, by its name.

    Examples
    --------
    >>> direction("de-en"), direction("wmt20 en-de"), direction("en-en"), direction("chat")
    ('to English', 'from English', 'other', 'other')
    """
    for word in name.lower().replace("_", "-").split():
        parts = word.split("-")
        if len(parts) == 2 and (parts[0] == "en") != (parts[1] == "en"):
            return DIRECTIONS[0] if parts[1] == "en" else DIRECTIONS[1]
    return DIRECTIONS[2]


def _averages(retained: list[_RetainedPairs]) -> dict[str, FloatArray]:
    """Mean number of pairs over the data sets of each direction, and over all."""
    groups = {name: [one.kept for one in retained if one.direction == name] for name in DIRECTIONS}
    means = {name: np.mean(some, axis=0) for name, some in groups.items() if some}
    return means if len(means) == 1 else {**means, "all": np.mean([one.kept for one in retained], axis=0)}


def _figure_table(retained: list[_RetainedPairs]) -> StudyTable:
    means = _averages(retained)
    rows: list[tuple[StudyCell, ...]] = [
        (threshold, *(float(mean[i]) for mean in means.values()), *(_shares(means, i)))
        for i, threshold in enumerate(THRESHOLDS)
    ]
    return StudyTable(
        name="figure-1",
        title="Pairs of systems on a segment that each threshold keeps, averaged over data sets",
        columns=("threshold", *means, *(f"{name}, share" for name in means)),
        rows=tuple(rows),
        notes=(
            "Shares are of what a threshold of 0 keeps: all pairs with different scores of the same segment.",
        ),
    )


def _shares(means: Mapping[str, FloatArray], i: int) -> list[float]:
    return [float(mean[i] / mean[0]) if mean[0] > 0 else float("nan") for mean in means.values()]


def _claims(retained: list[_RetainedPairs]) -> list[Claim]:
    mean = np.mean([one.kept for one in retained], axis=0)
    times, half = _ratio(mean[_LOW], mean[_HIGH]), _ratio(mean[_USUAL], mean[_LOW])
    where = "section 2.3, figure 1"
    return [
        Claim(
            "a threshold of 1 keeps five times as many pairs as 50",
            where,
            UNKNOWN if np.isnan(times) else bool(_FIVE[0] <= times <= _FIVE[1]),
            f"{times:.1f} times",
        ),
        Claim(
            "a threshold of 25 almost halves the data",
            where,
            UNKNOWN if np.isnan(half) else bool(_NEARLY_HALF[0] <= half <= _NEARLY_HALF[1]),
            f"{half:.2f} of what 1 keeps",
        ),
    ]


_FIVE, _NEARLY_HALF = (4.0, 6.0), (0.45, 0.6)


def _ratios(retained: list[_RetainedPairs]) -> StudyTable:
    rows: list[tuple[StudyCell, ...]] = []
    for name, mean in _averages(retained).items():
        ratios = (_ratio(mean[_LOW], mean[_HIGH]), _ratio(mean[_USUAL], mean[_LOW]))
        rows += [(name, what, ratio) for what, ratio in zip(_PRINTED_RATIOS.columns, ratios, strict=True)]
    return StudyTable(
        name="ratios",
        title="What section 2.3 says of figure 1",
        columns=("direction", "what", "ratio"),
        rows=tuple(rows),
        printed=tuple((None, None, ratio) for _ in _averages(retained) for ratio in _PRINTED_RATIOS.rows[0]),
    )


def _ratio(a: float, b: float) -> float:
    return float(a / b) if b > 0 else float("nan")


def _by_data(retained: list[_RetainedPairs]) -> StudyTable:
    rows: list[tuple[StudyCell, ...]] = [
        (one.dataset, one.direction, one.n_pairs, *(int(n) for n in one.kept.tolist())) for one in retained
    ]
    return StudyTable(
        name="by-data",
        title="Pairs kept, data set by data set",
        columns=("data", "direction", "pairs", *(f"at {threshold}" for threshold in THRESHOLDS)),
        rows=tuple(rows),
        is_detail=True,
    )


def _chart(retained: list[_RetainedPairs]) -> StudyChart:
    return figure(
        (
            Mark("", name, threshold, float(mean[i]))
            for name, mean in _averages(retained).items()
            for i, threshold in enumerate(THRESHOLDS)
        ),
        name="figure-1",
        title="Figure 1: the larger the threshold, the fewer pairs are left",
        x="threshold for ties",
        y="pairs kept, mean over data sets",
    )


def _sentences(retained: list[_RetainedPairs]) -> tuple[str, ...]:
    mean = np.mean([one.kept for one in retained], axis=0)
    if not mean[0] > 0:
        return ("No two systems were judged on the same segment, so there is nothing to keep.",)
    ratio = f"{amount(mean[_LOW] / mean[_HIGH], 1)} times what 50 keeps" if mean[_HIGH] else "all there is"
    return (
        (
            f"On {counted(len(retained), 'data set')}, a threshold of 1 keeps {ratio}; the usual 25 keeps "
            f"{mean[_USUAL] / mean[0]:.0%} of all pairs with different scores."
        ),
    )
