"""From files on the command line to what a figure shows: the verb behind each kind of chart."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from betterthan.cli.computing import computing_arguments
from betterthan.cli.score_tables import texts_of
from betterthan.errors import BetterThanError, unknown_name
from betterthan.messages import FILE, Message, Option
from betterthan.present.charts.chart import chart_kinds
from betterthan.read.inputs import TableReader
from betterthan.read.protocol import Options
from betterthan.read.source.paths import expanded
from betterthan.results.base import SCHEMA, Result
from betterthan.tables.matches import Matches
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

_THREE = ("mean", "median", "bradley_terry")
_OF_BATTLES = ("win_rate", "bradley_terry", "elo")
_BY_UNITS = (
    "ranking",
    "pairs",
    "agreement",
    "ranks",
    "power",
    "evidence",
    "gate",
    "corrected",
    "calibration",
)
_BY_ONE_OPTION = {"boards": "cluster", "tradeoffs": "units"}
"""Kinds for which only one of the options that choose units has an effect."""
_COMPUTED_PAIR = ("power", "evidence", "gate", "calibration", "multiverse")
"""Kinds for which a pair chooses what is computed, not what is drawn of it."""
# A result says what it is in its first line.
_HEAD = 400


class Asked(NamedTuple):
    """What was requested on the command line.

    Attributes
    ----------
    files : tuple of str
    options : Options
        What the files mean.
    by : tuple of str
        Methods, as Python calls them.
    computing : dict
        Seed, workers and the like, as verbs take them.
    given : dict
        The rest: pair, metric, human, …
    """

    files: tuple[str, ...]
    options: Options
    by: tuple[str, ...]
    computing: dict[str, Any]
    given: dict[str, Any]

    @property
    def file(self) -> str:
        """The only file."""
        if len(self.files) != 1:
            raise BetterThanError(f"This figure is drawn from one file, and {len(self.files)} are named.")
        return self.files[0]

    def table(self, *, runs_too: bool = False) -> Any:  # noqa: ANN401  (scores or battles)
        """Scores or battles of the only file."""
        battles = {"cluster": self.given["cluster"], "covariates": self.given["covariates"]}
        # The charts of means answer for other runs too, as the commands do.
        runs: tuple[type, ...] = (Runs,) if self.by in ((), ("mean",)) and runs_too else ()
        kinds = (Scores, Matches, *runs)
        return self.read.table(self.file, kinds=kinds, metric=self.given["metric"], **battles)

    def scores(self, file: str) -> Any:  # noqa: ANN401
        """Scores of one of the files."""
        return self.read.table(file, kinds=(Scores,), metric=self.given["metric"])

    @property
    def read(self) -> TableReader:
        """The way from files to tables."""
        return TableReader(self.options, format=self.given["format_in"])


def subject_of(
    kind: str, files: Sequence[str], options: Options, given: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Return what a chart of this kind shows, computed from the files, and what else the chart takes.

    Files that hold results of ours are drawn as they are.
    """
    computing = computing_arguments(given)
    given = {**given, "metric": _one_metric(kind, given["metrics"])}
    by = tuple(method.replace("-", "_") for method in given["by"])
    asked = Asked(tuple(expanded(files)), options, by, computing, given)
    wishes = {
        "systems": None if kind in _COMPUTED_PAIR else given["pair"] or None,
        "segments": given["segments"] or None,
        "metric": given["metric"] if kind in ("soft_pairwise", "contributions") else None,
    }
    results = [result for file in asked.files for result in results_in(file)]
    _refuse_unused(kind, given, has_results=bool(results))
    if results:
        return _of_results(kind, results), wishes
    return _SUBJECTS[kind](asked), {**wishes, **(_words(asked) if kind == "spans" else {})}


def _one_metric(kind: str, metrics: tuple[str, ...]) -> str | None:
    """Return the metric that is named; only trade-offs are about several."""
    if len(metrics) > 1 and kind != "tradeoffs":
        raise BetterThanError(
            Message(
                "A figure of {kind} shows one metric, and {n} are named. Use {metric} once.",
                kind=kind.replace("_", "-"),
                n=len(metrics),
                metric=Option("metric", metrics[0]),
            )
        )
    return metrics[0] if metrics else None


