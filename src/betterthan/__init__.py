"""Is A better than B, how sure are we, and which metric can we trust?

The public API: every public name is loaded from its package on first use, so that importing ``betterthan`` is fast.
``betterthan.__all__`` lists the names.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from betterthan.results.registry import class_homes

__version__ = "0.1.0"

if TYPE_CHECKING:
    from betterthan.analysis.arena.board_diff import board_diff as board_diff
    from betterthan.analysis.arena.boards import boards as boards
    from betterthan.analysis.arena.fragility import fragility as fragility
    from betterthan.analysis.arena.voters import voters as voters
    from betterthan.analysis.board.board import board as board
    from betterthan.analysis.calibrate.calibrate import calibrate as calibrate
    from betterthan.analysis.compare.compare import compare as compare
    from betterthan.analysis.corrected_scores import corrected_scores as corrected_scores
    from betterthan.analysis.explain.diagnose import diagnose as diagnose
    from betterthan.analysis.explain.explain import explain as explain
    from betterthan.analysis.gate.gate import gate as gate
    from betterthan.analysis.human.identical_outputs import identical_outputs as identical_outputs
    from betterthan.analysis.human.identical_outputs import kept_pairs as kept_pairs
    from betterthan.analysis.human.judges import judges as judges
    from betterthan.analysis.human.rank_ratings import rank_ratings as rank_ratings
    from betterthan.analysis.judge.audit_judge import audit_judge as audit_judge
    from betterthan.analysis.judge.correct import correct as correct
    from betterthan.analysis.judge.sample import sample as sample
    from betterthan.analysis.meta.meta_evaluate import meta_evaluate as meta_evaluate
    from betterthan.analysis.multiverse.multiverse import multiverse as multiverse
    from betterthan.analysis.plan.plan import plan as plan
    from betterthan.analysis.rank.aggregate import aggregate as aggregate
    from betterthan.analysis.rank.aggregate import length_weights as length_weights
    from betterthan.analysis.rank.agreement import agreement as agreement
    from betterthan.analysis.rank.rank import rank as rank
    from betterthan.analysis.runs.factors import factors as factors
    from betterthan.analysis.runs.variation import variation as variation
    from betterthan.analysis.tags.audition import audition as audition
    from betterthan.analysis.tags.rank_tags import rank_tags as rank_tags
    from betterthan.analysis.tags.sentence_quality import sentence_quality as sentence_quality
    from betterthan.analysis.tags.tag_counts import tag_counts as tag_counts
    from betterthan.analysis.tags.tag_counts import with_synthetic as with_synthetic
    from betterthan.analysis.tradeoffs.tradeoffs import tradeoffs as tradeoffs
    from betterthan.analysis.watch.watch import watch as watch
    from betterthan.engine.cache import Cache as Cache
    from betterthan.errors import BetterThanError as BetterThanError
    from betterthan.errors import BetterThanWarning as BetterThanWarning
    from betterthan.errors import MissingExtra as MissingExtra
    from betterthan.errors import MissingScores as MissingScores
    from betterthan.errors import NotConverged as NotConverged
    from betterthan.errors import NotEstimable as NotEstimable
    from betterthan.errors import OverBudget as OverBudget
    from betterthan.errors import ReadError as ReadError
    from betterthan.errors import TableError as TableError
    from betterthan.errors import UnknownName as UnknownName
    from betterthan.present.charts.chart import chart as chart
    from betterthan.present.charts.save import save_chart as save_chart
    from betterthan.present.renderers.render import render as render
    from betterthan.read.check import check as check
    from betterthan.read.formats.battles.battles import read_matches as read_matches
    from betterthan.read.formats.battles.rankings import read_rankings as read_rankings
    from betterthan.read.formats.metrics_task.metrics_folder import MetricsFolder as MetricsFolder
    from betterthan.read.formats.metrics_task.metrics_folder import read_metrics_folder as read_metrics_folder
    from betterthan.read.formats.quality.number_files import read_sentence_scores as read_sentence_scores
    from betterthan.read.formats.quality.tag_files import read_tags as read_tags
    from betterthan.read.formats.tables.parallel_text import read_texts as read_texts
    from betterthan.read.formats.wmt.mqm import read_mqm as read_mqm
    from betterthan.read.predictions import read_predictions as read_predictions
    from betterthan.read.protocol import Options as Options
    from betterthan.read.scores import read_metrics as read_metrics
    from betterthan.read.scores import read_ratings as read_ratings
    from betterthan.read.scores import read_runs as read_runs
    from betterthan.read.scores import read_scores as read_scores
    from betterthan.read.sniff import sniff as sniff
    from betterthan.read.write.folders import write_metrics_folder as write_metrics_folder
    from betterthan.read.write.write import write_table as write_table
    from betterthan.report.compose import write_report as write_report
    from betterthan.results.base import Result as Result
    from betterthan.results.battles import BoardDiff as BoardDiff
    from betterthan.results.battles import Boards as Boards
    from betterthan.results.battles import Fragility as Fragility
    from betterthan.results.battles import Voters as Voters
    from betterthan.results.checkup import Checkup as Checkup
    from betterthan.results.checkup import Diagnosis as Diagnosis
    from betterthan.results.decisions import Gate as Gate
    from betterthan.results.decisions import Plan as Plan
    from betterthan.results.decisions import Watch as Watch
    from betterthan.results.explanation import CountsExplanation as CountsExplanation
    from betterthan.results.explanation import Explanation as Explanation
    from betterthan.results.human import IdenticalOutputs as IdenticalOutputs
    from betterthan.results.human import Judges as Judges
    from betterthan.results.human import KeptPairs as KeptPairs
    from betterthan.results.judges import Corrected as Corrected
    from betterthan.results.judges import JudgeAudit as JudgeAudit
    from betterthan.results.judges import Sample as Sample
    from betterthan.results.metrics import Audition as Audition
    from betterthan.results.metrics import MetaEvaluation as MetaEvaluation
    from betterthan.results.metrics import SentenceQuality as SentenceQuality
    from betterthan.results.metrics import TagRanking as TagRanking
    from betterthan.results.pairwise import PairwiseTable as PairwiseTable
    from betterthan.results.ranking import Aggregated as Aggregated
    from betterthan.results.ranking import Agreement as Agreement
    from betterthan.results.ranking import Ranking as Ranking
    from betterthan.results.robustness import Calibration as Calibration
    from betterthan.results.robustness import Multiverse as Multiverse
    from betterthan.results.settings import Settings as Settings
    from betterthan.results.study import Study as Study
    from betterthan.results.tasks import Board as Board
    from betterthan.results.tasks import Factors as Factors
    from betterthan.results.tasks import Tradeoffs as Tradeoffs
    from betterthan.results.tasks import Variation as Variation
    from betterthan.scoring.bleu import bleu as bleu
    from betterthan.scoring.chrf import chrf as chrf
    from betterthan.scoring.score import score as score
    from betterthan.scoring.ter import ter as ter
    from betterthan.studies.study import study as study
    from betterthan.tables.align import align as align
    from betterthan.tables.counts import Counts as Counts
    from betterthan.tables.counts import Formula as Formula
    from betterthan.tables.matches import Matches as Matches
    from betterthan.tables.ratings import Ratings as Ratings
    from betterthan.tables.runs import Runs as Runs
    from betterthan.tables.scores import Scores as Scores
    from betterthan.tables.tags import WordTags as WordTags
    from betterthan.tables.texts import Texts as Texts

_HOMES = {
    **class_homes(),
    "BetterThanError": "errors",
    "BetterThanWarning": "errors",
    "Cache": "engine.cache",
    "Counts": "tables.counts",
    "Formula": "tables.counts",
    "Matches": "tables.matches",
    "MetricsFolder": "read.formats.metrics_task.metrics_folder",
    "MissingExtra": "errors",
    "MissingScores": "errors",
    "NotConverged": "errors",
    "NotEstimable": "errors",
    "Options": "read.protocol",
    "OverBudget": "errors",
    "Ratings": "tables.ratings",
    "ReadError": "errors",
    "Result": "results.base",
    "Runs": "tables.runs",
    "Scores": "tables.scores",
    "Settings": "results.settings",
    "TableError": "errors",
    "Texts": "tables.texts",
    "UnknownName": "errors",
    "WordTags": "tables.tags",
    "aggregate": "analysis.rank.aggregate",
    "agreement": "analysis.rank.agreement",
    "align": "tables.align",
    "audition": "analysis.tags.audition",
    "bleu": "scoring.bleu",
    "board": "analysis.board.board",
    "board_diff": "analysis.arena.board_diff",
    "boards": "analysis.arena.boards",
    "voters": "analysis.arena.voters",
    "calibrate": "analysis.calibrate.calibrate",
    "fragility": "analysis.arena.fragility",
    "chart": "present.charts.chart",
    "check": "read.check",
    "chrf": "scoring.chrf",
    "compare": "analysis.compare.compare",
    "correct": "analysis.judge.correct",
    "corrected_scores": "analysis.corrected_scores",
    "diagnose": "analysis.explain.diagnose",
    "explain": "analysis.explain.explain",
    "factors": "analysis.runs.factors",
    "gate": "analysis.gate.gate",
    "meta_evaluate": "analysis.meta.meta_evaluate",
    "identical_outputs": "analysis.human.identical_outputs",
    "judges": "analysis.human.judges",
    "kept_pairs": "analysis.human.identical_outputs",
    "length_weights": "analysis.rank.aggregate",
    "multiverse": "analysis.multiverse.multiverse",
    "plan": "analysis.plan.plan",
    "rank": "analysis.rank.rank",
    "rank_ratings": "analysis.human.rank_ratings",
    "rank_tags": "analysis.tags.rank_tags",
    "audit_judge": "analysis.judge.audit_judge",
    "sample": "analysis.judge.sample",
    "read_matches": "read.formats.battles.battles",
    "read_metrics": "read.scores",
    "read_metrics_folder": "read.formats.metrics_task.metrics_folder",
    "read_mqm": "read.formats.wmt.mqm",
    "read_predictions": "read.predictions",
    "read_rankings": "read.formats.battles.rankings",
    "read_ratings": "read.scores",
    "read_runs": "read.scores",
    "read_scores": "read.scores",
    "read_sentence_scores": "read.formats.quality.number_files",
    "read_tags": "read.formats.quality.tag_files",
    "read_texts": "read.formats.tables.parallel_text",
    "render": "present.renderers.render",
    "save_chart": "present.charts.save",
    "score": "scoring.score",
    "sentence_quality": "analysis.tags.sentence_quality",
    "sniff": "read.sniff",
    "study": "studies.study",
    "tag_counts": "analysis.tags.tag_counts",
    "ter": "scoring.ter",
    "tradeoffs": "analysis.tradeoffs.tradeoffs",
    "variation": "analysis.runs.variation",
    "watch": "analysis.watch.watch",
    "with_synthetic": "analysis.tags.tag_counts",
    "write_metrics_folder": "read.write.folders",
    "write_report": "report.compose",
    "write_table": "read.write.write",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605  (derived, so that it cannot disagree with the homes)


def __getattr__(name: str) -> Any:  # noqa: ANN401  (any public name)
    if name not in _HOMES:
        raise AttributeError(f"module 'betterthan' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"betterthan.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
