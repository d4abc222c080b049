"""TER as counts: edits and reference length of every segment."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from functools import cache as remembered
from importlib.util import find_spec
from itertools import chain
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.kernels.text.formulas import ter_score
from betterthan.kernels.text.ter import ter_edits
from betterthan.messages import Message, Option, method_note
from betterthan.scoring.extraction import Extraction, Part, extract
from betterthan.scoring.texts import Missing, Outputs, Parallel, References, parallel
from betterthan.scoring.tokens import has_no_spaces
from betterthan.tables.counts import Counts, Formula


class TerOptions(NamedTuple):
    """Options of the TER statistics."""

    normalized: bool
    no_punct: bool
    asian_support: bool
    case_sensitive: bool


def ter(
    outputs: Outputs,
    references: References = None,
    *,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
    missing: Missing = "raise",
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Counts:
    r"""Count the sufficient statistics of the translation edit rate: edits and reference length; lower is better.

    An edit is the insertion, deletion or substitution of a word, or the shift of a run of words [1]_. Summed over
    segments or one by one, the rate is

    .. math:: \text{TER} = 100 \cdot \frac{\text{edits}}{\text{reference length}} .

    The scores are those of sacreBLEU [2]_, for the corpus and for single sentences, with its tokenizer and its
    limits on the search for shifts.

    Parameters
    ----------
    outputs : Texts, or mapping of system to list of str
        One text per segment.
    references : list of str, list of lists, or mapping of name to list; optional
        One list per reference, each with one text per segment. Among several, None marks a segment for which a
        reference is missing. Not needed for Texts with references.
    normalized : bool, default False
        Separate punctuation from words and unescape XML; otherwise words are delimited by spaces.
    no_punct : bool, default False
        Leave out punctuation.
    asian_support : bool, default False
        With `normalized`, make each Chinese or Japanese character a word; with `no_punct`, leave out their
        punctuation too. Alone it has no effect.
    case_sensitive : bool, default False
        Whether case matters.
    missing : {"raise", "drop", "empty"}, default "raise"
        Treatment of missing outputs: raise an error; leave out their segments for all systems; count them as empty
        texts.
    workers : int, optional
        Parallel workers; by default all cores.
    executor : concurrent.futures.Executor, optional
        Any executor, such as ``dask.distributed.Client().get_executor()``, instead of the built-in workers.
    cache : Cache, optional
        Where the statistics of a system are stored; nowhere by default.
    progress : Progress, optional
        Receives progress reports; none by default.

    Returns
    -------
    Counts
        With the columns "edits" and "reference length"; the formula's name is sacreBLEU's signature.

    Raises
    ------
    TableError
        When outputs and references do not match.
    MissingScores
        When outputs are missing.

    Notes
    -----
    With several references, edits are those of the reference that needs the fewest, and the length is the mean
    over the references.

    An empty reference has length 0: its segment adds edits to the pooled rate but nothing to the denominator. Alone it
    scores 100, or 0 when the output is empty too, as in sacreBLEU.

    References are tokenized twice and outputs once, as sacreBLEU does. Only texts with unusual punctuation show
    the difference, and only with `normalized`.

    With numba (the extra ``fast``) the search is compiled, which takes some seconds when it is first used, and
    is some fifty times as fast; the numbers are the same.

    References
    ----------
    .. [1] Snover, Dorr, Schwartz, Micciulla and Makhoul (2006), A study of translation edit rate.
    .. [2] Post (2018), A call for clarity in reporting BLEU scores.

    Examples
    --------
    One shift of two words, and one substitution:

    >>> counts = ter({"A": ["on the mat sat a cat", "yes"]}, ["a cat sat on the mat", "no"])
    >>> counts.values.tolist()
    [[[2.0, 6.0], [1.0, 1.0]]]
    >>> counts.pooled().round(2)
    array([42.86])
    >>> counts.per_segment().values.round(2)
    array([[ 33.33, 100.  ]])
    """
    texts = parallel(outputs, references, missing=missing)
    options = TerOptions(bool(normalized), bool(no_punct), bool(asian_support), bool(case_sensitive))
    extraction = Extraction(
        name="TER statistics",
        counter=ter_statistics,
        options=options,
        uses="threads" if find_spec("numba") else "processes",  # compiled code lets other threads run
    )
    values = extract(texts, extraction, workers=workers, executor=executor, cache=cache, progress=progress)
    formula = ter_formula(options, n_references=texts.n_references)
    return Counts(
        name="TER",
        systems=texts.systems,
        segments=texts.segments,
        values=values,
        columns=("edits", "reference length"),
        formula=formula,
        higher_is_better=False,
        groups=texts.groups,
        row_order=texts.row_order,
        notes=(*texts.notes, *_notes(texts, options, formula)),
    )


def ter_formula(options: TerOptions, *, n_references: str) -> Formula:
    """Return TER with its signature as the name."""
    from sacrebleu import __version__ as version  # noqa: PLC0415  (loaded when texts are scored, not before)

    def told(is_so: bool) -> str:  # noqa: FBT001
        return "yes" if is_so else "no"

    signature = {
        "nrefs": n_references,
        "case": "mixed" if options.case_sensitive else "lc",
        "tok": "tercom",
        "norm": told(options.normalized),
        "punct": told(not options.no_punct),
        "asian": told(options.asian_support),
        "version": version,
    }
    name = "|".join(["TER", *(f"{key}:{value}" for key, value in signature.items())])
    return Formula(name=name, pooled=ter_score)


def ter_statistics(part: Part, options: TerOptions) -> FloatArray:
    """Return edits and reference length of some segments, shape (m, segments, 2).

    Examples
    --------
    >>> ter_statistics(Part((("b a", "c"),), (("a b", ""), (None, "c d"))), TerOptions(False, False, False, False))
    array([[[1., 2.],
            [1., 1.]]])
    """
    tokenize = _tokenizer(options)
    texts = _Numbered()
    ours = np.array(
        [[texts.number(tokenize(line)) for line in lines] for lines in part.outputs], dtype=np.int64
    )
    # [sic] sacreBLEU tokenizes references twice: once when it reads them, once when it splits them.
    theirs = np.array(
        [
            [-1 if line is None else texts.number(tokenize(tokenize(line))) for line in lines]
            for lines in part.references
        ],
        dtype=np.int64,
    )
    lengths = np.diff(texts.bounds)
    is_there = theirs >= 0
    mean_length = np.where(is_there, lengths[theirs], 0).sum(axis=0) / is_there.sum(axis=0)
    edits = np.full(ours.shape, np.inf)
    for reference, known in zip(theirs, is_there, strict=True):
        edits[:, known] = np.minimum(edits[:, known], _edits(texts, ours[:, known], reference[known]))
    return np.stack([edits, np.broadcast_to(mean_length, edits.shape)], axis=-1)


def _edits(texts: _Numbered, outputs: IntArray, references: IntArray) -> IntArray:
    """Edits of each output (m, n) to its reference (n,); pairs that occur more than once are compared once."""
    n_texts = len(texts.bounds) - 1
    pairs, place = np.unique(outputs * n_texts + references, return_inverse=True)
    edits = ter_edits(texts.codes, texts.bounds, pairs // n_texts, pairs % n_texts)
    expanded: IntArray = edits[place.reshape(outputs.shape)]
    return expanded


class _Numbered:
    """Texts and their words by number: equal texts have one number, and so have equal words."""

    def __init__(self) -> None:
        self._texts: dict[str, int] = {}
        self._words: dict[str, int] = {}
        self._codes: list[int] = []
        self._bounds = [0]

    def number(self, text: str) -> int:
        """The number of a text whose words stand between spaces."""
        if text not in self._texts:
            self._texts[text] = len(self._texts)
            self._codes += [self._words.setdefault(word, len(self._words)) for word in text.split()]
            self._bounds.append(len(self._codes))
        return self._texts[text]

    @property
    def codes(self) -> IntArray:
        """The words of all texts."""
        return np.array(self._codes, dtype=np.int64)

    @property
    def bounds(self) -> IntArray:
        """Where each text begins, and where the last one ends."""
        return np.array(self._bounds, dtype=np.int64)


@remembered
def _tokenizer(options: TerOptions) -> Callable[[str], str]:
    """Return sacreBLEU's tokenizer for TER, with what it does to a line before."""
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer  # noqa: PLC0415

    tercom = TercomTokenizer(**options._asdict())
    return lambda line: str(tercom(line.rstrip()))


def _notes(texts: Parallel, options: TerOptions, formula: Formula) -> list[str]:
    notes: list[str] = [method_note("Signature: {formula}.", formula=formula.name)]
    if options.asian_support and not (options.normalized or options.no_punct):
        notes.append(
            Message(
                "{asian} has no effect without {normalized} or {no_punct}, as in sacreBLEU.",
                asian=Option("asian_support", True),
                normalized=Option("normalized", True),
                no_punct=Option("no_punct", True),
            )
        )
    is_split = options.normalized and options.asian_support
    if not is_split and has_no_spaces("".join(line for line in chain(*texts.references) if line)):
        notes.append(
            Message(
                "The references are Chinese or Japanese, where whole sentences count as words. Use "
                "{normalized} and {asian} to count characters.",
                normalized=Option("normalized", True),
                asian=Option("asian_support", True),
            )
        )
    return notes