def _refuse_unused(kind: str, given: dict[str, Any], *, has_results: bool) -> None:
    """Refuse what chooses units, where nothing is computed by them."""
    if given["margin"] is not None and (has_results or kind != "gate"):
        why = "a result that is computed already" if has_results else f"a figure of {kind}"
        raise BetterThanError(f"--margin changes nothing in {why}. Leave it out.")
    for name, nothing in (("units", "auto"), ("cluster", None), ("covariates", ())):
        has_effect = kind in _BY_UNITS or _BY_ONE_OPTION.get(kind) == name
        if given[name] != nothing and (has_results or not has_effect):
            why = "a result that is computed already" if has_results else f"a figure of {kind}"
            option = "--covariate" if name == "covariates" else f"--{name}"
            raise BetterThanError(f"{option} changes nothing in {why}. Leave it out.")


def results_in(file: str) -> list[Result]:
    """Return the results that a file holds, none if it is a file of another kind."""
    path = Path(file)
    if path.suffix.lower() != ".json" or not path.is_file():
        return []
    with path.open(encoding="utf-8", errors="replace") as opened:
        if SCHEMA not in opened.read(_HEAD):
            return []
    found = json.loads(path.read_text(encoding="utf-8"))
    return [Result.from_dict(one) for one in (found if isinstance(found, list) else [found])]


def _of_results(kind: str, results: list[Result]) -> Any:  # noqa: ANN401
    wanted = chart_kinds()[kind]
    fitting = [result for result in results if isinstance(result, wanted.of)]
    if not fitting:
        have = ", ".join(dict.fromkeys(result.kind for result in results))
        raise BetterThanError(f"A figure of {kind} shows {wanted.of.__name__}; the files hold {have}.")
    if kind == "ranks":
        return {result.settings.method: result for result in fitting}
    if len(fitting) > 1 and wanted.many:
        return (
            fitting if wanted.many == "several" else {f"{i + 1}": result for i, result in enumerate(fitting)}
        )
    if len(fitting) > 1:
        raise BetterThanError(f"A figure of {kind} shows one result, and the files hold {len(fitting)}.")
    return fitting[0]


def _only(asked: Asked, default: str) -> str:
    if len(asked.by) > 1:
        raise BetterThanError(f"This figure shows one method, and --by names {len(asked.by)}.")
    return asked.by[0] if asked.by else default


