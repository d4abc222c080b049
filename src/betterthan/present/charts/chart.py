"""From a result or a table to an Altair chart, whatever its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from betterthan.errors import BetterThanError, TableError, unknown_name
from betterthan.present.charts.diagnosis import diagnosis_chart
from betterthan.present.charts.differences import contributions_chart, differences_chart, margins_chart
from betterthan.present.charts.drawing import Drawing
from betterthan.present.charts.judges import judges_chart
from betterthan.present.charts.metrics import metrics_chart
from betterthan.present.charts.pairs import pairs_chart
from betterthan.present.charts.rankings import aggregation_chart, agreement_chart, ranking_chart, ranks_chart
from betterthan.present.charts.scatter import scatter_chart
from betterthan.present.charts.soft_pairwise import soft_pairwise_chart
from betterthan.present.charts.tags import (
    confusion_chart,
    sentence_quality_chart,
    spans_chart,
    tag_ranking_chart,
)
from betterthan.present.charts.theme import theme_of
from betterthan.results.agreement import Aggregated, Agreement
from betterthan.results.checkup import Diagnosis
from betterthan.results.human import Judges, KeptPairs
from betterthan.results.meta_evaluation import MetaEvaluation
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.ranking import Ranking
from betterthan.results.tags import SentenceQuality, TagRanking
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags


class Kind(NamedTuple):
    """A kind of chart.

    Attributes
    ----------
    draw : callable
    of : type
        What it shows.
    many : {"", "several", "named"}
        Whether several are drawn together: a sequence, or a mapping from names.
    options : tuple of str
        What else it takes.
    """

    draw: Callable[..., Drawing]
    of: type
    many: str = ""
    options: tuple[str, ...] = ()


# The first kind of each type is the one drawn unasked.
KINDS = {
    "ranking": Kind(ranking_chart, Ranking),
    "pairs": Kind(pairs_chart, PairwiseTable),
    "scatter": Kind(scatter_chart, Scores, "several", ("systems",)),
    "differences": Kind(differences_chart, Scores, "", ("systems",)),
    "agreement": Kind(agreement_chart, Agreement),
    "ranks": Kind(ranks_chart, Ranking, "named"),
    "metrics": Kind(metrics_chart, MetaEvaluation),
    "soft_pairwise": Kind(soft_pairwise_chart, MetaEvaluation, "", ("metric",)),
    "contributions": Kind(contributions_chart, MetaEvaluation, "", ("metric",)),
    "margins": Kind(margins_chart, KeptPairs, "named"),
    "aggregation": Kind(aggregation_chart, Aggregated, "several"),
    "confusion": Kind(confusion_chart, WordTags),
    "spans": Kind(spans_chart, WordTags, "", ("segments", "words")),
    "tags": Kind(tag_ranking_chart, TagRanking),
    "quality": Kind(sentence_quality_chart, SentenceQuality),
    "judges": Kind(judges_chart, Judges),
    "diagnosis": Kind(diagnosis_chart, Diagnosis),
}


def chart(
    subject: object,
    kind: str | None = None,
    *,
    systems: Sequence[str] | None = None,
    metric: str | None = None,
    segments: Sequence[str] | None = None,
    words: Sequence[Sequence[str]] | None = None,
    theme: str = "light",
    title: str | None = None,
) -> Drawing:
    """Draw a result or a table; needs ``pip install 'betterthan[charts]'``.

    What comes back is an Altair chart: it shows itself in a notebook, can be restyled, and
    :func:`betterthan.save_chart` writes it to a file.

    Parameters
    ----------
    subject : Result or table, or several
    kind : str, optional
        By default the first that fits:

        ==================  ==================================  ====================================================
        kind                subject                             shows
        ==================  ==================================  ====================================================
        ``ranking``         Ranking                             strengths with intervals, and spread of ranks
        ``pairs``           PairwiseTable                       P(row beats column), with significant differences
        ``scatter``         Scores, or several                  two systems against each other: the graphical criterion
        ``differences``     Scores                              histogram of paired differences
        ``agreement``       Agreement                           how far rankings agree, two at a time
        ``ranks``           mapping of name to Ranking          ranks side by side
        ``metrics``         MetaEvaluation                      which metrics differ significantly, with clusters
        ``soft_pairwise``   MetaEvaluation                      people, a metric, and their agreement, pair by pair
        ``contributions``   MetaEvaluation                      how sure people and a metric are of each pair
        ``margins``         KeptPairs, or a mapping of names    pairs of judgements that each margin keeps
        ``aggregation``     Aggregated, or several              three ways of aggregating against each other
        ``confusion``       WordTags                            which BAD and OK words were found
        ``spans``           WordTags                            tags of single segments, word by word
        ``tags``            TagRanking                          scores by every measure, beside what knows nothing
        ``quality``         SentenceQuality                     correlations and errors, beside a constant's
        ``judges``          Judges                              bias, correlation and variance ratio of each judge
        ``diagnosis``       Diagnosis                           outliers, spread of ranks and agreement by system
        ==================  ==================================  ====================================================
    systems : sequence of str, optional
        Two systems, for "scatter" (the first on the vertical axis) and "differences".
    metric : str, optional
        For "soft_pairwise" and "contributions"; by default the best.
    segments : sequence of str, optional
        For "spans"; by default the three that divide the systems most.
    words : sequence of sequences of str, optional
        For "spans": the words of all segments.
    theme : {"light", "dark"}, default "light"
    title : str, optional
        Instead of the chart's own; "" for neither title nor words, when a caption says it.

    Returns
    -------
    altair.Chart
        Or another of Altair's kinds, such as ``LayerChart``.

    Raises
    ------
    MissingExtra
        When Altair is not installed.
    TableError
        When no chart of this kind shows this subject.

    Notes
    -----
    What is embedded in a chart is bounded: more than 1000 different points become a density, and of more than 100
    systems the best are shown; the words below the title say so.

    Examples
    --------
    >>> import betterthan as bt
    >>> from betterthan.present.charts.chart import chart
    >>> scores = bt.read_scores({"A": [1.0, 3.0, 2.5], "B": [2.0, 1.0, 0.5]})
    >>> chart(scores, "differences", systems=("A", "B")).to_dict()["title"]["text"]
    'A against B: paired differences'
    """
    found = _kind(subject, kind)
    given = {"systems": systems, "metric": metric, "segments": segments, "words": words}
    options = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if name not in KINDS[found].options:
            fits = [other for other, each in KINDS.items() if name in each.options]
            raise BetterThanError(
                f'A chart of kind "{found}" takes no {name}; it is for {" and ".join(fits)}.'
            )
    return KINDS[found].draw(subject, theme_of(theme), title=title, **options)


def _kind(subject: object, wanted: str | None) -> str:
    if wanted is not None and wanted not in KINDS:
        raise unknown_name("kind of chart", wanted, KINDS)
    fits = [name for name, kind in KINDS.items() if _shows(kind, subject)]
    if not fits:
        raise TableError(f"No chart is known for {_called(subject)}. Known: {', '.join(_subjects())}.")
    if wanted is not None and wanted not in fits:
        raise TableError(
            f'A chart of kind "{wanted}" shows {_needed(KINDS[wanted])}, not {_called(subject)}. '
            f"For this there {'is' if len(fits) == 1 else 'are'}: {', '.join(fits)}."
        )
    return wanted or fits[0]


def _shows(kind: Kind, subject: object) -> bool:
    if isinstance(subject, kind.of):
        return kind.draw is not ranks_chart
    several: Sequence[object] = ()
    if kind.many == "named" and isinstance(subject, Mapping):
        several = list(subject.values())
    elif kind.many == "several" and isinstance(subject, Sequence) and not isinstance(subject, str):
        several = subject
    return bool(several) and all(isinstance(one, kind.of) for one in several)


def _needed(kind: Kind) -> str:
    many = {"": "", "several": ", or several", "named": ", or a mapping from names"}[kind.many]
    return f"{kind.of.__name__}{many}" if kind.draw is not ranks_chart else "a mapping of names to rankings"


def _called(subject: object) -> str:
    return type(subject).__name__


def _subjects() -> list[str]:
    return sorted({kind.of.__name__ for kind in KINDS.values()})
