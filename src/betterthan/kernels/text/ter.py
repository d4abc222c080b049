"""Edits of the translation edit rate: the fewest insertions, deletions, substitutions and shifts, found greedily.

The loops run as they stand, on lists, or compiled by numba, on arrays (see :mod:`betterthan.kernels.compiled`). All
numbers are whole, so both ways give the same.

Of a table with a row for each number of output words i and a column for each number of reference words j, only the
cells of a band along the diagonal exist: columns ``low[i]`` to ``high[i] - 1`` of row i. They lie in one flat
list, cell (i, j) at ``origin[i] + j``; one infinite cell stands before the band of each row and some behind it, so
that the row below may read beyond the band. Memory grows with the sum of the lengths, not with their product.
"""

from __future__ import annotations

import math
from collections.abc import Callable, MutableSequence, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from betterthan.arrays import IntArray
from betterthan.errors import TableError
from betterthan.kernels.compiled import compiled, is_loaded

WholeNumbers: TypeAlias = npt.NDArray[np.signedinteger[Any]]
WordCodes: TypeAlias = Sequence[int] | WholeNumbers
CellBuffer: TypeAlias = MutableSequence[int] | WholeNumbers

LONGEST_SHIFT = 10  # words that move together
FARTHEST_MATCH = 50  # places between a word of the output and the same word of the reference
HALF_BAND = 25  # columns on each side of the diagonal
MOST_CANDIDATES = 1000  # shifts looked at before the search is given up
INFINITE = 10**9


class Space(NamedTuple):
    """Working memory for one pair of output and reference; allocated once, used for many pairs.

    Attributes
    ----------
    low, high, origin
        The band: one number for each row of a table, as the module says.
    ahead, behind, trial
        Tables: edits from the beginning to a cell; from a cell to the end; from the beginning, after a shift.
    output_wrong, reference_wrong
        1 for a word that is edited.
    partner
        For each reference word the last output word at or before it, -1 when there is none.
    moving
        Output words on their way.
    starts, lengths, targets
        The shifts to be tried: `lengths` words from `starts` go to `targets`.
    """

    low: CellBuffer
    high: CellBuffer
    origin: CellBuffer
    ahead: CellBuffer
    behind: CellBuffer
    trial: CellBuffer
    output_wrong: CellBuffer
    reference_wrong: CellBuffer
    partner: CellBuffer
    moving: CellBuffer
    starts: CellBuffer
    lengths: CellBuffer
    targets: CellBuffer


def half_band(n_output: int, n_reference: int) -> int:
    """Columns on each side of the diagonal; more when one output word stands for very many of the reference."""
    ratio = n_reference / n_output
    if ratio / 2 > HALF_BAND:
        return math.ceil(ratio / 2 + HALF_BAND)
    return HALF_BAND


def row_length(n_output: int, n_reference: int) -> int:
    """Cells kept of a row: the band, a step of the diagonal, and infinite cells around them."""
    return 2 * half_band(n_output, n_reference) + math.ceil(n_reference / n_output) + 4


def lay_out(n_output: int, n_reference: int, space: Space) -> None:
    """Find the band of each row and where it lies, and make the cells around it infinite."""
    ratio = n_reference / n_output
    half = half_band(n_output, n_reference)
    length = row_length(n_output, n_reference)
    for i in range(n_output + 1):
        diagonal = math.floor(i * ratio)
        space.low[i] = max(0, diagonal - half)
        space.high[i] = min(n_reference + 1, diagonal + half)
        space.origin[i] = i * length - space.low[i] + 1
    space.high[n_output] = n_reference + 1
    space.high[0] = space.high[1]  # insertions beyond the band of the first word lead nowhere
    for table in (space.ahead, space.behind, space.trial):
        for i in range(n_output + 1):
            table[i * length] = INFINITE
            for place in range(space.origin[i] + space.high[i], (i + 1) * length):
                table[place] = INFINITE


def fill_row(
    word: int,
    reference: WordCodes,
    low: int,
    high: int,
    before: CellBuffer,
    above: int,
    table: CellBuffer,
    here: int,
) -> None:
    """Fill columns `low` to `high` - 1 of the row of `word`, whose origin is `here`.

    The row above is in `before`, with its origin at `above`. In each cell stands the least number of edits that
    make the words up to here into as many words of the reference as the column says.
    """
    left = INFINITE
    if low == 0:
        left = before[above] + 1
        table[here] = left
        low = 1
    for j in range(low, high):
        least = before[above + j - 1]
        if word != reference[j - 1]:
            least += 1
        other = before[above + j]
        if left < other:  # noqa: PLR1730  (min() takes the interpreter twice as long)
            other = left
        if other < least:
            least = other + 1
        table[here + j] = least
        left = least


