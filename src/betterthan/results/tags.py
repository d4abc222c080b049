"""TagRanking, Audition and SentenceQuality: word tags and predicted quality compared with the gold labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.results.base import Result
from betterthan.results.rows import NamedRows, best_name, index_of, row_at
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggingSystem:
    """One system or synthetic labeling, by all measures.

    Attributes
    ----------
    system : str
    is_synthetic : bool
    letters : str
    value, low, high, cluster : mapping of str to float
        By each measure, as in :class:`TagRanking`.
    """

    system: str
    is_synthetic: bool
    letters: str
    value: Mapping[str, float]
    low: Mapping[str, float]
    high: Mapping[str, float]
    cluster: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TagRanking(NamedRows[TaggingSystem], Result):
    """Systems from best to worst by the first measure; m rows, k measures.

    Attributes
    ----------
    systems : tuple of str
        Real systems and synthetic labelings, best first by the first measure; undefined comes last.
    is_synthetic : array of bool, shape (m,)
    measures : tuple of str
    value, low, high : array, shape (m, k)
        Scores with jackknife intervals over sentences (or documents); NaN where undefined.
    cluster : array, shape (m, k)
        Significance group of each real system by each measure, 1 is best; NaN for synthetic labelings, which are not
        tested.
    letters : tuple of str
        Real systems that share a letter do not differ significantly by the first measure; "" for synthetic ones.
    n_groups, n_different : array of int, shape (k,)
        Groups, and pairs of real systems that differ significantly, by each measure.
    n_pairs : int
        Pairs of real systems.
    correction : str
    alpha, confidence : float
    n_words : int
    unit_note : str
        Note on the unit, where documents are known; otherwise empty.
    undecidable : str
        Explanation if no pair could have been significant with so few units; otherwise empty.

    Examples
    --------
    >>> import betterthan as bt
    >>> tags = bt.WordTags(systems=["A", "B"], segments=["1", "2"],
    ...                    gold=[False, True, True, False], offsets=[0, 2, 4],
    ...                    predicted=[[False, True, True, False], [True, True, False, False]])
    >>> ranking = bt.rank_tags(tags, by=("mcc", "f1_bad"), n_resamples=9)
    >>> ranking.best, ranking["B"].value["mcc"]
    ('A', 0.0)
    """

    kind: ClassVar[str] = "tag_ranking"
    row_type: ClassVar[type] = TaggingSystem

    systems: tuple[str, ...]
    is_synthetic: BoolArray
    measures: tuple[str, ...]
    value: FloatArray
    low: FloatArray
    high: FloatArray
    cluster: FloatArray
    letters: tuple[str, ...]
    n_groups: IntArray
    n_different: IntArray
    n_pairs: int
    correction: str
    alpha: float
    confidence: float
    n_words: int
    notes: tuple[str, ...]
    settings: Settings
    unit_note: str = ""
    undecidable: str = ""

    @property
    def best(self) -> str:
        """The first system by the first measure; synthetic labelings are not systems."""
        real = [i for i, is_synthetic in enumerate(self.is_synthetic.tolist()) if not is_synthetic]
        return best_name([self.systems[i] for i in real], self.value[real, 0].tolist())

    def _row(self, i: int) -> TaggingSystem:
        numbers = {
            name: dict(zip(self.measures, getattr(self, name)[i].tolist(), strict=True))
            for name in ("value", "low", "high", "cluster")
        }
        is_synthetic = bool(self.is_synthetic[i])
        return TaggingSystem(
            system=self.systems[i], is_synthetic=is_synthetic, letters=self.letters[i], **numbers
        )

    def above(self, measure: str) -> dict[str, int]:
        """Return the number of real systems that score below each synthetic labeling by `measure`."""
        column = self.value[:, index_of(measure, self.measures, "measure")]
        real = column[~self.is_synthetic]
        marked = zip(self.systems, self.is_synthetic.tolist(), column.tolist(), strict=True)
        return {name: int((real < value).sum()) for name, synthetic, value in marked if synthetic}

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per system and measure."""
        m, k = self.value.shape
        return {
            "system": [name for name in self.systems for _ in range(k)],
            "synthetic": [flag for flag in self.is_synthetic.tolist() for _ in range(k)],
            "measure": list(self.measures) * m,
            **{name: getattr(self, name).ravel().tolist() for name in ("value", "low", "high", "cluster")},
        }

    def __repr__(self) -> str:
        real = [name for name, flag in zip(self.systems, self.is_synthetic.tolist(), strict=True) if not flag]
        order = " > ".join(real[:3]) + (" > …" if len(real) > 3 else "")
        return f"TagRanking(by {self.measures[0]}, {len(real)} systems: {order})"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditionedMeasure:
    """One measure; its fields are those of :class:`Audition`.

    Attributes
    ----------
    below : mapping of str to float
        Number of systems that each labeling outscores.
    """

    measure: str
    below: Mapping[str, float]
    total: float
    gamed: float
    d: float
    d_top: float
    d_bottom: float
    n_groups: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Audition(NamedRows[AuditionedMeasure], Result):
    """k measures on m systems and s synthetic labelings.

    Attributes
    ----------
    measures : tuple of str
    systems, synthetic : tuple of str
    value : array, shape (k, m + s)
        Scores of the systems, then of the labelings.
    below : array, shape (k, s)
        Number of systems that a labeling outscores; NaN where its score is undefined.
    total : array, shape (k,)
        Sum of `below` over the labelings for which it is defined.
    gamed : array, shape (k,)
        `total` as a share of the comparisons between a labeling and a system: 0 is ideal.
    d, d_top, d_bottom : array, shape (k,)
        Share of pairs that differ significantly: of all, of the upper half and of the lower half of the ranking; NaN
        when there is no pair.
    n_groups : array of int, shape (k,)
        Significance groups of systems.
    alpha : float
        Level of the tests, Bonferroni-corrected over the pairs compared.
    middle : str
        Whether the middle one of an odd number of systems is in "both" halves or in "neither".
    sentences : tuple of str
    unit_note : str
        Note on the unit, where documents are known; otherwise empty.
    undecidable : str
        Explanation if no pair could have been significant with so few units; otherwise empty.

    Examples
    --------
    >>> import betterthan as bt
    >>> tags = bt.WordTags(systems=["A", "B"], segments=["1", "2"],
    ...                    gold=[False, True, True, False], offsets=[0, 2, 4],
    ...                    predicted=[[False, True, True, False], [True, True, False, False]])
    >>> audition = bt.audition(tags, by=("mcc", "f1_bad"), n_resamples=9)
    >>> len(audition), "mcc" in audition
    (2, True)
    """

    kind: ClassVar[str] = "audition"
    row_type: ClassVar[type] = AuditionedMeasure
    row_noun: ClassVar[str] = "measure"
    row_field: ClassVar[str] = "measures"

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    synthetic: tuple[str, ...]
    value: FloatArray
    below: FloatArray
    total: FloatArray
    gamed: FloatArray
    d: FloatArray
    d_top: FloatArray
    d_bottom: FloatArray
    n_groups: IntArray
    alpha: float
    middle: str
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Settings
    unit_note: str = ""
    undecidable: str = ""

    def _row(self, i: int) -> AuditionedMeasure:
        below = dict(zip(self.synthetic, self.below[i].tolist(), strict=True))
        return row_at(self, i, AuditionedMeasure, measure=self.measures[i], below=below)

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per measure."""
        names = ("total", "gamed", "d", "d_top", "d_bottom", "n_groups")
        beaten = dict(zip(self.synthetic, self.below.T.tolist(), strict=True))
        return {
            "measure": self.measures,
            **beaten,
            **{name: getattr(self, name).tolist() for name in names},
        }

    def __repr__(self) -> str:
        return f"Audition({len(self.measures)} measures on {len(self.systems)} systems)"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceQualitySystem:
    """One system; its fields are those of :class:`SentenceQuality`, with intervals of each of the four numbers."""

    system: str
    pearson: float
    pearson_low: float
    pearson_high: float
    spearman: float
    spearman_low: float
    spearman_high: float
    mae: float
    mae_low: float
    mae_high: float
    rmse: float
    rmse_low: float
    rmse_high: float
    letters: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SentenceQuality(NamedRows[SentenceQualitySystem], Result):
    """m systems, best correlation first.

    Attributes
    ----------
    systems : tuple of str
    pearson, spearman : array, shape (m,)
        Correlation with the true scores; NaN for a constant prediction.
    mae, rmse : array, shape (m,)
        Mean absolute error, and root of the mean squared error; lower is better.
    low, high : array, shape (m, 4)
        Intervals over sentences (or documents) of Pearson, Spearman, MAE and RMSE.
    pvalue : array, shape (m, m)
        Two-sided test of equal correlation with the true scores. NaN on the diagonal and where undefined.
    letters : tuple of str
        Systems that share a letter do not differ significantly (Holm-corrected).
    constant_mae, constant_rmse : float
        Errors of always predicting the mean of the true scores.
    alpha, confidence : float
    sentences : tuple of str
    unit_note : str
        Note on the unit, where documents are known; otherwise empty.

    Examples
    --------
    >>> import betterthan as bt
    >>> truth = bt.read_scores({"gold": [0.1, 0.5, 0.9, 0.4]})
    >>> predicted = bt.read_scores({"A": [0.2, 0.4, 0.8, 0.5], "B": [0.9, 0.1, 0.4, 0.6]})
    >>> quality = bt.sentence_quality(predicted, truth)
    >>> quality.best, round(quality["A"].mae, 3)
    ('A', 0.1)
    """

    kind: ClassVar[str] = "sentence_quality"
    row_type: ClassVar[type] = SentenceQualitySystem

    systems: tuple[str, ...]
    pearson: FloatArray
    spearman: FloatArray
    mae: FloatArray
    rmse: FloatArray
    low: FloatArray
    high: FloatArray
    pvalue: FloatArray
    letters: tuple[str, ...]
    constant_mae: float
    constant_rmse: float
    alpha: float
    confidence: float
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Settings
    unit_note: str = ""

    @property
    def best(self) -> str:
        """The first system, by Pearson's correlation."""
        return best_name(self.systems, self.pearson)

    def _row(self, i: int) -> SentenceQualitySystem:
        numbers: dict[str, float] = {}
        for j, name in enumerate(("pearson", "spearman", "mae", "rmse")):
            limits = {f"{name}_low": float(self.low[i, j]), f"{name}_high": float(self.high[i, j])}
            numbers |= {name: float(getattr(self, name)[i]), **limits}
        return SentenceQualitySystem(system=self.systems[i], letters=self.letters[i], **numbers)

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per system."""
        table: dict[str, Sequence[Any]] = {"system": self.systems}
        for i, name in enumerate(("pearson", "spearman", "mae", "rmse")):
            table[name] = getattr(self, name).tolist()
            table[f"{name}_low"] = self.low[:, i].tolist()
            table[f"{name}_high"] = self.high[:, i].tolist()
        return {**table, "letters": self.letters}

    def __repr__(self) -> str:
        order = " > ".join(self.systems[:3]) + (" > …" if len(self.systems) > 3 else "")
        return f"SentenceQuality({len(self.systems)} systems by Pearson: {order})"
