"""Columns that may hold something other than the scores of a system, by their names and by their values."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.errors import ReadError, some_of
from betterthan.messages import MORE, Message, Option
from betterthan.read.grid.columns import plain
from betterthan.read.grid.grid import Grid, fault, quoted
from betterthan.read.plausibility.direction import TRUTH_WORDS

# Meaning of a column by its name, where it is not the scores of a system.
#
# A name counts only as a whole: ``mean`` and ``avg_score`` are averages, ``mean-pooling`` and ``Total-7B`` are systems.


Meaning = Literal[
    "identifier",
    "length",
    "count",
    "rank",
    "summary",
    "time",
    "cost",
    "rater",
    "setting",
    "gold",
    "human",
    "metric",
]
_WORDS: dict[Meaning, str] = {
    "identifier": """id ids idx index uuid guid qid pid uid sid rid cid tid row rowid rownum nr no num number key line
        lineno position pos hash sha digest fingerprint checksum #""",
    "length": "len length lengths words wordcount tokens chars characters bytes size",
    "count": "n count counts votes",
    "rank": "rank ranks ranking",
    "summary": """avg average mean median sum total overall std sd stdev stddev variance min max minimum maximum diff
        difference delta""",
    "time": "latency time seconds secs sec ms msec millis duration runtime elapsed minutes hours timestamp date",
    "cost": "cost costs price usd eur",
    "rater": """rater raters annotator annotators judge judges worker workers evaluator evaluators assessor assessors
        reviewer reviewers participant participants grader graders""",
    "setting": "seed split fold year month day batch epoch temperature difficulty confidence",
    "gold": " ".join(sorted(TRUTH_WORDS)),
    "human": "human humans",
    "metric": """bleu sacrebleu spbleu chrf chrfpp ter wer cer comet cometkiwi xcomet bleurt bertscore rouge rougel
        meteor mqm esa yisi metricx prism nist accuracy acc em precision recall perplexity ppl loss passed pass
        faithfulness relevancy relevance groundedness
        correct success score""",
}
_MEANING_OF = {word: meaning for meaning, words in _WORDS.items() for word in words.split()}
# Words that do not change the meaning of a name.
_BESIDE = frozenset(
    word
    for words in (
        "score scores value values rating ratings judgment judgement judgments judgements annotation annotations",
        "of the per in src ref source reference input output prompt completion response question answer sentence",
        "segment seg doc document text item example sample task test case query turn instance exact match rate macro",
        "micro weighted grand s",
    )
    for word in words.split()
)
_FUSED_ID = re.compile(
    r"(prompt|question|item|row|sentence|sent|example|sample|segment|seg|doc|document|task|test|case|query|instance|"
    r"turn|record|line)(id|idx|nr|no|num|number|index)|md5|sha[-_ ]?(1|256|512)"
)
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|#")
_BETWEEN = re.compile(r"[\s_\-./:()\[\]%]*")
_EXPLAINED: dict[Meaning, str] = {
    "identifier": "an identifier",
    "length": "a length",
    "count": "a count",
    "rank": "a rank",
    "summary": "a summary of other columns",
    "time": "a time",
    "cost": "a cost",
    "rater": "a rater",
    "setting": "a description of the row",
    "gold": "a gold label",
    "human": "human judgments",
    "metric": "a metric",
}


