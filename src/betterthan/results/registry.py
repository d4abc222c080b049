"""Registry of the kinds of results: class, table and charts of each.

Everything that works for any result uses it: :meth:`betterthan.Result.from_json`, :func:`betterthan.render`,
:func:`betterthan.chart`, :meth:`betterthan.Result.plot` and the public names of the package. Locations are texts,
``"module:name"``, loaded on first use, so that this module imports nothing else.

A new kind of result is a module in ``results`` and an entry here.
"""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple


class ResultChart(NamedTuple):
    """A chart of a result.

    Attributes
    ----------
    name : str
        Its name in :func:`betterthan.chart`.
    draw : str
        ``"module:function"``; the function takes the result and a theme, and the keywords `title` and `options`.
    many : {"", "several", "named", "only_named"}
        Whether several results are drawn together: never, as a sequence, or as a mapping from names; "only_named"
        accepts only a mapping.
    options : tuple of str
        Further options.
    """

    name: str
    draw: str
    many: str = ""
    options: tuple[str, ...] = ()


class ResultKind(NamedTuple):
    """Locations of a kind of result, its table and its charts.

    Attributes
    ----------
    result : str
        ``"module:class"``; the class has the `kind` of this entry.
    table : str
        ``"module:function"``, from a result to a :class:`~betterthan.present.table.Table`.
    charts : tuple of ResultChart
        The first is the default.
    page : str
        ``"module:function"``, from a result and a spelling to a whole HTML page, where a file of it is more than the
        table.
    """

    result: str
    table: str
    charts: tuple[ResultChart, ...] = ()
    page: str = ""


_RESULTS = "betterthan.results"
_TABLES = "betterthan.present.tables"
_CHARTS = "betterthan.present.charts"