def fill_ahead(words: WordCodes, reference: WordCodes, space: Space) -> int:
    """Fill the table of edits from the beginning to each cell; return the edit distance."""
    table, origin = space.ahead, space.origin
    for j in range(space.high[0]):
        table[origin[0] + j] = j
    for i in range(1, len(words) + 1):
        fill_row(words[i - 1], reference, space.low[i], space.high[i], table, origin[i - 1], table, origin[i])
    return int(table[origin[len(words)] + len(reference)])


def fill_behind(words: WordCodes, reference: WordCodes, space: Space) -> None:
    """Fill the table of edits from each cell to the end, through cells of the band."""
    n_output, n_reference, table = len(words), len(reference), space.behind
    for j in range(space.low[n_output], n_reference + 1):
        table[space.origin[n_output] + j] = n_reference - j
    for i in range(n_output - 1, -1, -1):
        here, below, first, word = space.origin[i], space.origin[i + 1], space.low[i + 1], words[i]
        right = INFINITE
        for j in range(space.high[i] - 1, space.low[i] - 1, -1):
            least = right + 1
            if j >= first:
                least = min(least, table[below + j] + 1)
            if first - 1 <= j < n_reference:  # before that, the cell down to the right is outside the band
                least = min(least, table[below + j + 1] + (0 if word == reference[j] else 1))
            table[here + j] = least
            right = least


def align(words: WordCodes, reference: WordCodes, space: Space) -> None:
    """Walk back through the table of edits from the beginning: which words are wrong, and the alignment of words.

    Among equally short ways a match or a substitution goes before a deletion, and that before an insertion.
    """
    table, origin = space.ahead, space.origin
    i, j = len(words), len(reference)
    while i > 0 or j > 0:
        edits = table[origin[i] + j]
        is_wrong = 0 if i > 0 and j > 0 and words[i - 1] == reference[j - 1] else 1
        if i > 0 and j > 0 and table[origin[i - 1] + j - 1] + is_wrong == edits:
            i, j = i - 1, j - 1
            space.output_wrong[i] = is_wrong
            space.reference_wrong[j] = is_wrong
            space.partner[j] = i
        elif i > 0 and table[origin[i - 1] + j] + 1 == edits:
            i -= 1
            space.output_wrong[i] = 1
        else:
            j -= 1
            space.reference_wrong[j] = 1
            space.partner[j] = i - 1


def add_targets(start: int, length: int, start_reference: int, n_found: int, space: Space) -> int:
    """Note the places beside the partners of the equal reference words; return how many shifts there are now."""
    previous = -1
    for place in range(start_reference - 1, start_reference + length):
        target = space.partner[place] + 1 if place >= 0 else 0
        if target != previous:
            space.starts[n_found] = start
            space.lengths[n_found] = length
            space.targets[n_found] = target
            n_found += 1
        previous = target
    return n_found


def find_candidates(words: WordCodes, reference: WordCodes, enough: int, space: Space) -> int:
    """Find shifts of words that occur elsewhere in the reference; return how many, at the latest when `enough`.

    A run of words is shifted only if something in it is wrong, something is wrong where it should be, and it
    is not there already.
    """
    n_found = 0
    n_output, n_reference = len(words), len(reference)
    for start in range(n_output):
        first = max(0, start - FARTHEST_MATCH)
        for start_reference in range(first, min(n_reference, start + FARTHEST_MATCH + 1)):
            most = min(LONGEST_SHIFT, n_output - start, n_reference - start_reference)
            length = n_output_wrong = n_reference_wrong = 0
            while length < most and words[start + length] == reference[start_reference + length]:
                n_output_wrong += space.output_wrong[start + length]
                n_reference_wrong += space.reference_wrong[start_reference + length]
                length += 1
                is_there = start <= space.partner[start_reference] < start + length
                if n_output_wrong > 0 and n_reference_wrong > 0 and not is_there:
                    n_found = add_targets(start, length, start_reference, n_found, space)
                    if n_found >= enough:
                        return n_found
    return n_found


def exchanged(start: int, length: int, target: int, n_output: int) -> tuple[int, int, int]:
    """Express a shift as the exchange of two adjacent runs: words [a, b) and [b, c) change places."""
    if target < start:
        return target, start, start + length
    if target > start + length:
        return start, start + length, target
    return start, start + length, min(n_output, target + length)