def meaning_of(name: str) -> Meaning | None:
    """Return the meaning of a column with this name, or None if it may be a system.

    Examples
    --------
    >>> [meaning_of(name) for name in ("prompt_id", "latency (ms)", "avgScore", "Rater 2", "BLEU-4")]
    ['identifier', 'time', 'summary', 'rater', 'metric']
    >>> [meaning_of(name) for name in ("rank-1-model", "mean-pooling", "Total-7B", "Human-A.0", "gpt-4", "A")]
    [None, None, None, None, None, None]
    """
    parts = _parts(name)
    if plain(name) in ("pvalue", "pvalues", "pval"):
        return "summary"
    if plain(name) in ("ytrue", "truelabel", "trueclass", "correctanswer"):
        return "gold"
    bare = plain(name).rstrip("0123456789")
    if _MEANING_OF.get(bare) == "metric" or plain(name) in (
        "f1",
        "exactmatch",
    ):  # chrF++, BERTScore, MetricX-23
        return "metric"
    if not parts:
        return None
    if parts[0] in ("is", "has") and len(parts) > 1:
        return "metric" if [_MEANING_OF.get(part) for part in parts[1:]] == ["metric"] else "setting"
    known = [_MEANING_OF.get(part) for part in parts]
    others = [
        part for part, meaning in zip(parts, known, strict=True) if meaning is None and part not in _BESIDE
    ]
    meaning_of_name = next((meaning for meaning in reversed(known) if meaning not in (None, "metric")), None)
    if meaning_of_name is None:
        meaning_of_name = "metric" if "metric" in known else None
    # Raters and metrics may be numbered (rater 2, ROUGE-1); any other word with a number is a name.
    if meaning_of_name in ("rater", "metric"):
        others = [part for part in others if not part.isdigit() and len(part) > 1]
    return None if others else meaning_of_name


# Not "low" and "high" alone: models are called so by the effort they make.
_LIMIT = re.compile(
    r"(.+?)[\s_.:-]+(ci[\s_.:-]*(low|high|lo|hi|lower|upper|min|max|\d+)?|lower|upper|lb|ub|se|sem|stderr)",
    re.IGNORECASE,
)


def of_another(name: str) -> tuple[str, Meaning] | None:
    """Return the system and the meaning in a name such as ``GPT_len`` or ``GPT bleu``.

    Examples
    --------
    >>> of_another("GPT-4_len"), of_another("GPT bleu"), of_another("mean-pooling")
    (('GPT-4', 'length'), ('GPT', 'metric'), None)
    >>> of_another("GPT_ci_low"), of_another("o3-high")
    (('GPT', 'summary'), None)
    """
    limit = _LIMIT.fullmatch(name.strip())
    if limit is not None:
        return limit.group(1), "summary"
    match = re.fullmatch(r"(.+?)[\s_.:-]+([A-Za-z]+)", name.strip())
    meaning = None if match is None else meaning_of(match.group(2))
    return None if match is None or meaning is None else (match.group(1), meaning)


def says(meaning: Meaning) -> str:
    """Return a meaning in words, with its article."""
    return _EXPLAINED[meaning]


def _parts(name: str) -> list[str]:
    """Return the words of a name; none where it holds anything but words."""
    text = name.strip()
    if _FUSED_ID.fullmatch(text.casefold()):
        return ["id"]
    if not _BETWEEN.fullmatch(_PART.sub("", text)):
        return []
    return [part.casefold() for part in _PART.findall(text)]


# Columns of a wide table that may be something other than a system: ids, lengths, ranks, averages, costs.


# With fewer rows values alone are not conclusive.
_ENOUGH_ROWS = 5
_SORTED_ROWS = 8
_ROWS_LOOKED_AT = 20_000
# Largest probability of agreement with a sum or mean by chance.
_CHANCE = 1e-6
_FIRST_ROWS = 8
_MOST_COLUMNS = 60
# A column this many times as large as all others is on another scale; with two columns there is no majority.
_TIMES_LARGER = 10.0
_TIMES_LARGER_OF_TWO = 20.0


class Doubt(NamedTuple):
    """A column that may not be a system, with the evidence."""

    column: int
    reason: str
    is_metric: bool = False
    is_id: bool = False


