"""From a result to the one table that shows it: a line for each kind of result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from betterthan.present.aggregated import aggregated_table
from betterthan.present.agreement import agreement_table
from betterthan.present.audition import audition_table
from betterthan.present.checkup import checkup_table
from betterthan.present.counts_explanation import counts_explanation_table
from betterthan.present.diagnosis import diagnosis_table
from betterthan.present.explanation import explanation_table
from betterthan.present.identical_outputs import identical_outputs_table
from betterthan.present.judges import judges_table
from betterthan.present.kept_pairs import kept_pairs_table
from betterthan.present.meta_evaluation import meta_evaluation_table
from betterthan.present.pairwise import pairwise_table
from betterthan.present.ranking import ranking_table
from betterthan.present.sentence_quality import sentence_quality_table
from betterthan.present.study import study_table
from betterthan.present.table import Table
from betterthan.present.tag_ranking import tag_ranking_table
from betterthan.results.aggregated import Aggregated
from betterthan.results.agreement import Agreement
from betterthan.results.audition import Audition
from betterthan.results.base import Result
from betterthan.results.checkup import Checkup
from betterthan.results.counts_explanation import CountsExplanation
from betterthan.results.diagnosis import Diagnosis
from betterthan.results.explanation import Explanation
from betterthan.results.identical_outputs import IdenticalOutputs
from betterthan.results.judges import Judges
from betterthan.results.kept_pairs import KeptPairs
from betterthan.results.meta_evaluation import MetaEvaluation
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.ranking import Ranking
from betterthan.results.sentence_quality import SentenceQuality
from betterthan.results.study import Study
from betterthan.results.tag_ranking import TagRanking

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