def distance_after(words: WordCodes, reference: WordCodes, a: int, b: int, c: int, space: Space) -> int:
    """Edit distance when words [a, b) and [b, c) change places; only their rows are computed anew."""
    low, high, origin, trial = space.low, space.high, space.origin, space.trial
    before = space.ahead
    for i in range(a, c):
        word = words[i + b - a] if i < a + c - b else words[i - (c - b)]
        fill_row(word, reference, low[i + 1], high[i + 1], before, origin[i], trial, origin[i + 1])
        before = trial
    least = INFINITE
    for place in range(origin[c] + low[c], origin[c] + high[c]):
        least = min(least, before[place] + space.behind[place])
    return least


def best_candidate(
    words: WordCodes, reference: WordCodes, n_candidates: int, distance: int, space: Space
) -> int:
    """Which shift leaves the least edit distance, if less than now; -1 when none does.

    Among equals: the longest; the earliest words; the earliest place.
    """
    best, least = -1, distance
    for one in range(n_candidates):
        start, length, target = space.starts[one], space.lengths[one], space.targets[one]
        a, b, c = exchanged(start, length, target, len(words))
        edits = distance_after(words, reference, a, b, c, space)
        is_better = edits < least
        if edits == least and best >= 0:
            rival = -space.lengths[best], space.starts[best], space.targets[best]
            is_better = (-length, start, target) < rival
        if is_better:
            best, least = one, edits
    return best


def shift(words: CellBuffer, start: int, length: int, target: int, moving: CellBuffer) -> None:
    """Let `length` words from `start` go to `target`."""
    a, b, c = exchanged(start, length, target, len(words))
    for i in range(a, c):
        moving[i] = words[i]
    for i in range(a, c):
        words[i] = moving[i + b - a] if i < a + c - b else moving[i - (c - b)]


def edits_of_pair(words: CellBuffer, reference: WordCodes, space: Space) -> int:
    """Shift words greedily, then count shifts and edits. `words` is changed."""
    n_output, n_reference = len(words), len(reference)
    if n_output == 0 or n_reference == 0:
        return n_output + n_reference
    lay_out(n_output, n_reference, space)
    n_shifts = n_checked = 0
    while True:
        distance = fill_ahead(words, reference, space)
        if distance == 0:
            return n_shifts
        align(words, reference, space)
        n_found = find_candidates(words, reference, MOST_CANDIDATES - n_checked, space)
        n_checked += n_found
        # A search that is given up moves nothing, so what it found need not even be tried.
        if n_found == 0 or n_checked >= MOST_CANDIDATES:
            return n_shifts + distance
        fill_behind(words, reference, space)
        best = best_candidate(words, reference, n_found, distance, space)
        if best < 0:
            return n_shifts + distance
        shift(words, space.starts[best], space.lengths[best], space.targets[best], space.moving)
        n_shifts += 1


def edits_loop(
    codes: list[int] | WholeNumbers,
    begins: WordCodes,
    ends: WordCodes,
    outputs: WordCodes,
    references: WordCodes,
    space: Space,
    edits: CellBuffer,
) -> None:
    """Fill `edits` for each pair of texts; text t is ``codes[begins[t]:ends[t]]``."""
    for pair in range(len(edits)):
        words = codes[begins[outputs[pair]] : ends[outputs[pair]]].copy()
        reference = codes[begins[references[pair]] : ends[references[pair]]]
        edits[pair] = edits_of_pair(words, reference, space)


# What `edits_loop` calls, directly or not: inner functions first.
HELPERS = (
    half_band,
    row_length,
    lay_out,
    fill_row,
    fill_ahead,
    fill_behind,
    align,
    add_targets,
    find_candidates,
    exchanged,
    distance_after,
    best_candidate,
    shift,
    edits_of_pair,
)


# Output words, counted once a pair: to load numba takes longer than to do fewer of them without it.
WORTH_COMPILING = 2_000


