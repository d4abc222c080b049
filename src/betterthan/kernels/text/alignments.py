"""Edits between sequences and their longest common subsequence, for many pairs at once.

Both fill the table of dynamic programming column by column, 64 cells to a machine word [1]_ [2]_, and all pairs of
similar length together, so that each step is a handful of operations on arrays.

References
----------
.. [1] Hyyrö (2003), A bit-vector algorithm for computing Levenshtein and Damerau edit distances.
.. [2] Hyyrö (2004), Bit-parallel LCS-length computation revisited.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from betterthan.arrays import BoolArray, IntArray
from betterthan.budget import require
from betterthan.kernels.text.ngrams import SymbolSequences

EDITS = ("hits", "substitutions", "deletions", "insertions")
BITS = 64
CELLS_AT_ONCE = 1 << 28  # of the tables that are kept for tracing back, 2 bits each: 64 MB

Words: TypeAlias = np.ndarray[Any, np.dtype[np.uint64]]
Symbols: TypeAlias = np.ndarray[Any, np.dtype[np.int32]]
ONE = np.uint64(1)
TOP = np.uint64(BITS - 1)


class _Batch(NamedTuple):
    """Some pairs, filled up to equal lengths: `place` says which they are."""

    place: IntArray
    outputs: Symbols
    output_lengths: IntArray
    references: Symbols
    reference_lengths: IntArray

    @property
    def n_words(self) -> int:
        """Machine words that hold one bit for each symbol of a reference."""
        return int(self.references.shape[1]) // BITS

    def matches(self, column: int) -> Words:
        """Where the references have the symbol of the outputs in this column, one bit each: (pairs, words)."""
        same = self.references == self.outputs[:, column, None]
        packed: Words = np.packbits(same, axis=1, bitorder="little").view("<u8").astype(np.uint64)
        return packed


def edit_counts(outputs: SymbolSequences, references: SymbolSequences) -> IntArray:
    """Count hits, substitutions, deletions and insertions that turn each reference into its output.

    Of all ways with the fewest edits one is chosen: equal beginnings and ends are hits; then, from the end, a
    deletion is preferred to an insertion, and that to a substitution or a hit [1]_. The number of edits does not
    depend on this; how it is divided, and so the number of hits, does.

    Parameters
    ----------
    outputs, references : SymbolSequences
        The i-th output belongs to the i-th reference. Symbols are whole numbers from 0.

    Returns
    -------
    ndarray of int, shape (pairs, 4)
        In the order of :data:`EDITS`.

    References
    ----------
    .. [1] Bachmann, RapidFuzz: ``Levenshtein.editops``, whose choices these are.

    Examples
    --------
    "a b c d" spoken, "a x c" recognized:

    >>> edit_counts(SymbolSequences.of(np.array([0, 9, 2]), [3]), SymbolSequences.of(np.array([0, 1, 2, 3]), [4]))
    array([[2, 1, 1, 0]])
    """
    alike, ours, theirs = _without_common_ends(outputs, references)
    found = np.zeros((len(outputs.lengths), 4), dtype=np.int64)
    found[:, 0] = alike
    for batch in _batches(ours, theirs, bits_of_a_cell=2):
        found[batch.place] += _traced(batch, *_deltas(batch))
    return found


def common_lengths(outputs: SymbolSequences, references: SymbolSequences) -> IntArray:
    """Return the length of the longest common subsequence of each output and its reference.

    Examples
    --------
    >>> common_lengths(SymbolSequences.of(np.array([0, 9, 2]), [3]), SymbolSequences.of(np.array([0, 1, 2, 3]), [4]))
    array([2])
    """
    alike, ours, theirs = _without_common_ends(outputs, references)
    found = alike.copy()
    for batch in _batches(ours, theirs, bits_of_a_cell=0):
        state = np.full((len(batch.place), batch.n_words), ~np.uint64(0))
        for column in range(batch.outputs.shape[1]):
            is_inside = column < batch.output_lengths
            state = np.where(is_inside[:, None], _extended(state, batch.matches(column)), state)
        bits = np.unpackbits(state.astype("<u8").view(np.uint8), axis=1, bitorder="little")
        found[batch.place] += (bits == 0).sum(axis=1)
    return found


def _extended(state: Words, matches: Words) -> Words:
    """One column of the table of common subsequences; a bit of 0 is a row where the length grows."""
    common = state & matches
    total = np.empty_like(state)
    carry = np.zeros(len(state), dtype=np.uint64)
    for word in range(state.shape[1]):
        part = state[:, word] + common[:, word]
        total[:, word] = part + carry
        carry = ((part < state[:, word]) | (total[:, word] < part)).astype(np.uint64)
    return total | (state & ~matches)


def _without_common_ends(
    outputs: SymbolSequences, references: SymbolSequences
) -> tuple[IntArray, SymbolSequences, SymbolSequences]:
    """Return how many symbols both have at the beginning and at the end, and what is between."""
    shorter = np.minimum(outputs.lengths, references.lengths)
    first = np.zeros(len(shorter), dtype=np.int64)
    starts = outputs.offsets[:-1], references.offsets[:-1]
    _count_equal(first, shorter, outputs.symbols, references.symbols, starts, step=1)
    last = np.zeros(len(shorter), dtype=np.int64)
    ends = outputs.offsets[1:] - 1, references.offsets[1:] - 1
    _count_equal(last, shorter - first, outputs.symbols, references.symbols, ends, step=-1)
    alike = first + last
    return alike, _cut(outputs, first, alike), _cut(references, first, alike)


def _count_equal(
    count: IntArray,
    most: IntArray,
    ours: IntArray,
    theirs: IntArray,
    starts: tuple[IntArray, IntArray],
    *,
    step: int,
) -> None:
    """Count equal symbols from `starts` on, at most `most`; `count` is filled."""
    going = np.flatnonzero(most > 0)
    while going.size:
        moved = step * count[going]
        same = ours[starts[0][going] + moved] == theirs[starts[1][going] + moved]
        going = going[same]
        count[going] += 1
        going = going[count[going] < most[going]]


def _cut(sequences: SymbolSequences, first: IntArray, alike: IntArray) -> SymbolSequences:
    """Leave out the first symbols of each sequence, and as many at its end that `alike` are gone."""
    lengths = sequences.lengths - alike
    before = np.concatenate([[0], np.cumsum(lengths)])
    place = np.arange(before[-1]) + np.repeat(sequences.offsets[:-1] + first - before[:-1], lengths)
    return SymbolSequences(sequences.symbols[place], before.astype(np.int64))


def _batches(
    outputs: SymbolSequences, references: SymbolSequences, *, bits_of_a_cell: int
) -> Iterator[_Batch]:
    """Yield pairs of similar length together; pairs whose sequences are both empty are left out."""
    n_words = -(-references.lengths // BITS)
    order = np.lexsort((outputs.lengths, n_words))
    order = order[(outputs.lengths + references.lengths)[order] > 0]
    start = 0
    while start < order.size:
        words = n_words[order[start]]
        end = int(np.searchsorted(n_words[order], words, side="right"))
        # Lengths double within a batch at most, so that at most half of it is filling.
        longest = max(2 * int(outputs.lengths[order[start]]), 16)
        end = start + int(np.searchsorted(outputs.lengths[order[start:end]], longest, side="right"))
        n_cells = int(words) * BITS * longest
        if bits_of_a_cell:
            require(n_cells * bits_of_a_cell / 8, "The alignment of the longest text", instead="Divide it")
        end = min(end, start + max(CELLS_AT_ONCE // max(n_cells, 1), 1))
        place = order[start:end]
        yield _Batch(
            place,
            _filled(outputs, place, int(outputs.lengths[place].max()), -1),
            outputs.lengths[place],
            _filled(references, place, max(int(words), 1) * BITS, -2),
            references.lengths[place],
        )
        start = end


def _filled(sequences: SymbolSequences, place: IntArray, width: int, filling: int) -> Symbols:
    """Return some sequences as rows of equal width; symbols below 0 are filling, which equals nothing."""
    lengths = sequences.lengths[place]
    rows = np.full((len(place), width), filling, dtype=np.int32)
    is_there = np.arange(width) < lengths[:, None]
    begins = np.repeat(sequences.offsets[place] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
    rows[is_there] = sequences.symbols[np.arange(int(lengths.sum())) + begins]
    return rows


def _deltas(batch: _Batch) -> tuple[Words, Words]:
    """Where the distance grows by one along a reference, and where it falls: (columns, pairs, words) bits."""
    shape = (batch.outputs.shape[1], len(batch.place), batch.n_words)
    grows, falls = np.empty(shape, dtype=np.uint64), np.empty(shape, dtype=np.uint64)
    up, down = np.full(shape[1:], ~np.uint64(0)), np.zeros(shape[1:], dtype=np.uint64)
    for column in range(shape[0]):
        matches = batch.matches(column)
        carried_up, carried_down = np.ones(shape[1], dtype=np.uint64), np.zeros(shape[1], dtype=np.uint64)
        for word in range(shape[2]):
            vertical, falling = up[:, word], down[:, word]
            match = matches[:, word] | carried_down
            diagonal = (((match & vertical) + vertical) ^ vertical) | match | falling
            right_up, right_down = falling | ~(diagonal | vertical), diagonal & vertical
            shifted_up = (right_up << ONE) | carried_up
            shifted_down = (right_down << ONE) | carried_down
            carried_up, carried_down = right_up >> TOP, right_down >> TOP
            grows[column, :, word] = shifted_down | ~(diagonal | shifted_up)
            falls[column, :, word] = shifted_up & diagonal
        up, down = grows[column], falls[column]
    return grows, falls


def _traced(batch: _Batch, grows: Words, falls: Words) -> IntArray:
    """Follow the tables from their last cells to the first, and count what is on the way: (pairs, 4)."""
    counts = np.zeros((len(batch.place), 4), dtype=np.int64)
    row, column = batch.reference_lengths.copy(), batch.output_lengths.copy()
    going = np.flatnonzero((row > 0) & (column > 0))
    while going.size:
        at_row, at_column = row[going], column[going]
        is_deleted = _bit(grows, at_column - 1, going, at_row - 1)
        is_inserted = ~is_deleted & (at_column > 1)
        is_inserted &= _bit(falls, np.maximum(at_column - 2, 0), going, at_row - 1)
        is_same = batch.references[going, at_row - 1] == batch.outputs[going, at_column - 1]
        is_hit = ~is_deleted & ~is_inserted & is_same
        is_substituted = ~(is_deleted | is_inserted | is_hit)
        for kind, chosen in enumerate((is_hit, is_substituted, is_deleted, is_inserted)):
            counts[going, kind] += chosen
        row[going] -= ~is_inserted
        column[going] -= ~is_deleted
        going = going[(row[going] > 0) & (column[going] > 0)]
    counts[:, 2] += row
    counts[:, 3] += column
    return counts


def _bit(tables: Words, column: IntArray, pair: IntArray, row: IntArray) -> BoolArray:
    words = tables[column, pair, row // BITS]
    return ((words >> (row % BITS).astype(np.uint64)) & ONE).astype(np.bool_)