def doubtful_columns(
    header: Sequence[str], columns: Sequence[int], values: FloatArray, *, forced: Collection[int] = ()
) -> list[Doubt]:
    """Return the columns of a wide table that look like something other than a system.

    Parameters
    ----------
    header : sequence of str
    columns : sequence of int
        Columns of numbers without another role.
    values : array of float
        ``columns × rows``; NaN is missing.
    forced : collection of int
        Columns that are systems by the user's choice.

    Examples
    --------
    >>> values = np.array([[37.0, 512, 80, 95, 41], [0.5, 0.25, 0.75, 1, 0], [0.25, 0.75, 0.5, 0, 1]])
    >>> doubtful_columns(("length", "A", "B"), (0, 1, 2), values)[0].reason
    'is named like a length'
    """
    if len(columns) < 2:  # a single system cannot be ranked, which is reported elsewhere
        return []
    step = max(1, values.shape[1] // _ROWS_LOOKED_AT)
    doubts: dict[int, Doubt] = {}
    for column, row in zip(columns, values, strict=True):
        doubt = None if column in forced else _by_name(header[column], row, column)
        if doubt is not None:
            doubts[column] = doubt
    doubts.update(
        _of_others(header, [column for column in columns if column not in {*doubts, *forced}], columns)
    )
    for judge in (_counting, _summarising, _on_another_scale):
        open_ = [i for i, column in enumerate(columns) if column not in doubts]
        if len(open_) < 2:
            break
        names = [header[columns[i]] for i in open_]
        rows = values[open_] if judge is _counting else values[open_][:, ::step]
        settled = [columns[i] in forced for i in open_]
        for i, reason in judge(names, rows, settled).items():
            doubts[columns[open_[i]]] = Doubt(columns[open_[i]], reason, is_id=judge is _counting)
    return [doubts[column] for column in columns if column in doubts]


def _of_others(header: Sequence[str], open_: Sequence[int], columns: Sequence[int]) -> dict[int, Doubt]:
    """Find columns that describe another one (GPT and GPT_len), and second metrics (GPT_bleu and GPT_comet)."""
    parts = {column: of_another(header[column]) for column in open_}
    names = {header[column].casefold() for column in columns}
    doubts: dict[int, Doubt] = {}
    for column, part in parts.items():
        if part is not None and part[0].casefold() in names:
            doubts[column] = Doubt(column, f"is named like {says(part[1])} of {quoted(part[0])}")
    metrics = {
        column: header[column][len(part[0]) :].strip(" _.:-").casefold()
        for column, part in parts.items()
        if part is not None and part[1] == "metric" and column not in doubts
    }
    first = next(iter(metrics.values()), "")
    if len(metrics) == len(columns) and len(set(metrics.values())) > 1:
        for column, metric in metrics.items():
            if metric != first:
                reason = f"is named like a metric, {metric}, where others are of {first}"
                doubts[column] = Doubt(column, reason)
    return doubts


def _by_name(name: str, row: FloatArray, column: int) -> Doubt | None:
    meaning = meaning_of(name)
    if meaning is None:
        return None
    if name == name.strip() and meaning == "count" and len(name) == 1 and not _counts(row):
        return None  # systems may be called m and n
    return Doubt(
        column,
        f"is named like {says(meaning)}",
        # Among metrics, "human" is what they are compared with: one more measure of the same system.
        is_metric=meaning in ("metric", "human"),
        is_id=meaning == "identifier",
    )


def _counts(row: FloatArray) -> bool:
    known = row[np.isfinite(row)]
    return bool(known.size and (known == np.round(known)).all() and known.max() > 1)


def _counting(_: Sequence[str], rows: FloatArray, settled: Sequence[bool]) -> dict[int, str]:
    """Find ids: integers that increase from row to row while other columns do not."""
    if rows.shape[1] < _ENOUGH_ROWS:
        return {}
    rising = [_is_rising(row) for row in rows]
    if all(rising):
        return {}
    doubts = {}
    for i, row in enumerate(rows):
        if settled[i]:
            continue
        if rising[i]:
            doubts[i] = f"increases from row to row ({_first_numbers(row)}) as ids do"
        elif row.size >= 2 * _ENOUGH_ROWS and _is_permutation(row):
            doubts[i] = (
                f"holds every number from {int(row.min())} to {int(row.max())} once, as ids and ranks do"
            )
    return doubts


def _is_rising(row: FloatArray) -> bool:
    """Whether integers increase from row to row: by 1, or by any step in more rows than expected by chance."""
    if not np.isfinite(row).all() or (row != np.round(row)).any():
        return False
    steps = np.diff(row)
    return bool((steps == 1).all() or (row.size >= _SORTED_ROWS and (steps > 0).all()))


def _is_permutation(row: FloatArray) -> bool:
    if not np.isfinite(row).all() or row.min() not in (0, 1) or row.max() != row.min() + row.size - 1:
        return False
    return bool(np.array_equal(np.sort(row), np.arange(row.size) + row.min()))


def _first_numbers(row: FloatArray) -> str:
    return ", ".join(f"{value:.0f}" for value in row[:3]) + ", …"


def _summarising(names: Sequence[str], rows: FloatArray, settled: Sequence[bool]) -> dict[int, str]:
    """Find a column that is computed from the others: their mean, sum, difference, minimum or maximum."""
    computed = _computed(names, rows[:, np.isfinite(rows).all(axis=0)])
    # A computed column usually follows the columns it is computed from.
    last = max((i for i in computed if not settled[i]), default=None)
    return {} if last is None else {last: f"{computed[last]} on every row"}


def _computed(names: Sequence[str], rows: FloatArray) -> dict[int, str]:
    """Return the columns that are computed from others, and how."""
    if len(rows) < 3 or rows.shape[1] < 3:
        return {}
    slacks = _slacks(rows)
    telling = np.array([_is_telling(row, float(slack)) for row, slack in zip(rows, slacks, strict=True)])
    twins = _twins(rows)
    reasons: dict[int, str] = {}
    for word, chosen, candidates in _candidates(rows, slacks, telling):
        for i in candidates.tolist():
            others = chosen(i)
            if i in reasons or others.size < 2 or _has_twin(twins[i], others):
                continue
            if _is_summary(rows[i], rows[others], word, float(slacks[i])):
                listed = [quoted(name) for name in np.asarray(names, dtype=object)[others]]
                reasons[i] = f"is the {word} of {some_of(listed, limit=3)}"
    for i in range(2, min(len(rows), _MOST_COLUMNS)):
        # Only after the two: in A = B + C any of the three could be the computed one.
        pair = None if i in reasons or not telling[i] else _difference(rows[i], rows[:i], float(slacks[i]))
        if pair is not None:
            reasons[i] = f"is {quoted(names[pair[0]])} minus {quoted(names[pair[1]])}"
    return reasons


def _candidates(
    rows: FloatArray, slacks: FloatArray, telling: BoolArray
) -> list[tuple[str, Callable[[int], IntArray], IntArray]]:
    """Return what each column may be, as far as a few rows tell; where that leaves many columns, as all rows tell.

    So the exact check, which is done for each column alone, never costs the square of the number of columns.
    """
    alive: list[BoolArray] = []
    for begin in range(0, rows.shape[1], _FIRST_ROWS):
        few = rows[:, begin : begin + _FIRST_ROWS]
        found = list(_summaries(few))
        fits = [(np.abs(few - summary) <= slacks[:, None]).all(axis=1) for _, _, summary in found]
        alive = (
            [old & new for old, new in zip(alive, fits, strict=True)]
            if alive
            else [telling & new for new in fits]
        )
        if sum(int(each.sum()) for each in alive) <= _MOST_COLUMNS:
            break
    return [
        (word, chosen, np.flatnonzero(each)) for (word, chosen, _), each in zip(found, alive, strict=True)
    ]


def _twins(rows: FloatArray) -> list[IntArray]:
    """Return, for each column, the columns with exactly the same values."""
    same: dict[bytes, list[int]] = {}
    keys = [(row + 0.0).tobytes() for row in rows]  # negative zero is zero
    for i, key in enumerate(keys):
        same.setdefault(key, []).append(i)
    arrays = {key: np.array(found) for key, found in same.items()}
    return [arrays[key] for key in keys]


def _has_twin(twins: IntArray, others: IntArray) -> bool:
    """Whether some of the other columns, which are in order and never the column itself, has the same values."""
    inside = twins[(twins >= others[0]) & (twins <= others[-1])]
    at = np.searchsorted(others, inside)
    return bool((others[np.minimum(at, others.size - 1)] == inside).any())


def _summaries(rows: FloatArray) -> Iterator[tuple[str, Callable[[int], IntArray], FloatArray]]:
    """Yield the summaries of the columns before each column, of all others, and of those after it."""
    n = len(rows)
    numbers = np.arange(n)
    sums = np.cumsum(rows, axis=0) - rows
    every = rows.sum(axis=0) - rows
    counts = numbers[:, None]
    sides = (
        (lambda i: numbers[:i], sums, counts),
        (lambda i: np.delete(numbers, i), every, np.full((n, 1), n - 1)),
        (lambda i: numbers[i + 1 :], every - sums, n - 1 - counts),
    )
    for chosen, total, count in sides:
        yield "mean", chosen, total / np.maximum(count, 1)
        yield "sum", chosen, total
    for word, best, worst in (("minimum", np.minimum, np.inf), ("maximum", np.maximum, -np.inf)):
        edge = np.full((1, rows.shape[1]), worst)
        before = best.accumulate(np.vstack([edge, rows[:-1]]), axis=0)
        behind = best.accumulate(np.vstack([edge, rows[:0:-1]]), axis=0)[::-1]
        for (chosen, _, _), extreme in zip(sides, (before, best(before, behind), behind), strict=True):
            yield word, chosen, extreme


_SUMMARIES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "mean": lambda parts: parts.mean(axis=0),
    "sum": lambda parts: parts.sum(axis=0),
    "minimum": lambda parts: parts.min(axis=0),
    "maximum": lambda parts: parts.max(axis=0),
}