RESULT_KINDS: dict[str, ResultKind] = {
    "ranking": ResultKind(
        f"{_RESULTS}.ranking:Ranking",
        f"{_TABLES}.ranking:ranking_table",
        (
            ResultChart("ranking", f"{_CHARTS}.rankings:ranking_chart"),
            ResultChart("ranks", f"{_CHARTS}.rankings:ranks_chart", many="only_named"),
        ),
    ),
    "pairwise": ResultKind(
        f"{_RESULTS}.pairwise:PairwiseTable",
        f"{_TABLES}.pairwise:pairwise_table",
        (ResultChart("pairs", f"{_CHARTS}.pairs:pairs_chart"),),
    ),
    "agreement": ResultKind(
        f"{_RESULTS}.agreement:Agreement",
        f"{_TABLES}.agreement:agreement_table",
        (ResultChart("agreement", f"{_CHARTS}.rankings:agreement_chart"),),
    ),
    "board": ResultKind(
        f"{_RESULTS}.board:Board",
        f"{_TABLES}.board:board_table",
        (
            ResultChart("board", f"{_CHARTS}.boards:critical_difference_chart"),
            ResultChart("tasks", f"{_CHARTS}.boards:tasks_chart"),
        ),
    ),
    "tradeoffs": ResultKind(
        f"{_RESULTS}.tradeoffs:Tradeoffs",
        f"{_TABLES}.tradeoffs:tradeoffs_table",
        (ResultChart("tradeoffs", f"{_CHARTS}.fronts:tradeoffs_chart"),),
    ),
    "board_diff": ResultKind(f"{_RESULTS}.board_diff:BoardDiff", f"{_TABLES}.board_diff:board_diff_table"),
    "voters": ResultKind(f"{_RESULTS}.voters:Voters", f"{_TABLES}.voters:voters_table"),
    "fragility": ResultKind(
        f"{_RESULTS}.arena:Fragility",
        f"{_TABLES}.fragility:fragility_table",
        (ResultChart("fragility", f"{_CHARTS}.fragilities:fragility_chart"),),
    ),
    "boards": ResultKind(
        f"{_RESULTS}.arena:Boards",
        f"{_TABLES}.arena:boards_table",
        (ResultChart("boards", f"{_CHARTS}.categories:boards_chart"),),
    ),
    "plan": ResultKind(
        f"{_RESULTS}.plan:Plan",
        f"{_TABLES}.plan:plan_table",
        (ResultChart("power", f"{_CHARTS}.plans:power_chart"),),
    ),
    "gate": ResultKind(
        f"{_RESULTS}.gate:Gate",
        f"{_TABLES}.gate:gate_table",
        (ResultChart("gate", f"{_CHARTS}.gates:gate_chart"),),
        page="betterthan.present.renderers.gate_page:gate_page",
    ),
    "calibration": ResultKind(
        f"{_RESULTS}.calibration:Calibration",
        f"{_TABLES}.calibration:calibration_table",
        (ResultChart("calibration", f"{_CHARTS}.calibrations:calibration_chart"),),
    ),
    "watch": ResultKind(
        f"{_RESULTS}.watch:Watch",
        f"{_TABLES}.watch:watch_table",
        (ResultChart("evidence", f"{_CHARTS}.watching:watch_chart"),),
    ),
    "corrected": ResultKind(
        f"{_RESULTS}.corrected:Corrected",
        f"{_TABLES}.corrected:corrected_table",
        (ResultChart("corrected", f"{_CHARTS}.corrected:corrected_chart"),),
    ),
    "aggregated": ResultKind(
        f"{_RESULTS}.agreement:Aggregated",
        f"{_TABLES}.agreement:aggregated_table",
        (ResultChart("aggregation", f"{_CHARTS}.rankings:aggregation_chart", many="several"),),
    ),
    "meta_evaluation": ResultKind(
        f"{_RESULTS}.meta_evaluation:MetaEvaluation",
        f"{_TABLES}.meta_evaluation:meta_evaluation_table",
        (
            ResultChart("metrics", f"{_CHARTS}.metrics:metrics_chart"),
            ResultChart("soft_pairwise", f"{_CHARTS}.soft_pairwise:soft_pairwise_chart", options=("metric",)),
            ResultChart("contributions", f"{_CHARTS}.differences:contributions_chart", options=("metric",)),
        ),
    ),
    "kept_pairs": ResultKind(
        f"{_RESULTS}.human:KeptPairs",
        f"{_TABLES}.human:kept_pairs_table",
        (ResultChart("margins", f"{_CHARTS}.differences:margins_chart", many="named"),),
    ),
    "judges": ResultKind(
        f"{_RESULTS}.human:Judges",
        f"{_TABLES}.human:judges_table",
        (ResultChart("judges", f"{_CHARTS}.judges:judges_chart"),),
    ),
    "tag_ranking": ResultKind(
        f"{_RESULTS}.tags:TagRanking",
        f"{_TABLES}.tags:tag_ranking_table",
        (ResultChart("tags", f"{_CHARTS}.tags:tag_ranking_chart"),),
    ),
    "sentence_quality": ResultKind(
        f"{_RESULTS}.tags:SentenceQuality",
        f"{_TABLES}.meta_evaluation:sentence_quality_table",
        (ResultChart("quality", f"{_CHARTS}.tags:sentence_quality_chart"),),
    ),
    "diagnosis": ResultKind(
        f"{_RESULTS}.checkup:Diagnosis",
        f"{_TABLES}.checkup:diagnosis_table",
        (ResultChart("diagnosis", f"{_CHARTS}.diagnosis:diagnosis_chart"),),
    ),
    "multiverse": ResultKind(
        f"{_RESULTS}.multiverse:Multiverse",
        f"{_TABLES}.multiverse:multiverse_table",
        (ResultChart("multiverse", f"{_CHARTS}.specifications:specification_chart"),),
    ),
    "study": ResultKind(
        f"{_RESULTS}.study:Study",
        f"{_TABLES}.study:study_table",
        (ResultChart("study", f"{_CHARTS}.study:study_chart", options=("figure",)),),
    ),
    "judge_audit": ResultKind(
        f"{_RESULTS}.judge_audit:JudgeAudit",
        f"{_TABLES}.judge_audit:judge_audit_table",
        (ResultChart("judge_calibration", f"{_CHARTS}.judge_audit:judge_calibration_chart"),),
    ),
    "sample": ResultKind(f"{_RESULTS}.sample:Sample", f"{_TABLES}.sample:sample_table"),
    "audition": ResultKind(f"{_RESULTS}.tags:Audition", f"{_TABLES}.tags:audition_table"),
    "checkup": ResultKind(f"{_RESULTS}.checkup:Checkup", f"{_TABLES}.checkup:checkup_table"),
    "counts_explanation": ResultKind(
        f"{_RESULTS}.explanation:CountsExplanation", f"{_TABLES}.explanation:counts_explanation_table"
    ),
    "explanation": ResultKind(
        f"{_RESULTS}.explanation:Explanation", f"{_TABLES}.explanation:explanation_table"
    ),
    "variation": ResultKind(f"{_RESULTS}.runs:Variation", f"{_TABLES}.runs:variation_table"),
    "factors": ResultKind(f"{_RESULTS}.runs:Factors", f"{_TABLES}.runs:factors_table"),
    "identical_outputs": ResultKind(
        f"{_RESULTS}.human:IdenticalOutputs", f"{_TABLES}.human:identical_outputs_table"
    ),
}


def load(place: str) -> Any:  # noqa: ANN401  (a class or a function)
    """Load the object at ``"module:name"``.

    Examples
    --------
    >>> load(RESULT_KINDS["ranking"].result).__name__
    'Ranking'
    """
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def class_homes() -> dict[str, str]:
    """Return the module of each class of results, within the package.

    Examples
    --------
    >>> class_homes()["Ranking"]
    'results.ranking'
    """
    places = (kind.result.partition(":") for kind in RESULT_KINDS.values())
    return {name: module.removeprefix("betterthan.") for module, _, name in places}