def _ranking(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.rank.agreement import rank_each
    from betterthan.analysis.rank.rank import refuse_unused

    table = asked.table(runs_too=True)
    battles = isinstance(table, Matches)
    method = _only(asked, "bradley_terry" if battles else "mean")
    options = _rank_options(asked, (method,), battles=battles)
    refuse_unused(table, method, {"prior": asked.given["prior"] or 0.0})
    return rank_each(table, (method,), prior=asked.given["prior"], **options)[method]


def _rank_options(asked: Asked, methods: Sequence[str], *, battles: bool) -> dict[str, Any]:
    scale = {"scale": "elo"} if battles and "bradley_terry" in methods else {}
    return {"missing": asked.given["missing"], "units": asked.given["units"], **scale, **asked.computing}


def _pairs(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.compare.compare import compare
    from betterthan.analysis.rank.agreement import with_needed_prior

    table = asked.table(runs_too=True)
    method = _only(asked, "bradley_terry" if isinstance(table, Matches) else "mean")
    options = {"missing": asked.given["missing"], "units": asked.given["units"], **asked.computing}
    compared = partial(compare, table, by=method, **options)
    prior = asked.given["prior"]
    return with_needed_prior(compared, prior) if method == "bradley_terry" else compared(prior=prior or 0.0)


def _scatter(asked: Asked) -> Any:  # noqa: ANN401
    tables = [asked.scores(file) for file in asked.files]
    return tables if len(tables) > 1 else tables[0]


def _differences(asked: Asked) -> Any:  # noqa: ANN401
    return asked.scores(asked.file)


def _ranks(asked: Asked) -> dict[str, Any]:
    from betterthan.analysis.rank.agreement import rank_each

    table = asked.table()
    battles = isinstance(table, Matches)
    methods = asked.by or (_OF_BATTLES if battles else _THREE)
    options = _rank_options(asked, methods, battles=battles)
    return rank_each(table, methods, prior=asked.given["prior"], **options)


def _agreement(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.rank.agreement import agreement

    return agreement(_ranks(asked))


def _meta(asked: Asked, **more: Any) -> Any:  # noqa: ANN401
    from betterthan.analysis.meta.meta_evaluate import meta_evaluate

    given = asked.given
    metrics, people, _ = asked.read.metrics_and_people(
        list(asked.files), human=given["human"], language_pairs=given["language_pair"], gold=given["gold"]
    )
    measure: Any = _only(asked, "soft_pairwise_accuracy")
    return meta_evaluate(metrics, people, by=measure, **more, **asked.computing)


def _untested(asked: Asked) -> Any:  # noqa: ANN401
    """Compare metrics with human scores without testing them against each other, which takes longest."""
    return _meta(asked, significance="none")


def _margins(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.human.identical_outputs import kept_pairs

    found = {Path(file).stem: kept_pairs(_judgements(asked, file)) for file in asked.files}
    return found if len(found) > 1 else next(iter(found.values()))


def _judgements(asked: Asked, file: str) -> Any:  # noqa: ANN401
    return asked.read.judgements(file, asked.given["metric"])


def _aggregation(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.rank.aggregate import aggregate
    from betterthan.scoring.bleu import bleu
    from betterthan.scoring.chrf import chrf
    from betterthan.scoring.ter import ter

    counters: dict[str, Callable[..., Any]] = {"bleu": bleu, "chrf": chrf, "ter": ter}
    metric = _only(asked, "bleu")
    if metric not in counters:
        raise unknown_name("metric", metric, counters)
    computing = dict(asked.computing)
    rest = {name: computing.pop(name) for name in ("rng", "n_resamples") if name in computing}
    counts = counters[metric](texts_of(asked.files, asked.given["references"]), **computing)
    return aggregate(counts, **rest, **computing)


def _tags(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.read.formats.quality.tag_files import read_tags

    gold, *systems = asked.files
    return read_tags(gold, systems, mt=asked.given["mt"])


def _tag_ranking(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.tags.rank_tags import rank_tags

    measures: dict[str, Any] = {"by": asked.by} if asked.by else {}
    return rank_tags(_tags(asked), **measures, **asked.computing)


def _quality(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.tags.sentence_quality import sentence_quality
    from betterthan.read.formats.quality.number_files import read_sentence_scores

    gold, *systems = asked.files
    if not systems:
        raise BetterThanError("This figure needs the true scores first, and then one file per system.")
    pair = next(iter(asked.given["language_pair"]), None)
    truth, predicted = read_sentence_scores(gold, systems, language_pair=pair)
    return sentence_quality(predicted, truth, missing=asked.given["missing"], **asked.computing)


def _judges(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.human.judges import judges
    from betterthan.tables.ratings import Ratings

    found = _judgements(asked, asked.file)
    if not isinstance(found, Ratings):
        raise BetterThanError(
            f"{asked.file} has no column of judges, so that none can be drawn. Name it with --judge COLUMN."
        )
    return judges(found)


def _diagnosis(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.explain.diagnose import diagnose

    return diagnose(asked.scores(asked.file))


def _words(asked: Asked) -> dict[str, Any]:
    """Return the words of the translations, where they are given."""
    from betterthan.read.source.source import open_source

    mt = asked.given["mt"]
    return {} if mt is None else {"words": [line.split() for line in open_source(mt).lines()]}


def _board(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.board.board import board

    tables = list(asked.read.metrics(asked.files).values())
    method: Any = _only(asked, "mean")
    data: Any = tables[0] if len(tables) == 1 else tables
    return board(data, by=method, **asked.computing)


def _boards(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.arena.boards import boards

    by = asked.given["by"]  # a column, whose name is not spelled differently
    if len(by) != 1:
        raise BetterThanError(Message("Name the column of categories: {by}.", by=Option("by", "COLUMN")))
    options = replace(asked.options, columns={**asked.options.columns, "category": by[0]})
    read = TableReader(options, format=asked.given["format_in"])
    given = {name: asked.given[name] for name in ("cluster", "covariates")}
    return replace(boards(read.table(asked.files, kinds=(Matches,), **given)), by=by[0])


def _fragility(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.arena.fragility import fragility

    return fragility(asked.read.table(asked.files, kinds=(Matches,)))


def _tradeoffs(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.tradeoffs.tradeoffs import chosen_metrics, tradeoffs

    tables = chosen_metrics(asked.read.runs_or_scores(asked.files), asked.given["metrics"])
    given = {name: asked.given[name] for name in ("missing", "units")}
    return tradeoffs(tables, **given, **asked.computing)


def _power(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.plan.plan import KINDS, plan

    table: Any = asked.read.table(asked.files, kinds=KINDS, metric=asked.given["metric"])
    given = asked.given
    return plan(table, systems=given["pair"] or None, units=given["units"], missing=given["missing"])


def _corrected(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.judge.correct import correct
    from betterthan.read.labels import read_labeled

    data = read_labeled(asked.files, _labels(asked), **_judged(asked))
    return correct(data.judge, data.human, weight=data.weight, units=asked.given["units"])


def _judge_calibration(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.judge.audit_judge import audit_judge
    from betterthan.read.labels import read_audited

    data = read_audited(asked.files, _labels(asked), **_judged(asked))
    return audit_judge(data.judge, data.human)


def _labels(asked: Asked) -> str:
    human: str | None = asked.given["human"]
    if human is None:
        raise BetterThanError(
            Message("Name the file with the human labels: {human}.", human=Option("human", FILE))
        )
    return human


def _judged(asked: Asked) -> dict[str, Any]:
    given = asked.given
    return {"judge_score": given["metric"], "options": asked.options, "format": given["format_in"]}


def _evidence(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.watch.watch import KINDS, watch

    given = asked.given
    reader = TableReader(replace(asked.options, in_order=True), format=given["format_in"])
    battles = {"cluster": given["cluster"], "covariates": given["covariates"]}
    table = reader.table(asked.files, kinds=KINDS, metric=given["metric"], **battles)
    chosen = {} if isinstance(table, Matches) else {"units": given["units"], "missing": given["missing"]}
    return watch(table, systems=given["pair"] or None, **chosen)


def _gate(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.gate.gate import gate_tables
    from betterthan.cli.gate_files import GateInputs, margins_of

    given = asked.given
    margins = margins_of([given["metric"]] if given["metric"] else [], given["margin"])
    return gate_tables(
        GateInputs(asked.files, asked.options, given["format_in"]).tables(margins),
        systems=given["pair"] or None,
        units=given["units"],
        over="items and runs",
        missing=given["missing"],
        alpha=0.05,
        power=0.8,
        undecided="",
    )


def _calibration(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.calibrate.calibrate import calibrate

    given = asked.given
    table = asked.read.table(asked.files, kinds=(Scores,), metric=given["metric"])
    return calibrate(
        table,
        systems=given["pair"] or None,
        units=given["units"],
        missing=given["missing"],
        **asked.computing,
    )


def _multiverse(asked: Asked) -> Any:  # noqa: ANN401
    from betterthan.analysis.multiverse.multiverse import multiverse

    if not asked.given["pair"]:
        raise BetterThanError(
            Message("A figure of multiverse is about a claim: A > B. Use {pair}.", pair=Option("pair", "A B"))
        )
    tables = dict(asked.read.runs_or_scores(asked.files))
    given = asked.given
    return multiverse(
        given["pair"], tables, metric=given["metric"], missing=given["missing"], **asked.computing
    )


_SUBJECTS: dict[str, Callable[[Asked], Any]] = {
    "ranking": _ranking,
    "pairs": _pairs,
    "scatter": _scatter,
    "differences": _differences,
    "agreement": _agreement,
    "board": _board,
    "tasks": _board,
    "boards": _boards,
    "fragility": _fragility,
    "tradeoffs": _tradeoffs,
    "power": _power,
    "evidence": _evidence,
    "gate": _gate,
    "corrected": _corrected,
    "calibration": _calibration,
    "multiverse": _multiverse,
    "judge_calibration": _judge_calibration,
    "ranks": _ranks,
    "metrics": _meta,
    "soft_pairwise": _untested,
    "contributions": _untested,
    "margins": _margins,
    "aggregation": _aggregation,
    "confusion": _tags,
    "spans": _tags,
    "tags": _tag_ranking,
    "quality": _quality,
    "judges": _judges,
    "diagnosis": _diagnosis,
}