def _is_summary(row: FloatArray, parts: FloatArray, word: str, slack: float) -> bool:
    if not (np.abs(row - _SUMMARIES[word](parts)) <= slack).all():
        return False
    # The best of several systems may be right wherever another one is; this does not hold for means or sums.
    has_decimals = bool((row != np.round(row)).any())
    return word in ("mean", "sum") or (has_decimals and all((row != part).sum() >= 3 for part in parts))


def _difference(row: FloatArray, parts: FloatArray, slack: float) -> tuple[int, int] | None:
    """Return the two columns whose difference a column is."""
    few = parts[:, :_FIRST_ROWS]
    close = (np.abs(few[:, None] - few[None] - row[:_FIRST_ROWS]) <= slack).all(axis=2)
    for i, j in np.argwhere(close).tolist():
        fits = i != j and bool((np.abs(parts[i] - parts[j] - row) <= slack).all())
        if fits and not any(np.array_equal(row, parts[k]) for k in (i, j)):
            return i, j
    return None


def _slacks(rows: FloatArray) -> FloatArray:
    """Return the tolerance of each column due to its own rounding."""
    size = float(np.abs(rows).max(initial=0.0))
    slacks = np.full(len(rows), 1e-9 * size)
    for decimals in range(6, 0, -1):
        rounded = (np.abs(np.round(rows, decimals) - rows) <= 1e-12 * size).all(axis=1)
        slacks[rounded] = 0.5000005 * 10.0**-decimals + 1e-9 * size
    slacks[(rows == np.round(rows)).all(axis=1)] = 1e-9 * size
    return slacks


