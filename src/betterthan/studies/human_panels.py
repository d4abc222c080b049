"""Which of the tables are human scores, and which metrics are compared with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from betterthan.analysis.meta.meta_evaluate import meta_evaluate
from betterthan.errors import BetterThanError, some_of, unknown_name
from betterthan.results.metrics import MetaEvaluation
from betterthan.studies.request import StudyRequest
from betterthan.studies.setups import Setup
from betterthan.tables.metric_names import is_human_translation
from betterthan.tables.scores import Scores

HUMAN = ("human", "people", "mqm", "da")
"""Names of tables that hold human scores; upper and lower case are alike."""
SAME_READING = "The released programs do here what the paper says; both readings are the same."
MEASURES = {"PA": "pairwise_accuracy", "SPA": "soft_pairwise_accuracy"}


class StudyPanel(NamedTuple):
    """One data set: human scores, and those of metrics.

    Attributes
    ----------
    dataset : str
    human : Scores
    metrics : dict of str to Scores
        All without notes: those of reading belong to the setups, and a study reports them once.
    """

    dataset: str
    human: Scores
    metrics: dict[str, Scores]


class StudyPanels(NamedTuple):
    """All data sets with human scores, the setups they are made of, and notes on the choice of human scores."""

    each: tuple[StudyPanel, ...]
    used: tuple[Setup, ...]
    notes: tuple[str, ...]

    def notes_with(self, notes: Sequence[str], *, as_published: bool = False) -> tuple[str, ...]:
        """Return the notes of a study: its own come last, each once.

        With `as_published`, say that the programs released with the paper do what the paper says.
        """
        return (*self.notes, *((SAME_READING,) if as_published else ()), *dict.fromkeys(notes))


def panels_of(setups: Sequence[Setup]) -> StudyPanels:
    """Put the metrics of every data set beside its human scores.

    Human scores are the table called "human", "people", "mqm" or "da", or that of a file with such a name; one that
    stands alone serves all data sets without their own. When no table has that name, the first of each data set is
    taken, and that is said.

    Parameters
    ----------
    setups : sequence of Setup

    Returns
    -------
    StudyPanels

    Raises
    ------
    BetterThanError
        When there are no metrics beside human scores.

    Examples
    --------
    >>> from betterthan.studies.setups import demo_setups
    >>> panels = panels_of(demo_setups()).each
    >>> panels[0].dataset, panels[0].human.name, list(panels[0].metrics)
    ('all', 'human', ['Learned', 'chrF', 'TER', 'Length'])
    """
    datasets: dict[str, list[Setup]] = {}
    for setup in setups:
        datasets.setdefault(setup.dataset, []).append(setup)
    people = {name: [each for each in some if _is_human(each)] for name, some in datasets.items()}
    lone = [
        human_setups[0] for name, human_setups in people.items() if human_setups and len(datasets[name]) == 1
    ]
    is_named = any(people.values())
    each = []
    for name, some in datasets.items():
        human = people[name][0] if people[name] else None if is_named else some[0]
        if human is None and len(lone) == 1:
            human = lone[0]
        metrics = {
            one.metric: replace(one.scores, notes=())
            for one in some
            if one is not human and not _is_human(one)
        }
        if human is not None and metrics:
            each.append(StudyPanel(name, replace(human.scores, notes=()), metrics))
    if not each:
        raise BetterThanError(
            "There are no metrics beside human scores in what was named. Name both, and call the human ones "
            f"{some_of(HUMAN)}, as a file, a column or a key; here is: {some_of([s.metric for s in setups])}."
        )
    first = [f"{panel.dataset}: {panel.human.name}" for panel in each]
    notes = (
        ()
        if is_named
        else (
            f'No table is called "human"; the first of each data set is taken as human scores ({some_of(first)}).',
        )
    )
    return StudyPanels(tuple(each), tuple(setups), (*_on_human_translations(each), *notes))


def _on_human_translations(panels: Sequence[StudyPanel]) -> tuple[str, ...]:
    """Return a note on human translations that most metrics of a data set have scores for."""
    named: dict[str, None] = {}
    for panel in panels:
        for system in filter(is_human_translation, panel.human.systems):
            n_scoring = sum(system in metric.systems for metric in panel.metrics.values())
            if 2 * n_scoring > len(panel.metrics):
                named[system] = None
    if not named:
        return ()
    several = len(named) > 1
    what = "seem to be human translations" if several else "seems to be a human translation"
    left_out = f"Leave {'their' if several else 'its'} rows out to compare machine translations only."
    return (f"{some_of(list(named))} {what}, which many metrics misjudge. {left_out}",)


def panels_for(request: StudyRequest) -> StudyPanels:
    """Return the panels of the user's data, or those of the demo campaign."""
    return panels_of(request.setups_or_demo())


def evaluated(
    request: StudyRequest,
    panel: StudyPanel,
    by: str,
    *,
    significance: str = "none",
    confidence: float | None = None,
) -> MetaEvaluation:
    """Compare the metrics of a panel with human scores, with as many permutations as the request says."""
    return meta_evaluate(
        panel.metrics,
        panel.human,
        by=by,
        significance=significance,
        alternative="wmt",  # as in the papers
        confidence=confidence,
        n_resamples=request.number("permutations"),
        rng=request.seed,
        **request.computing.arguments(),
    )


def chosen_metrics(request: StudyRequest, option: str, best_first: Sequence[str]) -> tuple[str, ...]:
    """Return the metrics that an option names, separated by commas, or so many of the best where it is a number.

    A metric that only other data sets have is left out here; one that none has is an error of the caller.
    """
    text = str(request.options[option]).strip()
    if text == "best":
        return tuple(best_first[:1])
    if text.isdecimal() and text not in best_first:
        return tuple(best_first[: max(1, int(text))])
    wanted = [name.strip() for name in text.split(",") if name.strip()]
    known = dict.fromkeys(setup.metric for setup in request.setups_or_demo())
    for name in wanted:
        if name not in known:
            raise unknown_name("metric", name, known)
    return tuple(name for name in wanted if name in best_first)


def _is_human(setup: Setup) -> bool:
    return bool({setup.metric.lower(), setup.dataset.lower()} & set(HUMAN))
