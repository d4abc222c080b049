"""Human scores and metrics aligned to the same systems and segments.

The human side of a meta-evaluation: strengths of systems, relative rankings, ranks with ties, identical texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Literal, NamedTuple

import numpy as np

from betterthan.analysis.rank.rank import rank
from betterthan.arrays import BoolArray, FloatArray, IntArray, digest
from betterthan.errors import BetterThanError, TableError, some_of, unknown_name
from betterthan.messages import COLUMN, DIRECTION_NOTE, NAME, Message, Option, joined
from betterthan.results.ranking import Ranking
from betterthan.tables.align import align
from betterthan.tables.checks import folded
from betterthan.tables.counts import Counts
from betterthan.tables.matches import Matches
from betterthan.tables.metric_names import is_reference_free
from betterthan.tables.ratings import text_codes
from betterthan.tables.row_order import are_matched_by_order
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


Metric = Scores | Counts
MetricTables = Mapping[str, Metric] | list[Metric] | list[Scores] | tuple[Metric, ...] | Metric
FAR, ROBUST = 2.5, 1.483  # in robust standard deviations, the median absolute deviation times 1.483
MOST_MISSING = 0.1  # a metric that lacks more than this share of the judged cells is left out


class Unmatched(NamedTuple):
    """Tables that lost the same number of segments, because these are missing from other tables."""

    names: tuple[str, ...]
    n_left_out: int
    n_segments: int


class JudgedPairs(NamedTuple):
    """Human judgments of pairs of systems on a segment, one per row; indices are those of the panel."""

    left: IntArray
    right: IntArray
    segment: IntArray
    outcome: FloatArray
    weight: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Human scores and metrics over the same systems and segments; m systems, n segments, k metrics.

    Attributes
    ----------
    human : Scores
        NaN where there is no human score.
    metrics : tuple of Scores or Counts
    judged : array of bool, shape (m, n)
        Cells with a human score and a score of every metric; all metrics are compared with the same cells.
    notes : tuple of str
    is_by_order : bool
        Whether segments were matched by the order of rows, because the files have no ids.
    unmatched : tuple of Unmatched
        Tables of which segments were left out, because they are not in all tables.
    pairs : SegmentPairs, optional
        Human judgments of pairs of systems, where there are no scores; for the taus.
    same_text : array of int, shape (m, n), optional
        Codes of the outputs: equal codes on a segment are the same text, a human tie in the taus.
    """

    human: Scores
    metrics: tuple[Metric, ...]
    judged: BoolArray
    notes: tuple[str, ...] = ()
    is_by_order: bool = False
    unmatched: tuple[Unmatched, ...] = ()
    pairs: JudgedPairs | None = None
    same_text: IntArray | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The metrics' names."""
        return tuple(metric.name for metric in self.metrics)

    @property
    def lower_is_better(self) -> tuple[str, ...]:
        """The names of the metrics, and of the human scores, of which lower is better."""
        return tuple(table.name for table in (*self.metrics, self.human) if not table.higher_is_better)

    @property
    def is_systems_only(self) -> bool:
        """Whether metrics have one score per system and no segment scores."""
        return _is_whole(self.metrics[0])

    @property
    def human_goodness(self) -> FloatArray:
        """Human scores (m, n), higher is better, NaN in cells that are not used."""
        if self.is_systems_only:
            return self.human.goodness
        return np.where(self.judged, self.human.goodness, np.nan)

    @property
    def is_complete(self) -> bool:
        """Whether every cell is used."""
        return bool(self.judged.all())

    @property
    def digest(self) -> str:
        """Digest of all tables."""
        tables = (self.human.digest, tuple(metric.digest for metric in self.metrics))
        more = [part for part in (self.pairs, self.same_text) if part is not None]
        return digest(*tables, *more)

    def segment_scores(self) -> FloatArray:
        """Scores of segments (k, m, n), higher is better; a corpus metric's segments are scored one by one."""
        tables = [m.per_segment() if isinstance(m, Counts) else m for m in self.metrics]
        return np.stack([table.goodness for table in tables])

    def summands(self) -> FloatArray:
        """Scores (k, m, n) whose mean over segments is the system's score, also for corpus metrics.

        A corpus metric is a formula on sums. Its jackknife pseudo-values measure the contribution of each segment, and
        are shifted so that their mean is the pooled score. NaN in cells that are not used.
        """
        scores = [
            pseudo_values(m, self.judged) if isinstance(m, Counts) else m.goodness for m in self.metrics
        ]
        stacked = np.stack(scores)
        return stacked if self.is_complete else np.where(self.judged, stacked, np.nan)

    def complete(self) -> Panel:
        """Return the panel restricted to segments without missing cells."""
        keep = self.judged.all(axis=0)
        if keep.all():
            return self
        if not keep.any():
            raise TableError(
                Message(
                    "No segment has a human score for every system, which this test of metrics needs. Use "
                    "{inputs} or {bootstrap}, or leave out the systems with the most missing scores "
                    "({leave_out}).",
                    inputs=Option("significance", "perm_inputs"),
                    bootstrap=Option("significance", "bootstrap"),
                    leave_out=Option("leave_out", [NAME]),
                )
            )
        names = [self.human.segments[i] for i in np.flatnonzero(keep)]
        return replace(
            self,
            human=self.human.select(segments=names),
            metrics=tuple(metric.select(segments=names) for metric in self.metrics),
            judged=self.judged[:, keep],
        )


