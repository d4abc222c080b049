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
            ResultChart("ranking", f"{_CHARTS}.ranking:ranking_chart"),
            ResultChart("ranks", f"{_CHARTS}.ranking:ranks_chart", many="only_named"),
        ),
    ),
    "pairwise": ResultKind(
        f"{_RESULTS}.pairwise:PairwiseTable",
        f"{_TABLES}.pairwise:pairwise_table",
        (ResultChart("pairs", f"{_CHARTS}.pairs:pairs_chart"),),
    ),
    "agreement": ResultKind(
        f"{_RESULTS}.ranking:Agreement",
        f"{_TABLES}.ranking:agreement_table",
        (ResultChart("agreement", f"{_CHARTS}.ranking:agreement_chart"),),
    ),
    "board": ResultKind(
        f"{_RESULTS}.tasks:Board",
        f"{_TABLES}.tasks:board_table",
        (
            ResultChart("board", f"{_CHARTS}.tasks:critical_difference_chart"),
            ResultChart("tasks", f"{_CHARTS}.tasks:tasks_chart"),
        ),
    ),
    "tradeoffs": ResultKind(
        f"{_RESULTS}.tasks:Tradeoffs",
        f"{_TABLES}.tasks:tradeoffs_table",
        (ResultChart("tradeoffs", f"{_CHARTS}.tasks:tradeoffs_chart"),),
    ),
    "board_diff": ResultKind(f"{_RESULTS}.battles:BoardDiff", f"{_TABLES}.battles:board_diff_table"),
    "voters": ResultKind(f"{_RESULTS}.battles:Voters", f"{_TABLES}.battles:voters_table"),
    "fragility": ResultKind(
        f"{_RESULTS}.battles:Fragility",
        f"{_TABLES}.battles:fragility_table",
        (ResultChart("fragility", f"{_CHARTS}.battles:fragility_chart"),),
    ),
    "boards": ResultKind(
        f"{_RESULTS}.battles:Boards",
        f"{_TABLES}.battles:boards_table",
        (ResultChart("boards", f"{_CHARTS}.battles:boards_chart"),),
    ),
    "plan": ResultKind(
        f"{_RESULTS}.decisions:Plan",
        f"{_TABLES}.decisions:plan_table",
        (ResultChart("power", f"{_CHARTS}.decisions:power_chart"),),
    ),
    "gate": ResultKind(
        f"{_RESULTS}.decisions:Gate",
        f"{_TABLES}.decisions:gate_table",
        (ResultChart("gate", f"{_CHARTS}.decisions:gate_chart"),),
        page="betterthan.present.renderers.gate_page:gate_page",
    ),
    "calibration": ResultKind(
        f"{_RESULTS}.robustness:Calibration",
        f"{_TABLES}.robustness:calibration_table",
        (ResultChart("calibration", f"{_CHARTS}.robustness:calibration_chart"),),
    ),
    "watch": ResultKind(
        f"{_RESULTS}.decisions:Watch",
        f"{_TABLES}.decisions:watch_table",
        (ResultChart("evidence", f"{_CHARTS}.decisions:watch_chart"),),
    ),
    "corrected": ResultKind(
        f"{_RESULTS}.judges:Corrected",
        f"{_TABLES}.judges:corrected_table",
        (ResultChart("corrected", f"{_CHARTS}.judges:corrected_chart"),),
    ),
    "aggregated": ResultKind(
        f"{_RESULTS}.ranking:Aggregated",
        f"{_TABLES}.ranking:aggregated_table",
        (ResultChart("aggregation", f"{_CHARTS}.ranking:aggregation_chart", many="several"),),
    ),
    "meta_evaluation": ResultKind(
        f"{_RESULTS}.metrics:MetaEvaluation",
        f"{_TABLES}.metrics:meta_evaluation_table",
        (
            ResultChart("metrics", f"{_CHARTS}.metrics:metrics_chart"),
            ResultChart("soft_pairwise", f"{_CHARTS}.metrics:soft_pairwise_chart", options=("metric",)),
            ResultChart("contributions", f"{_CHARTS}.pairs:contributions_chart", options=("metric",)),
        ),
    ),
    "kept_pairs": ResultKind(
        f"{_RESULTS}.human:KeptPairs",
        f"{_TABLES}.human:kept_pairs_table",
        (ResultChart("margins", f"{_CHARTS}.pairs:margins_chart", many="named"),),
    ),
    "judges": ResultKind(
        f"{_RESULTS}.human:Judges",
        f"{_TABLES}.human:judges_table",
        (ResultChart("judges", f"{_CHARTS}.judges:judges_chart"),),
    ),
    "tag_ranking": ResultKind(
        f"{_RESULTS}.metrics:TagRanking",
        f"{_TABLES}.metrics:tag_ranking_table",
        (ResultChart("tags", f"{_CHARTS}.metrics:tag_ranking_chart"),),
    ),
    "sentence_quality": ResultKind(
        f"{_RESULTS}.metrics:SentenceQuality",
        f"{_TABLES}.metrics:sentence_quality_table",
        (ResultChart("quality", f"{_CHARTS}.metrics:sentence_quality_chart"),),
    ),
    "diagnosis": ResultKind(
        f"{_RESULTS}.checkup:Diagnosis",
        f"{_TABLES}.explanation:diagnosis_table",
        (ResultChart("diagnosis", f"{_CHARTS}.ranking:diagnosis_chart"),),
    ),
    "multiverse": ResultKind(
        f"{_RESULTS}.robustness:Multiverse",
        f"{_TABLES}.robustness:multiverse_table",
        (ResultChart("multiverse", f"{_CHARTS}.robustness:specification_chart"),),
    ),
    "study": ResultKind(
        f"{_RESULTS}.study:Study",
        f"{_TABLES}.study:study_table",
        (ResultChart("study", f"{_CHARTS}.study:study_chart", options=("figure",)),),
    ),
    "judge_audit": ResultKind(
        f"{_RESULTS}.judges:JudgeAudit",
        f"{_TABLES}.judges:judge_audit_table",
        (ResultChart("judge_calibration", f"{_CHARTS}.judges:judge_calibration_chart"),),
    ),
    "sample": ResultKind(f"{_RESULTS}.judges:Sample", f"{_TABLES}.judges:sample_table"),
    "audition": ResultKind(f"{_RESULTS}.metrics:Audition", f"{_TABLES}.metrics:audition_table"),
    "checkup": ResultKind(f"{_RESULTS}.checkup:Checkup", f"{_TABLES}.explanation:checkup_table"),
    "counts_explanation": ResultKind(
        f"{_RESULTS}.explanation:CountsExplanation", f"{_TABLES}.explanation:counts_explanation_table"
    ),
    "explanation": ResultKind(
        f"{_RESULTS}.explanation:Explanation", f"{_TABLES}.explanation:explanation_table"
    ),
    "variation": ResultKind(f"{_RESULTS}.tasks:Variation", f"{_TABLES}.tasks:variation_table"),
    "factors": ResultKind(f"{_RESULTS}.tasks:Factors", f"{_TABLES}.tasks:factors_table"),
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
