"""The human side of a meta-evaluation: strengths of systems, relative rankings, ranks with ties, identical texts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from betterthan.analysis.meta.inputs import JudgedPairs, MetricTables, Panel, tables_of
from betterthan.analysis.rank.rank import rank
from betterthan.arrays import FloatArray
from betterthan.errors import BetterThanError, TableError
from betterthan.messages import COLUMN, Message, Option, joined
from betterthan.results.ranking import Ranking
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import text_codes
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts

RANKS = ("cluster", "fuzzy_rank")
HUMAN_BY = ("mean", "median", "win_rate", "bradley_terry", "elo", "trueskill", *RANKS)
OF_MATCHES = ("bradley_terry", "win_rate", "elo", "trueskill", *RANKS)


def strengths_as_scores(
    human: Scores | Matches,
    by: str,
    metrics: MetricTables,
    **options: Any,  # noqa: ANN401  (what rank takes)
) -> Scores:
    r"""Return one human score per system, on the segments of the metrics.

    Parameters
    ----------
    human : Scores or Matches
    by : str
        An aggregation; or "cluster" or "fuzzy_rank", the ranks with ties of systems that do not differ significantly,
        by the mean of scores and by Bradley–Terry of matches.
    metrics : mapping, sequence or table
        Whose segments are taken.
    **options
        Seed and computing, for :func:`betterthan.rank`.
    """
    known = OF_MATCHES if isinstance(human, Matches) else HUMAN_BY
    if by not in known:
        raise BetterThanError(
            Message(
                "{given} is not available for these human judgments. Use {known}.",
                given=Option("human_by", by),
                known=joined([Option("human_by", name) for name in known], " or "),
            )
        )
    ranked = _ranked(human, by, options)
    value = {"cluster": -ranked.cluster.astype(np.float64), "fuzzy_rank": -_known(ranked.fuzzy_rank)}.get(
        by, ranked.strength
    )
    segments = tables_of(metrics)[0].segments
    name = "human judgments" if isinstance(human, Matches) else human.name
    note = (
        f"Human scores of systems are their {_WORDS[by]}; their own uncertainty is not part of the intervals."
    )
    return Scores(
        name=f"{name} ({by})",
        systems=ranked.systems,
        segments=segments,
        values=np.repeat(value[:, None], len(segments), axis=1),
        higher_is_better=by in RANKS
        or ranked.strength.size < 2
        or isinstance(human, Matches)
        or _rises(human, by),
        notes=(*human.notes, note),
    )


_WORDS = {
    "mean": "means",
    "median": "medians",
    "win_rate": "win rates",
    "bradley_terry": "Bradley–Terry strengths",
    "elo": "Elo ratings",
    "trueskill": "TrueSkill means",
    "cluster": "significance clusters, as ranks with ties",
    "fuzzy_rank": "fuzzy ranks: mean ranks of systems that do not differ significantly",
}


def _rises(human: Scores, by: str) -> bool:
    """Whether a higher strength is better: means and medians keep the direction of the scores."""
    return human.higher_is_better or by not in ("mean", "median")


def _known(values: FloatArray | None) -> FloatArray:
    return np.zeros(0) if values is None else values


def _ranked(human: Scores | Matches, by: str, options: dict[str, Any]) -> Ranking:
    method: Any = by
    if by in RANKS:
        method = "bradley_terry" if isinstance(human, Matches) else "mean"
    more: dict[str, Any] = {} if isinstance(human, Matches) else {"missing": "drop"}
    if method == "bradley_terry":
        more["scale"] = "log"
    return rank(human, by=method, **more, **options)


def points_as_scores(matches: Matches) -> Scores:
    """Return the share of comparisons that each system won on each segment, ties as half a win.

    NaN where it was not compared. It says on which cells metrics are needed; the taus then use the comparisons
    themselves.
    """
    if not matches.segments or matches.segment is None:
        raise TableError(
            Message(
                "The human judgments have no names of segments, so they cannot be joined with the metrics. Name their "
                "column with {item}, or use a measure of systems such as {by}.",
                item=Option("item", COLUMN),
                by=Option("by", "pearson"),
            )
        )
    shape = matches.n_systems, len(matches.segments)
    points, played = np.zeros(shape), np.zeros(shape)
    for system, won in ((matches.left, matches.outcome), (matches.right, 1 - matches.outcome)):
        np.add.at(points, (system, matches.segment), matches.weight * won)
        np.add.at(played, (system, matches.segment), matches.weight)
    with np.errstate(invalid="ignore"):
        values = points / np.where(played > 0, played, np.nan)
    return Scores(
        name="relative ranking",
        systems=matches.systems,
        segments=matches.segments,
        values=values,
        notes=matches.notes,
    )


def with_pairs(panel: Panel, matches: Matches) -> Panel:
    """Return the panel with the comparisons of its systems on its segments."""
    if matches.segment is None:
        raise TableError("These matches have no segments.")
    system = _places(matches.systems, panel.human.systems)
    segment = _places(matches.segments, panel.human.segments)
    left, right, place = system[matches.left], system[matches.right], segment[matches.segment]
    kept = (left >= 0) & (right >= 0) & (place >= 0)
    kept[kept] &= panel.judged[left[kept], place[kept]] & panel.judged[right[kept], place[kept]]
    if not kept.any():
        raise TableError(
            "No human comparison is of two systems and a segment that all metrics have scores for."
        )
    pairs = JudgedPairs(left[kept], right[kept], place[kept], matches.outcome[kept], matches.weight[kept])
    lost = int((~kept).sum())
    said = f"{lost:,} of {kept.size:,} human comparisons left out, because a metric has no score for them."
    return replace(panel, pairs=pairs, notes=(*panel.notes, *([said] if lost else [])))


def _places(names: tuple[str, ...], among: tuple[str, ...]) -> Any:  # noqa: ANN401  (an array of int)
    index = {name: i for i, name in enumerate(among)}
    return np.array([index.get(name, -1) for name in names], dtype=np.int64)


def with_texts(panel: Panel, texts: Texts) -> Panel:
    """Return the panel with codes of identical outputs, which are human ties, and their number as a note."""
    code = text_codes(texts, systems=panel.human.systems, segments=panel.human.segments)
    known = np.where(panel.judged, code, -1)
    same = sum(
        int(np.count_nonzero((known[i] == known[j]) & (known[i] >= 0)))
        for i in range(len(known))
        for j in range(i)
    )
    note = f"{same:,} pairs of systems wrote the same text on a segment; these count as human ties."
    return replace(panel, same_text=code, notes=(*panel.notes, note))