def pseudo_values(counts: Counts, judged: BoolArray) -> FloatArray:
    r"""Contribution of each segment to a pooled score, shape (m, n), higher is better; the mean is the pooled score.

    .. math:: \psi_s = T + (n - 1) (T - T_{-s}) - c,

    with T the pooled score, :math:`T_{-s}` the same without segment s, and c such that the mean is T; all over the n
    segments on which a system was judged.
    """
    sign = 1.0 if counts.higher_is_better else -1.0
    counted = counts.values * judged[:, :, None]
    sums = counted.sum(axis=1, keepdims=True)
    n = judged.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):  # a system has no score without its only segment
        pooled = np.asarray(counts.formula.pooled(sums))
        without = np.asarray(counts.formula.pooled(sums - counted))
    added = (n - 1) * (pooled - np.where(np.isnan(without), pooled, without))
    mean = np.where(judged, added, 0.0).sum(axis=1, keepdims=True) / n
    return np.asarray(sign * (pooled + added - mean))


def panel_of(
    metrics: MetricTables,
    human: Scores,
    *,
    leave_out: Collection[str] = (),
    outliers: Literal["keep", "drop"] = "keep",
    leave_out_metrics: Collection[str] = (),
    metric_kind: str = "all",
) -> Panel:
    """Align metrics and human scores.

    Parameters
    ----------
    metrics : mapping of name to table, sequence of tables, or one table
    human : Scores
    leave_out : collection of str
        Systems to leave out; ``*`` matches any characters.
    outliers : {"keep", "drop"}
        Whether to keep systems whose human score is far from the others.
    leave_out_metrics : collection of str
        Metrics to leave out; ``*`` matches any characters.
    metric_kind : {"all", "reference_based", "reference_free"}
        Which metrics to keep, by what their names say.

    Notes
    -----
    Systems scored by at most half of the metrics are left out for all: usually such a system is the reference of the
    others. Metrics without a score for one of the remaining systems are left out.
    """
    if not isinstance(human, Scores):
        raise TableError(
            f"human must be Scores, not {type(human).__name__}. Convert Ratings with .to_scores()."
        )
    said: list[str] = [_note_about(human.name, note) for note in human.notes]
    tables = _chosen_metrics(tables_of(metrics), leave_out_metrics, metric_kind, said)
    kept_systems = _without(human.systems, leave_out, said)
    judged = _with_scores(human.select(systems=kept_systems), said)
    judged = _at_the_level_of(tables, judged, said)
    systems = _scored_by_most(tables, judged.systems, said)
    if outliers == "drop":
        systems = _without_outliers(judged.select(systems=systems), said)
    tables = _complete_enough(tables, systems, said)
    said += _notes_of(tables)
    judged = judged.select(systems=systems)
    if _is_whole(tables[0]):
        whole = _without_gaps([table.select(systems=systems) for table in tables], said)
        return Panel(human=judged, metrics=tuple(whole), judged=~np.isnan(judged.values), notes=tuple(said))
    _, *metrics_kept = align(judged, *[table.select(systems=systems) for table in tables])
    segments = metrics_kept[0].segments
    panel = _checked_panel(judged.select(segments=segments), tuple(metrics_kept), said)
    return replace(
        panel,
        is_by_order=are_matched_by_order([judged, *tables]),
        unmatched=_unmatched([judged, *tables], len(segments)),
    )


def _unmatched(tables: Sequence[Metric], n_shared: int) -> tuple[Unmatched, ...]:
    names: dict[int, list[str]] = {}
    for table in tables:
        if table.n_segments > n_shared:
            names.setdefault(table.n_segments, []).append(table.name)
    return tuple(Unmatched(tuple(found), n - n_shared, n) for n, found in names.items())