def _is_telling(row: FloatArray, slack: float) -> bool:
    """Whether it is unlikely by chance that all rows of a column agree with something."""
    spread = float(np.ptp(row))
    by_chance = max(2 * slack / spread if spread else 1.0, 1 / np.unique(row).size)
    return bool(by_chance < 1 and row.size * np.log(by_chance) < np.log(_CHANCE))


class _Sizes(NamedTuple):
    """Magnitude of the values of each column."""

    low: FloatArray
    middle: FloatArray
    high: FloatArray
    largest: FloatArray

    @classmethod
    def of(cls, rows: FloatArray) -> _Sizes:
        """Return the 10%, 50% and 90% points and the largest value of each column."""
        ordered = np.sort(np.abs(rows), axis=1)  # missing values go last
        last = np.isfinite(rows).sum(axis=1) - 1
        points = (
            ordered[np.arange(len(rows)), np.round(share * last).astype(int)] for share in (0.1, 0.5, 0.9, 1)
        )
        return cls(*points)


def _on_another_scale(_: Sequence[str], rows: FloatArray, settled: Sequence[bool]) -> dict[int, str]:
    """Find columns that are far larger or smaller than the majority, or of the other sign."""
    usable = np.flatnonzero(np.isfinite(rows).sum(axis=1) >= _ENOUGH_ROWS)
    if usable.size < 2 or (usable.size == 2 and any(settled[i] for i in usable.tolist())):
        return {}
    rows = rows[usable]
    is_odd, words = _of_other_sign(rows), "is {} where the others are {}"
    if is_odd is None:
        is_odd, words = _far_away_but_for_zeros(rows), "is on another scale"
    if is_odd is None:
        return {}
    rest = rows[~is_odd]
    others = rest[np.isfinite(rest)]
    doubts = {}
    for i in np.flatnonzero(is_odd).tolist():
        if not settled[int(usable[i])]:
            row = rows[i][np.isfinite(rows[i])]
            signs = ("positive", "negative") if row.max() > 0 else ("negative", "positive")
            doubts[int(usable[i])] = f"{words.format(*signs)} {_ranges(row, others)}"
    return doubts


