"""From a result or a table to an Altair chart, whatever its kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from betterthan.errors import BetterThanError, TableError, unknown_name
from betterthan.present.charts.drawing import Drawing
from betterthan.present.charts.theme import theme_of
from betterthan.results.registry import RESULT_KINDS, ResultChart, load
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags

_CHARTS = "betterthan.present.charts"
_OF_TABLES: dict[type, tuple[ResultChart, ...]] = {
    Scores: (
        ResultChart("scatter", f"{_CHARTS}.pairs:scatter_chart", "several", ("systems",)),
        ResultChart("differences", f"{_CHARTS}.pairs:differences_chart", options=("systems",)),
    ),
    WordTags: (
        ResultChart("confusion", f"{_CHARTS}.metrics:confusion_chart"),
        ResultChart("spans", f"{_CHARTS}.metrics:spans_chart", options=("segments", "words")),
    ),
}


class ChartKind(NamedTuple):
    """A kind of chart.

    Attributes
    ----------
    draw : str
        The function that draws it, as ``"module:function"``.
    of : type
        What it shows.
    many : {"", "several", "named", "only_named"}
        Whether several are drawn together: a sequence, or a mapping from names; "only_named" needs a mapping.
    options : tuple of str
        What else it takes.
    """

    draw: str
    of: type
    many: str = ""
    options: tuple[str, ...] = ()


def chart_kinds() -> dict[str, ChartKind]:
    """Return all kinds of charts by name; the first kind of each type is its default.

    Examples
    --------
    >>> [name for name, kind in chart_kinds().items() if kind.of.__name__ == "MetaEvaluation"]
    ['metrics', 'soft_pairwise', 'contributions']
    """
    results = {load(kind.result): kind.charts for kind in RESULT_KINDS.values()}
    return {
        each.name: ChartKind(each.draw, of, each.many, each.options)
        for of, charts in (_OF_TABLES | results).items()
        for each in charts
    }


def chart(
    subject: object,
    kind: str | None = None,
    *,
    systems: Sequence[str] | None = None,
    metric: str | None = None,
    segments: Sequence[str] | None = None,
    words: Sequence[Sequence[str]] | None = None,
    figure: str | None = None,
    theme: str = "light",
    title: str | None = None,
) -> Drawing:
    """Draw a result or a table; needs ``pip install 'betterthan[charts]'``.

    Returns an Altair chart, which can be restyled; :func:`betterthan.save_chart` writes it to a file. In a notebook it
    is shown as SVG, without loading anything from a network.

    Parameters
    ----------
    subject : Result or table, or several
    kind : str, optional
        By default the first that fits:

        ==================  ==================================  ====================================================
        kind                subject                             shows
        ==================  ==================================  ====================================================
        ``ranking``         Ranking                             strengths with intervals, and rank ranges
        ``pairs``           PairwiseTable                       P(row beats column), with significant differences
        ``scatter``         Scores, or several                  two systems against each other: the graphical criterion
        ``differences``     Scores                              histogram of paired differences
        ``agreement``       Agreement                           how far rankings agree, two at a time
        ``ranks``           mapping of name to Ranking          ranks side by side
        ``metrics``         MetaEvaluation                      which metrics differ significantly, with clusters
        ``soft_pairwise``   MetaEvaluation                      humans, a metric, and their agreement, pair by pair
        ``contributions``   MetaEvaluation                      confidence of humans and a metric per system pair
        ``margins``         KeptPairs, or a mapping of names    pairs of judgments that each margin keeps
        ``aggregation``     Aggregated, or several              three aggregation methods against each other
        ``confusion``       WordTags                            which BAD and OK words were recognized
        ``spans``           WordTags                            tags of single segments, word by word
        ``tags``            TagRanking                          scores by every measure, with trivial labelings
        ``quality``         SentenceQuality                     correlations and errors, with those of a constant
        ``judges``          Judges                              bias, correlation and variance ratio of each judge
        ``diagnosis``       Diagnosis                           outliers, rank variation and correlation by system
        ``calibration``     Calibration                         false positives of tests, coverage of intervals
        ``boards``          Boards                              strengths in every category of battles, with intervals
        ``fragility``       Fragility                           the fewest battles that put another system first
        ``tradeoffs``       Tradeoffs                           metrics with intervals, and the Pareto front
        ``gate``            Gate                                differences with their intervals, against the margin
        ``multiverse``      Multiverse                          specification curve: every analysis of a claim
        ``study``           Study                               a figure of the paper, redrawn
        ==================  ==================================  ====================================================
    systems : sequence of str, optional
        Two systems, for "scatter" (the first on the vertical axis) and "differences".
    metric : str, optional
        For "soft_pairwise" and "contributions"; by default the best.
    segments : sequence of str, optional
        For "spans"; by default the three that divide the systems most.
    words : sequence of sequences of str, optional
        For "spans": the words of all segments.
    figure : str, optional
        For "study": the name of a figure; by default the first.
    theme : {"light", "dark"}, default "light"
    title : str, optional
        Title instead of the default; "" for neither title nor text below it, for figures with a caption.

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
    kinds = chart_kinds()
    name = _name_of_kind(subject, kind, kinds)
    values = {"systems": systems, "metric": metric, "segments": segments, "words": words, "figure": figure}
    options = {option: value for option, value in values.items() if value is not None}
    for option in options:
        if option not in kinds[name].options:
            fits = [other for other, each in kinds.items() if option in each.options]
            raise BetterThanError(
                f'A chart of kind "{name}" takes no {option}; it is for {" and ".join(fits)}.'
            )
    return load(kinds[name].draw)(subject, theme_of(theme), title=title, **options)


def _name_of_kind(subject: object, name: str | None, kinds: Mapping[str, ChartKind]) -> str:
    """Return the name of the chart to draw: `name`, if it shows the subject, or the default."""
    if name is not None and name not in kinds:
        raise unknown_name("kind of chart", name, kinds)
    fits = [each for each, kind in kinds.items() if _shows(kind, subject)]
    if not fits:
        known = sorted({kind.of.__name__ for kind in kinds.values()})
        raise TableError(f"No chart is known for {type(subject).__name__}. Known: {', '.join(known)}.")
    if name is not None and name not in fits:
        raise TableError(
            f'A chart of kind "{name}" shows {_needed(kinds[name])}, not {type(subject).__name__}. '
            f"For this there {'is' if len(fits) == 1 else 'are'}: {', '.join(fits)}."
        )
    return name or fits[0]


def _shows(kind: ChartKind, subject: object) -> bool:
    if isinstance(subject, kind.of):
        return kind.many != "only_named"
    several: Sequence[object] = ()
    if kind.many in ("named", "only_named") and isinstance(subject, Mapping):
        several = list(subject.values())
    elif kind.many == "several" and isinstance(subject, Sequence) and not isinstance(subject, str):
        several = subject
    return bool(several) and all(isinstance(one, kind.of) for one in several)


def _needed(kind: ChartKind) -> str:
    if kind.many == "only_named":
        return f"a mapping of names to {kind.of.__name__}"
    many = {"": "", "several": ", or several", "named": ", or a mapping from names"}[kind.many]
    return f"{kind.of.__name__}{many}"