def _is_whole(table: Metric) -> bool:
    """Whether a table has only one score per system, whatever its one segment is called."""
    return isinstance(table, Scores) and table.n_segments == 1


def tables_of(metrics: MetricTables) -> list[Metric]:
    """Return the tables of metrics, each with its name."""
    if isinstance(metrics, Scores | Counts):
        metrics = [metrics]
    if not isinstance(metrics, Mapping | list | tuple):
        raise TableError(f"metrics must be a mapping of names to Scores, not {type(metrics).__name__}.")
    numbered = [(getattr(table, "name", str(i + 1)), table) for i, table in enumerate(metrics)]
    pairs = metrics.items() if isinstance(metrics, Mapping) else numbered
    tables: list[Metric] = []
    for name, table in pairs:
        if not isinstance(table, Scores | Counts):
            raise TableError(f'The metric "{name}" must be Scores or Counts, not {type(table).__name__}.')
        tables.append(table if table.name == name else replace(table, name=name))
    if not tables:
        raise TableError("There are no metrics to evaluate. Pass a mapping of names to Scores.")
    twice = [name for name, count in Counter(table.name for table in tables).items() if count > 1]
    if twice:
        raise TableError(
            f"Two metrics have the same name: {some_of(twice)}. Pass a mapping with different names."
        )
    return tables


def _without(systems: tuple[str, ...], leave_out: Collection[str], said: list[str]) -> list[str]:
    patterns = [leave_out] if isinstance(leave_out, str) else [str(pattern) for pattern in leave_out]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in systems):
            raise unknown_name("system", pattern, systems)
    gone = [name for name in systems if any(fnmatchcase(name, pattern) for pattern in patterns)]
    if gone:
        said.append(f"Systems left out on request: {some_of(gone)}.")
    if len(gone) == len(systems):
        raise TableError(f"leave_out removes every system; human scores are for {some_of(systems)}.")
    return [name for name in systems if name not in gone]


def _chosen_metrics(
    tables: list[Metric], leave_out: Collection[str], kind: str, said: list[str]
) -> list[Metric]:
    """Leave out metrics by name and by kind, and say which."""
    patterns = [leave_out] if isinstance(leave_out, str) else [str(pattern) for pattern in leave_out]
    names = [table.name for table in tables]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise unknown_name("metric", pattern, names)
    gone = [name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)]
    if gone:
        said.append(f"Metrics left out on request: {some_of(gone)}.")
    other = (
        []
        if kind == "all"
        else [name for name in names if is_reference_free(name) != (kind == "reference_free")]
    )
    if other := [name for name in other if name not in gone]:
        what = (
            "they use no reference"
            if kind == "reference_based"
            else "their names do not say that they use no reference"
        )
        said.append(f"Metrics left out, because {what}: {some_of(other)}.")
    kept = [table for table in tables if table.name not in (*gone, *other)]
    if not kept:
        raise TableError(f"No metric is left of {some_of(names)}.")
    return kept


def _with_scores(human: Scores, said: list[str]) -> Scores:
    empty = np.isnan(human.values).all(axis=1)
    if empty.all():
        raise TableError(f'"{human.name}" has no score at all. Check which column was read.')
    if empty.any():
        names = [human.systems[i] for i in np.flatnonzero(empty)]
        said.append(f"Systems without any human score left out: {some_of(names)}.")
    return human.select(systems=[human.systems[i] for i in np.flatnonzero(~empty)])


def _at_the_level_of(tables: list[Metric], human: Scores, said: list[str]) -> Scores:
    """Human scores of segments, or of documents when the metrics score documents."""
    groups = set(human.groups or ())
    by_document = [
        set(table.segments).isdisjoint(human.segments) and not groups.isdisjoint(table.segments)
        for table in tables
    ]
    if not any(by_document):
        return human
    if not all(by_document):
        documents = some_of([table.name for table, is_it in zip(tables, by_document, strict=True) if is_it])
        raise TableError(
            f"Some metrics have document scores ({documents}), the others segment scores. Evaluate them separately."
        )
    said.append(
        "Human scores were averaged over the segments of each document, because the metrics score documents."
    )
    return human.by_group()


def _scored_by_most(tables: list[Metric], systems: tuple[str, ...], said: list[str]) -> list[str]:
    having = {name: sum(name in table.systems for table in tables) for name in systems}
    kept = [name for name in systems if 2 * having[name] > len(tables)]
    rare = [name for name in systems if name not in kept]
    _refuse_other_spelling(rare, tables)
    if rare:
        said.append(f"Systems left out, because most metrics have no score for them: {some_of(rare)}.")
    if len(kept) < 2:
        raise TableError(
            f"Human scores and metrics share {len(kept)} of {len(systems)} systems, but two are needed. Human scores "
            f"are for: {some_of(systems)}; {tables[0].name} has: {some_of(tables[0].systems)}."
        )
    return kept