def _of_other_sign(rows: FloatArray) -> BoolArray | None:
    """Return the fewer of positive and negative columns, if each column is one of the two."""
    with_zeros = np.where(np.isnan(rows), 0.0, rows)
    half = 0.5 * np.isfinite(rows).sum(axis=1)
    positive = (with_zeros >= 0).all(axis=1) & ((with_zeros > 0).sum(axis=1) >= half)
    negative = (with_zeros <= 0).all(axis=1) & ((with_zeros < 0).sum(axis=1) >= half)
    if not (positive | negative).all() or positive.all() or negative.all():
        return None
    return np.asarray(positive if positive.sum() <= negative.sum() else negative)


def _far_away_but_for_zeros(rows: FloatArray) -> BoolArray | None:
    """Return the columns separated by a gap from the majority; 0 is a value on every scale, as in 0/1 and 0/100."""
    is_odd = _far_away(rows, _Sizes.of(rows))
    if is_odd is not None:
        return is_odd
    without_zeros = np.where(rows == 0, np.nan, rows)
    if (np.isfinite(without_zeros).sum(axis=1) < _ENOUGH_ROWS).any():
        return None
    return _far_away(without_zeros, _Sizes.of(without_zeros))


def _far_away(rows: FloatArray, sizes: _Sizes) -> BoolArray | None:
    """Return the columns separated by a gap from the majority."""
    n = len(rows)
    order = np.argsort(sizes.middle, kind="stable")
    times = _TIMES_LARGER if n > 2 else _TIMES_LARGER_OF_TWO
    low, middle, high, largest = (column[order] for column in sizes)
    for k in range(1, n):
        if low[k:].min() <= largest[:k].max() or largest[:k].max() == 0 or _are_shares(rows):
            continue
        is_above = np.zeros(n, dtype=np.bool_)
        is_above[order[k:]] = True
        is_far = middle[k:].min() > times * high[:k].max()
        if n - k < k or n == 2:
            is_grade = n - k == 1 and _is_grade(rows[order[k]], rows[~is_above])
            if is_far or is_grade:
                return is_above
        elif k == n - k and middle[k:].min() > _TIMES_LARGER_OF_TWO * high[:k].max():
            return is_above  # two tables side by side
        elif k < n - k and high[:k].min() > 0 and _TIMES_LARGER_OF_TWO * high[:k].max() < low[k:].min():
            return ~is_above
    return None


def _are_shares(rows: FloatArray) -> bool:
    return bool(np.nanmin(rows) >= 0 and np.nanmax(rows) <= 1)


def _is_grade(row: FloatArray, others: FloatArray) -> bool:
    """Whether a column holds grades such as 1 to 5 where all others hold decimals."""
    known, others = row[np.isfinite(row)], others[np.isfinite(others)]
    whole = bool((known == np.round(known)).all())
    return whole and np.unique(known).size >= 3 and float((others == np.round(others)).mean()) < 0.1


