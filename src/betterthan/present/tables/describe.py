"""From a result to the one table that shows it: a line for each kind of result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from betterthan.present.table import Table
from betterthan.present.tables.agreement import aggregated_table, agreement_table
from betterthan.present.tables.checkup import checkup_table, diagnosis_table
from betterthan.present.tables.explanation import counts_explanation_table, explanation_table
from betterthan.present.tables.human import identical_outputs_table, judges_table, kept_pairs_table
from betterthan.present.tables.meta_evaluation import meta_evaluation_table, sentence_quality_table
from betterthan.present.tables.pairwise import pairwise_table
from betterthan.present.tables.ranking import ranking_table
from betterthan.present.tables.study import study_table
from betterthan.present.tables.tags import audition_table, tag_ranking_table
from betterthan.results.agreement import Aggregated, Agreement
from betterthan.results.base import Result
from betterthan.results.checkup import Checkup, Diagnosis
from betterthan.results.explanation import CountsExplanation, Explanation
from betterthan.results.human import IdenticalOutputs, Judges, KeptPairs
from betterthan.results.meta_evaluation import MetaEvaluation
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.ranking import Ranking
from betterthan.results.study import Study
from betterthan.results.tags import Audition, SentenceQuality, TagRanking

CASES: dict[type[Result], Callable[[Any], Table]] = {
    Aggregated: aggregated_table,
    Agreement: agreement_table,
    Audition: audition_table,
    CountsExplanation: counts_explanation_table,
    Diagnosis: diagnosis_table,
    Explanation: explanation_table,
    Checkup: checkup_table,
    MetaEvaluation: meta_evaluation_table,
    IdenticalOutputs: identical_outputs_table,
    Judges: judges_table,
    KeptPairs: kept_pairs_table,
    PairwiseTable: pairwise_table,
    Ranking: ranking_table,
    SentenceQuality: sentence_quality_table,
    Study: study_table,
    TagRanking: tag_ranking_table,
}


def describe(result: Result) -> Table:
    """Return the :class:`Table` that shows `result`."""
    if type(result) not in CASES:
        raise TypeError(f"No table is known for {type(result).__name__}.")
    return CASES[type(result)](result)
