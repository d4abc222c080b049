"""Which studies there are: a name, the question, whose experiment it is, and what it costs.

Nothing heavy is imported here, so that the command line can list the names at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from betterthan.errors import BetterThanError, unknown_name

OptionChoice = str | int | float
PAIRED = "Peyrard, Zhao, Eger and West (2021), Better than Average"
RELATIVE = "Stanchev, Wang and Ney (2020), Towards a Better Evaluation of Metrics for Machine Translation"
AGGREGATION = "Cavalin, Domingues and Pinhanez (2024), Sentence-level Aggregation of Lexical Metrics"
TAGS = "Logacheva, Lukasik and Specia (2016), Metrics for Evaluation of Word-level Quality Estimation"
SOFT = "Thompson, Mathur, Deutsch and Khayrallah (2024), Soft Pairwise Accuracy"


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntry:
    """One study as the catalogue lists it.

    Attributes
    ----------
    question : str
    paper : str
        Whose experiment it is, and where it stands.
    home : str
        Module of this package that holds ``run(request)``.
    data : str
        What it is run on.
    cost : str
        What the full form takes, on two cores and the data of the paper that are public.
    options : mapping of str to (int, float or str)
        What may be chosen, with the defaults of the full form. Text is one of `choices` where they name the option.
    quick : mapping of str to (int, float or str)
        The defaults of the quick form where they differ.
    choices : mapping of str to tuple of str
    takes_data : bool
        Whether it can be run on the user's data.
    """

    question: str
    paper: str
    home: str
    data: str
    cost: str
    options: Mapping[str, OptionChoice] = field(default_factory=dict)
    quick: Mapping[str, OptionChoice] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    takes_data: bool = True

    def chosen(self, options: Mapping[str, object], *, quick: bool) -> dict[str, OptionChoice]:
        """Return all options: these, and the others by default.

        Raises
        ------
        UnknownName
            For an option or a choice that there is not.
        BetterThanError
            For a value of another kind, or a number below 1.

        Examples
        --------
        >>> STUDIES["figure-one"].chosen({}, quick=True)
        {}
        >>> STUDIES["paired-simulation"].chosen({"repeats": "3"}, quick=False)["repeats"]
        3
        """
        for name in options:
            if name not in self.options:
                raise unknown_name("option of the study", name, self.options)
        defaults = {**self.options, **(self.quick if quick else {})}
        return {name: self._value(name, options.get(name, default)) for name, default in defaults.items()}

    def _value(self, name: str, entry: object) -> OptionChoice:
        kind = type(self.options[name])
        if kind is str:
            text = str(entry)
            if name in self.choices and text not in self.choices[name]:
                raise unknown_name(name, text, self.choices[name])
            return text
        try:
            value: OptionChoice = kind(cast("Any", entry))
        except (TypeError, ValueError):
            value = 0
        if isinstance(value, str) or not value > 0 or (kind is int and value < 1):
            raise BetterThanError(f"{name} is {entry!r}, but must be a number above 0.")
        return value


STUDIES: dict[str, CatalogueEntry] = {
    "figure-one": CatalogueEntry(
        question="Can systems with equal means be unequal?",
        paper=f"{PAIRED}, figure 1",
        home="paired.figure_one",
        data="the three systems of the figure, or the first table of your scores",
        cost="none",
    ),
    "pairing-triptych": CatalogueEntry(
        question="What does the pairing show that the scores of each system alone do not?",
        paper=f"{PAIRED}, figure 2 and table 2",
        home="paired.pairing_triptych",
        data="the strengths of table 2, or two systems of your scores",
        cost="a second",
        options={"segments": 500},
        quick={"segments": 100},
    ),
    "independence": CatalogueEntry(
        question="How often does a third system change the order of two?",
        paper=f"{PAIRED}, appendix F",
        home="paired.independence",
        data="any scores: all triples of systems of every setup",
        cost="a quarter of a minute for 65 setups of up to 58 systems",
        options={"draws": 5},
        quick={"draws": 1},
    ),
    "paired-simulation": CatalogueEntry(
        question="Which mechanisms find the true order of systems despite outliers and types of segments?",
        paper=f"{PAIRED}, section 4, appendix A.2 and figure 3",
        home="paired.paired_simulation",
        data="none: scores are drawn",
        takes_data=False,
        cost="8,640 simulated setups, 2,880 of each of three generators: three minutes of processor time",
        options={"generator": "all", "repeats": 10, "orders": 10},
        quick={"repeats": 1, "orders": 2},
        choices={"generator": ("all", "offsets", "per_type", "released")},
    ),
    "paired-disagreement": CatalogueEntry(
        question="How often do mean, median and Bradley–Terry order systems differently on real scores?",
        paper=f"{PAIRED}, section 5, appendices C and H: tables 1, 3 and 4, figure 4",
        home="paired.paired_disagreement",
        data="any scores: a long table with data set, metric, segment, system and score",
        cost="one to two minutes for 65 setups of up to 58 systems",
        options={"repeats": 30, "orders": 20},
        quick={"repeats": 4, "orders": 4},
    ),
    "tests-agreement": CatalogueEntry(
        question="If one test finds a significant difference, do the others?",
        paper=f"{PAIRED}, section 5.1, appendix D and figure 6",
        home="paired.tests_agreement",
        data="any scores: all pairs of systems of every setup",
        cost="some seconds for 65 setups of up to 58 systems",
        options={"alpha": 0.05, "draws": 1000},
        quick={"draws": 100},
    ),
    "spa-significance": CatalogueEntry(
        question="How many metrics differ significantly by pairwise accuracy, and how many by soft pairwise accuracy?",
        paper=f"{SOFT}, section 4.4, table 1, figures 1 and 4",
        home="soft_pairwise.spa_significance",
        data='scores of metrics, and human scores under the name "human"',
        cost="a quarter of a minute for 27 metrics on 9 systems and 130 documents",
        options={"permutations": 1000, "metric": "best"},
        quick={"permutations": 100},
    ),
    "spa-ties": CatalogueEntry(
        question="How many metrics get the same value by pairwise accuracy?",
        paper=f"{SOFT}, sections 2.2 and 4.3",
        home="soft_pairwise.spa_ties",
        data='scores of metrics, and human scores under the name "human"',
        cost="a second for 27 metrics on 9 systems and 130 documents",
        options={"permutations": 1000},
        quick={"permutations": 100},
    ),
    "spa-systems": CatalogueEntry(
        question="How much does the ranking of metrics depend on which systems take part?",
        paper=f"{SOFT}, section 4.1 and figure 2",
        home="soft_pairwise.spa_systems",
        data='scores of metrics, and human scores under the name "human"',
        cost="some seconds for 27 metrics on 9 systems and 130 documents",
        options={"permutations": 1000, "subsets": 500},
        quick={"permutations": 100, "subsets": 100},
    ),
    "spa-segments": CatalogueEntry(
        question="How much does the value of a metric depend on the number of segments?",
        paper=f"{SOFT}, section 4.2 and figure 3",
        home="soft_pairwise.spa_segments",
        data='scores of metrics, and human scores under the name "human"',
        cost="a quarter of a minute for 27 metrics on 9 systems and 130 documents",
        options={"permutations": 1000, "draws": 1000, "metrics": "2"},
        quick={"permutations": 100, "draws": 100},
    ),
    "spa-speed": CatalogueEntry(
        question="What do shared permutations save, and what do they cost?",
        paper=f"{SOFT}, section 3.3",
        home="soft_pairwise.spa_speed",
        data='scores of metrics, and human scores under the name "human"',
        cost="half a minute for 27 metrics on 9 systems and 130 documents",
        options={"permutations": 1000, "repeats": 100},
        quick={"permutations": 100, "repeats": 10},
    ),
    "metric-differences": CatalogueEntry(
        question="Which differences of a metric tend to be significant?",
        paper=f"{SOFT}, section 5.1",
        home="soft_pairwise.metric_differences",
        data='scores of metrics, and human scores under the name "human"',
        cost="a second for 27 metrics on 9 systems and 130 documents",
        options={"alpha": 0.05, "metrics": "5"},
    ),
    "hybrid-systems": CatalogueEntry(
        question="Do hybrids of two systems add information about metrics?",
        paper=f"{SOFT}, section 5.1",
        home="soft_pairwise.hybrid_systems",
        data='scores of metrics, and human scores under the name "human"',
        cost="some seconds for 27 metrics on 9 systems and 130 documents",
        options={"hybrids": 10000, "splits": 100},
        quick={"hybrids": 1000, "splits": 10},
    ),
    "tagging-synthetic": CatalogueEntry(
        question="Which measures of word tags are fooled by uninformative labelings?",
        paper=f"{TAGS}, section 3.1 and table 1",
        home="tagging.tagging_synthetic",
        data="word tags: gold ones and those of several systems",
        cost="some seconds for 37 systems in eight language pairs",
        options={"permutations": 9999},
        quick={"permutations": 499},
    ),
    "tagging-sampling": CatalogueEntry(
        question="How many samples does a measure of word tags need to detect a small difference?",
        paper=f"{TAGS}, section 3.2, algorithm 1 and table 2",
        home="tagging.tagging_sampling",
        data="word tags: gold ones and those of several systems",
        cost="50 million drawn data sets: six minutes of processor time with numba, hours without",
        options={
            "rounds": 1000,
            "samples": 10000,
            "level": 10.0,
            "unit": 0.01,
            "alpha": 0.05,
            "schedule": "100,200,500,1000,2000,5000,10000",
        },
        quick={"rounds": 5, "samples": 200, "unit": 0.05},
    ),
    "tagging-duel": CatalogueEntry(
        question="Which of two measures of word tags detects a small difference with fewer samples?",
        paper=f"{TAGS}, section 3.2, algorithm 1",
        home="tagging.tagging_duel",
        data="word tags: gold ones and those of several systems",
        cost="half a minute for 1,000 sentences of four systems",
        options={"rounds": 100, "samples": 10000, "step": 100, "level": 10.0, "gap": 0.05, "alpha": 0.05},
        quick={"rounds": 20, "samples": 600, "step": 20},
    ),
    "darr-threshold": CatalogueEntry(
        question="How much of the judgments does each threshold of a relative ranking keep?",
        paper=f"{RELATIVE}, section 2.3 and figure 1",
        home="relative_ranking.darr_threshold",
        data="human scores of segments, on a scale to 100; a data set may be a language pair",
        cost="a second",
    ),
    "aggregation-human": CatalogueEntry(
        question="Which way of averaging a lexical metric agrees with human scores?",
        paper=f"{AGGREGATION}, section 5 and table 1",
        home="aggregation.aggregation_human",
        data="texts with references and human scores: folders, or tables with the columns hypothesis and reference",
        cost="a quarter of a minute for 83 systems in six language pairs, a minute as published",
        options={"corpora": 1000, "size": 1000, "turned_corpora": 30, "turned_size": 100},
        quick={"corpora": 100, "size": 300, "turned_corpora": 5, "turned_size": 20},
    ),
    "aggregation-grid": CatalogueEntry(
        question="How do corpus scores, means of segments and bootstrap scores of systems correlate?",
        paper=f"{AGGREGATION}, sections 4.4 and 4.5, figures 1 to 4",
        home="aggregation.aggregation_grid",
        data="texts with references",
        cost="a quarter of a minute for 83 systems in six language pairs, a minute as published",
        options={"corpora": 1000, "size": 1000, "turned_corpora": 30, "turned_size": 100},
        quick={"corpora": 100, "size": 300, "turned_corpora": 5, "turned_size": 20},
    ),
    "aggregation-robustness": CatalogueEntry(
        question="Do scores of a few segments correlate with those of the whole test set?",
        paper=f"{AGGREGATION}, section 4.6 and figure 5",
        home="aggregation.aggregation_robustness",
        data="texts with references",
        cost="half a minute for 83 systems in six language pairs",
        options={"repeats": 1000, "corpora": 1000, "size": 1000, "turned_corpora": 30, "turned_size": 100},
        quick={"repeats": 50, "corpora": 100, "size": 300, "turned_corpora": 5, "turned_size": 20},
    ),
    "aggregation-survey": CatalogueEntry(
        question="Which metrics do papers report, and how do they aggregate BLEU?",
        paper=f"{AGGREGATION}, appendix A, tables 2 and 3",
        home="aggregation.aggregation_survey",
        data="none: the counts of the paper",
        takes_data=False,
        cost="none",
    ),
    "darr-identical": CatalogueEntry(
        question="How many pairs of identical translations does a relative ranking call better and worse?",
        paper=f"{RELATIVE}, section 2.3, tables 1 to 3",
        home="relative_ranking.darr_identical",
        data="texts and human scores of segments, on a scale to 100 or with a margin of your choice",
        cost="some seconds",
        options={"margin": 25.0},
    ),
    "tau-variants": CatalogueEntry(
        question="What do the treatments of ties do to Kendall's tau?",
        paper=f"{RELATIVE}, section 3, tables 4 and 5",
        home="relative_ranking.tau_variants",
        data='scores of metrics, and human scores under the name "human", to 100 or with a margin of your choice',
        cost="a quarter of a minute for 37 metrics of six language pairs, 300,000 pairs of systems on a segment",
        options={"margin": 25.0, "thresholds": 5},
        quick={"thresholds": 2},
    ),
}
"""All studies by name."""


def listed(name: str) -> CatalogueEntry:
    """Return the study of this name.

    Examples
    --------
    >>> listed("figure-one").question
    'Can systems with equal means be unequal?'
    """
    plain = name.replace("_", "-")
    if plain not in STUDIES:
        raise unknown_name("study", name, STUDIES)
    return STUDIES[plain]