def _refuse_other_spelling(systems: list[str], tables: list[Metric]) -> None:
    """Raise when a system would be left out although a metric has it under a similar name."""
    for table in tables if systems else ():
        alike = {folded(name): name for name in table.systems}
        for name in systems:
            other = alike.get(folded(name), name)
            if other != name and name not in table.systems:
                raise TableError(
                    Message(
                        'Human scores are for "{name}", but "{metric}" has "{other}". If they are the same '
                        "system, give them the same name; if not, leave it out: {leave_out}.",
                        name=name,
                        metric=table.name,
                        other=other,
                        leave_out=Option("leave_out", [name]),
                    ),
                    code="BT260",
                )


def _without_outliers(human: Scores, said: list[str]) -> list[str]:
    """Leave out systems more than 2.5 robust deviations from the median, after Mathur, Baldwin and Cohn (2020), ACL."""
    means = np.nanmean(human.goodness, axis=1)
    distance = np.abs(means - np.median(means))
    far = distance > FAR * ROBUST * np.median(distance)
    if not far.any() or np.median(distance) == 0:
        return list(human.systems)
    gone = [human.systems[i] for i in np.flatnonzero(far)]
    said.append(f"Systems left out on request as outliers by their human scores: {some_of(gone)}.")
    return [name for name in human.systems if name not in gone]


def _complete_enough(tables: list[Metric], systems: list[str], said: list[str]) -> list[Metric]:
    lacking = [table.name for table in tables if not set(systems) <= set(table.systems)]
    kept = [table for table in tables if table.name not in lacking]
    if lacking:
        said.append(f"Metrics left out, because they have no scores for some systems: {some_of(lacking)}.")
    whole = [_is_whole(table) for table in kept]
    if any(whole) and not all(whole):
        names = some_of([table.name for table, is_it in zip(kept, whole, strict=True) if is_it])
        raise TableError(
            f"Some metrics have one score per system ({names}), the others scores of segments. Evaluate them "
            f"separately."
        )
    if not kept:
        raise TableError(f"No metric has scores for all of the systems {some_of(systems)}.")
    return kept


def _notes_of(tables: list[Metric]) -> list[str]:
    """Return the notes from reading the metrics; a note that several share is given once."""
    said: dict[str, list[str]] = {}
    for table in tables:
        for note in table.notes:
            said.setdefault(note, []).append(table.name)
    return [
        note if len(names) > 1 or _names_metric(note) else _note_about(names[0], note)
        for note, names in said.items()
    ]


def _names_metric(note: str) -> bool:
    return isinstance(note, Message) and note.code == DIRECTION_NOTE


def _note_about(metric: str, note: str) -> Message:
    return Message('"{metric}": {note}', severity="info", metric=metric, note=note)


def _without_gaps(tables: list[Metric], said: list[str]) -> list[Metric]:
    """Return the metrics with a score for every system."""
    lacking = [table.name for table in tables if np.isnan(table.values).any()]
    if lacking:
        said.append(f"Metrics left out, because they have no score for some system: {some_of(lacking)}.")
    kept = [table for table in tables if table.name not in lacking]
    if not kept:
        raise TableError("Every metric lacks the score of some system with human scores.")
    return kept


def _checked_panel(human: Scores, metrics: tuple[Metric, ...], said: list[str]) -> Panel:
    there = ~np.isnan(human.values)
    kept, full = [], there.copy()
    for metric in metrics:
        present = ~np.isnan(metric.values) if isinstance(metric, Scores) else np.ones_like(there)
        missing = np.count_nonzero(there & ~present)
        if missing > MOST_MISSING * np.count_nonzero(there):
            said.append(
                f'"{metric.name}" left out: {missing} of the {np.count_nonzero(there)} judged scores are missing.'
            )
            continue
        kept.append(metric)
        full &= present
    if not kept:
        raise TableError("Every metric lacks a tenth or more of the scores of judged outputs.")
    if full.sum() < there.sum():
        said.append(
            f"{there.sum() - full.sum()} judged outputs left out for all metrics, because a metric has no score for "
            f"them."
        )
    if not full.any(axis=1).all():
        names = [human.systems[i] for i in np.flatnonzero(~full.any(axis=1))]
        raise TableError(f"No segment is left with a score of every metric for: {some_of(names)}.")
    return Panel(human=human, metrics=tuple(kept), judged=full, notes=tuple(said))