def ter_edits(codes: IntArray, bounds: IntArray, outputs: IntArray, references: IntArray) -> IntArray:
    r"""Edits that make outputs into references, each pair by itself.

    An edit is the insertion, deletion or substitution of a word, or the shift of a run of words to another
    place. The fewest cannot be found in reasonable time, so shifts are chosen greedily ([1]_, algorithm 1): again
    and again that shift which lowers the edit distance most, until none lowers it,

    .. math:: \text{edits} = \text{shifts} + \text{distance}(\text{shifted output}, \text{reference}) .

    Parameters
    ----------
    codes : array of int, shape (w,)
        The words of all texts, one text after the other; equal words have equal numbers.
    bounds : array of int, shape (t + 1,)
        Text i is ``codes[bounds[i]:bounds[i + 1]]``.
    outputs, references : array of int, shape (p,)
        The texts of each pair.

    Returns
    -------
    array of int, shape (p,)

    Raises
    ------
    TableError
        When `outputs` and `references` are not of one length, or a text does not exist.

    Notes
    -----
    The limits are those of sacreBLEU, which follows Tercom: at most 10 words are shifted together, to a reference
    word at most 50 places away; the edit distance is sought within 25 columns of the diagonal; after 1000
    shifts have been looked at, no further shift is made. A shifted run must hold an edited word, and so must
    its equal in the reference. Among shifts that are equally good the longest is made, then that of the
    earliest words, then that to the earliest place. Costs are 1 throughout.

    A shift changes the rows of the table of distances between the place where words are taken and the place
    where they go; only those are computed anew, between a table from the beginning and one from the end.

    References
    ----------
    .. [1] Snover, Dorr, Schwartz, Micciulla and Makhoul (2006), A study of translation edit rate.

    Examples
    --------
    The output "c d a b" becomes "a b c d" by one shift, and "a b" by two deletions.

    >>> codes, bounds = np.array([2, 3, 0, 1, 0, 1, 2, 3, 0, 1]), np.array([0, 4, 8, 10])
    >>> ter_edits(codes, bounds, np.array([0, 0]), np.array([1, 2]))
    array([1, 2])
    """
    codes, bounds, outputs, references = (
        np.ascontiguousarray(array, dtype=np.int64) for array in (codes, bounds, outputs, references)
    )
    _check(codes, bounds, outputs, references)
    if not outputs.size:
        return np.zeros(0, dtype=np.int64)
    lengths = np.diff(bounds)
    sizes = lengths[outputs], lengths[references]
    begins, ends = bounds[:-1], bounds[1:]
    is_worth_it = is_loaded() or int(sizes[0].sum()) >= WORTH_COMPILING
    if is_worth_it and (loop := compiled(edits_loop, *HELPERS)) is not None:
        edits = _array(len(outputs))
        loop(codes, begins, ends, outputs, references, _space(*sizes, _array), edits)
        return edits
    lists = [array.tolist() for array in (codes, begins, ends, outputs, references)]
    counted = _list(len(outputs))
    edits_loop(lists[0], lists[1], lists[2], lists[3], lists[4], _space(*sizes, _list), counted)
    return np.array(counted, dtype=np.int64)


def _check(codes: IntArray, bounds: IntArray, outputs: IntArray, references: IntArray) -> None:
    """Compiled code does not look where it reads."""
    if outputs.ndim != 1 or outputs.shape != references.shape:
        raise TableError(
            "outputs and references must be lists of one length; "
            f"their shapes are {outputs.shape} and {references.shape}."
        )
    is_cut = bounds.ndim == 1 and bounds.size and bounds[0] >= 0 and bounds[-1] <= codes.size
    if not is_cut or (np.diff(bounds) < 0).any():
        raise TableError(f"bounds must rise from 0 or more to at most {codes.size}, the number of words.")
    for name, texts in (("outputs", outputs), ("references", references)):
        if texts.size and not 0 <= texts.min() <= texts.max() < bounds.size - 1:
            raise TableError(f"{name} must hold numbers of texts, from 0 to {bounds.size - 2}.")


def _array(size: int) -> IntArray:
    return np.zeros(size, dtype=np.int64)


def _list(size: int) -> list[int]:
    return [0] * size


def _space(n_outputs: IntArray, n_references: IntArray, room: Callable[[int], CellBuffer]) -> Space:
    """Allocate working memory that is large enough for every pair."""
    n_output, n_reference = int(n_outputs.max()), int(n_references.max())
    lengths = zip(n_outputs.tolist(), n_references.tolist(), strict=True)
    n_cells = max(((i + 1) * row_length(i, j) for i, j in lengths if i), default=0)
    n_candidates = MOST_CANDIDATES + LONGEST_SHIFT + 1  # the last run of words may go over the limit
    return Space(
        low=room(n_output + 1),
        high=room(n_output + 1),
        origin=room(n_output + 1),
        ahead=room(n_cells),
        behind=room(n_cells),
        trial=room(n_cells),
        output_wrong=room(n_output),
        reference_wrong=room(n_reference),
        partner=room(n_reference),
        moving=room(n_output),
        starts=room(n_candidates),
        lengths=room(n_candidates),
        targets=room(n_candidates),
    )