def _ranges(row: FloatArray, others: FloatArray) -> str:
    shown = f"({_range(row)}; the others {_range(others)})"
    if _are_shares(others) and row.min() >= 0 and 1 < row.max() <= 100 and not _is_grade(row, others):
        return f"{shown}: percent where the others are shares of 1, or something else"
    return shown


def _range(values: FloatArray) -> str:
    return f"{values.min():.4g} to {values.max():.4g}"


def refuse_summary_system(grid: Grid, systems: Sequence[str], values: FloatArray) -> None:
    """Raise when a system of a long table has the name and the values of a mean or sum of the others (BT210)."""
    named = [i for i, name in enumerate(systems) if meaning_of(name) == "summary"]
    computed = _computed(systems, values[:, np.isfinite(values).all(axis=0)]) if named else {}
    for i in named:
        if i in computed:
            raise fault(
                grid,
                f"System {quoted(systems[i])} {computed[i]} on every segment, so it may not be a system. "
                f"Remove its rows; if it is a system, give it another name.",
                code="BT210",
            )


def refuse(grid: Grid, doubts: Sequence[Doubt], systems: Sequence[int]) -> ReadError:
    """Build the error for suspicious columns, with the options that resolve it.

    Parameters
    ----------
    grid : Grid
    doubts : sequence of Doubt
    systems : sequence of int
        Every column that would be a system.
    """
    doubtful = {doubt.column for doubt in doubts}
    left = [column for column in systems if column not in doubtful]
    if not left and all(doubt.is_metric for doubt in doubts):
        return _metrics_of_one_system(grid, systems)
    seen = ", and column ".join(f"{quoted(grid.header[d.column])} {d.reason}" for d in doubts[:3])
    more = f" (and {len(doubts) - 3} more such columns)" if len(doubts) > 3 else ""
    names = [grid.header[doubt.column] for doubt in doubts]
    several = len(doubts) > 1
    one = "" if len(left) != 1 else f", which leaves only one system, {quoted(grid.header[left[0]])}"
    none = "" if left else ", which leaves no system"
    ids = [grid.header[doubt.column] for doubt in doubts if doubt.is_id]
    item = (
        Message(
            " If {column} names the segments, use {item}.", column=quoted(ids[0]), item=Option("item", ids[0])
        )
        if ids
        else ""
    )
    predictions = (
        " If other columns are predictions of it, write 1 where they are right and 0 where they are not."
        if any(doubt.reason == f"is named like {says('gold')}" for doubt in doubts)
        else ""
    )
    template = (
        "Column {seen}{more}, so they may not be systems. "
        "Leave them out with {ignore}{leaves}; if they are systems, use {keep}.{item}{predictions}"
        if several
        else "Column {seen}{more}, so it may not be a system. "
        "Leave it out with {ignore}{leaves}; if it is a system, use {keep}.{item}{predictions}"
    )
    message = Message(
        template,
        severity="error",
        seen=seen,
        more=more,
        leaves=one + none,
        ignore=columns_option("ignore", names),
        keep=columns_option("keep", names),
        item=item,
        predictions=predictions,
    )
    return fault(grid, message, code="BT210")


def _metrics_of_one_system(grid: Grid, systems: Sequence[int]) -> ReadError:
    names = [grid.header[column] for column in systems]
    return fault(
        grid,
        Message(
            "The columns are named like metrics ({names}), not like systems, and no column names the systems. "
            "Add a column called system with one row for each system and segment; if these are systems, use {keep}.",
            names=some_of(names, limit=4),
            keep=columns_option("keep", names),
        ),
        code="BT211",
    )


def columns_option(name: str, columns: Sequence[str], *, limit: int = 4) -> Option:
    """Return the option with the names of columns, at most a few of them.

    Examples
    --------
    >>> str(columns_option("ignore", ["rank", "n tokens"])), str(columns_option("keep", ["A", "B"], limit=1))
    ('ignore=["rank", "n tokens"]', 'keep=["A", …]')
    """
    return Option(name, [*columns[:limit], *([MORE] if len(columns) > limit else [])])
