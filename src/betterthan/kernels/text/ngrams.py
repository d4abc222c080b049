"""How many n-grams of an output are in its references: exact, for many outputs at once.

An n-gram of order n is the number of its first n − 1 symbols followed by its last one, so that a pair of whole
numbers identifies it: there are no hash collisions, and an n-gram whose beginning is not in the references is
never looked up. There are two ways with equal results: sorted arrays in NumPy, and a tree in a hash table, compiled
by numba (the extra ``fast``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from betterthan.arrays import IntArray
from betterthan.kernels.compiled import compiled, is_loaded

WORTH_COMPILING = 2_000_000  # symbols times orders; below this NumPy is done before numba is imported


class SymbolSequences(NamedTuple):
    """Sequences of symbols one after the other: the i-th is ``symbols[offsets[i]:offsets[i + 1]]``."""

    symbols: IntArray
    offsets: IntArray

    @classmethod
    def of(cls, symbols: IntArray, lengths: Sequence[int]) -> SymbolSequences:
        """Cut symbols into sequences of these lengths."""
        return cls(symbols, np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64))

    @property
    def lengths(self) -> IntArray:
        """The number of symbols of each sequence."""
        return np.diff(self.offsets)

    def split(self, n: int) -> tuple[SymbolSequences, SymbolSequences]:
        """Return the first n sequences, and the others."""
        middle = self.offsets[n]
        first = SymbolSequences(self.symbols[:middle], self.offsets[: n + 1])
        return first, SymbolSequences(self.symbols[middle:], self.offsets[n:] - middle)


def ngram_totals(lengths: IntArray, max_order: int) -> IntArray:
    """Return how many n-grams of order 1 to N sequences have, shape (sequences, N).

    Examples
    --------
    >>> ngram_totals(np.array([5, 2]), 4)
    array([[5, 4, 3, 2],
           [2, 1, 0, 0]])
    """
    totals: IntArray = np.maximum(lengths[:, None] - np.arange(max_order), 0)
    return totals


def ngram_matches(
    outputs: SymbolSequences,
    output_group: IntArray,
    references: SymbolSequences,
    reference_group: IntArray,
    *,
    max_order: int,
) -> IntArray:
    r"""Count the n-grams that outputs share with the references of their group.

    An n-gram that an output has c times and a reference r times counts min(c, r) times; of several references the
    one that has it most often counts, n-gram by n-gram:

    .. math:: m_n = \sum_g \min\big(c(g), \max_{\text{references}} r(g)\big)

    Parameters
    ----------
    outputs, references : SymbolSequences
        Symbols are whole numbers from 0.
    output_group, reference_group : ndarray of int
        The group of each sequence, not decreasing. A group without references matches nothing.
    max_order : int
        N.

    Returns
    -------
    ndarray of int, shape (outputs, N)

    Examples
    --------
    "a b a" and "b b" beside "a b c a":

    >>> outputs = SymbolSequences(np.array([0, 1, 0, 1, 1]), np.array([0, 3, 5]))
    >>> references = SymbolSequences(np.array([0, 1, 2, 0]), np.array([0, 4]))
    >>> ngram_matches(outputs, np.array([0, 0]), references, np.array([0]), max_order=2)
    array([[3, 1],
           [1, 0]])
    """
    n_steps = max_order * (len(outputs.symbols) + len(references.symbols))
    loop = None
    if is_loaded() or n_steps >= WORTH_COMPILING:
        loop = compiled(match_loop, slots_for, slot_of, grow_tree, match_tree)
    if loop is None:
        return sorted_matches(outputs, output_group, references, reference_group, max_order=max_order)
    return tree_matches(outputs, output_group, references, reference_group, max_order=max_order, loop=loop)


def tree_matches(
    outputs: SymbolSequences,
    output_group: IntArray,
    references: SymbolSequences,
    reference_group: IntArray,
    *,
    max_order: int,
    loop: Callable[..., None] | None = None,
) -> IntArray:
    """Do what :func:`ngram_matches` does with a tree a group; `loop` is :func:`match_loop`, compiled or not."""
    in_group = np.bincount(reference_group, weights=references.lengths, minlength=1)
    n_ngrams = max_order * int(in_group.max())
    matches = np.zeros((len(output_group), max_order), dtype=np.int64)
    (loop or match_loop)(
        *outputs,
        output_group,
        *references,
        reference_group,
        _n_symbols(outputs, references),
        np.empty((slots_for(n_ngrams), 2), dtype=np.int64),
        np.empty((n_ngrams + 1, 5), dtype=np.int64),
        matches,
    )
    return matches


def sorted_matches(
    outputs: SymbolSequences,
    output_group: IntArray,
    references: SymbolSequences,
    reference_group: IntArray,
    *,
    max_order: int,
) -> IntArray:
    """Do what :func:`ngram_matches` does, order by order, on sorted arrays."""
    n_symbols = _n_symbols(outputs, references)
    ours, theirs = _positions(outputs, output_group), _positions(references, reference_group)
    matches = np.zeros((len(output_group), max_order), dtype=np.int64)
    for n in range(max_order):
        ours, theirs = _longer(ours, outputs, n), _longer(theirs, references, n)
        known, their_ngram = np.unique(
            theirs.prefix * n_symbols + references.symbols[theirs.start + n], return_inverse=True
        )
        most = _most_in_one(their_ngram, theirs.sequence, len(known), len(reference_group))
        wanted = ours.prefix * n_symbols + outputs.symbols[ours.start + n]
        place = np.searchsorted(known, wanted)
        is_known = known[np.minimum(place, len(known) - 1)] == wanted if len(known) else place < 0
        ours = _Positions(ours.start[is_known], ours.sequence[is_known], place[is_known])
        theirs = theirs._replace(prefix=their_ngram)
        pairs, times = np.unique(ours.sequence * max(len(known), 1) + ours.prefix, return_counts=True)
        sequence, ngram = np.divmod(pairs, max(len(known), 1))
        matches[:, n] = np.bincount(
            sequence, weights=np.minimum(times, most[ngram]), minlength=len(output_group)
        )
    return matches


class _Positions(NamedTuple):
    """Where an n-gram begins, in which sequence, and the number of its first n − 1 symbols."""

    start: IntArray
    sequence: IntArray
    prefix: IntArray


def _positions(sequences: SymbolSequences, group: IntArray) -> _Positions:
    sequence = np.repeat(np.arange(len(group)), sequences.lengths)
    # The empty beginning is numbered by group, which keeps the n-grams of different groups apart.
    return _Positions(np.arange(len(sequences.symbols)), sequence, group[sequence])


def _longer(positions: _Positions, sequences: SymbolSequences, n: int) -> _Positions:
    """Keep the positions that have another n symbols after the first."""
    fits = positions.start + n < sequences.offsets[positions.sequence + 1]
    return _Positions(*(part[fits] for part in positions))


def _most_in_one(ngram: IntArray, sequence: IntArray, n_ngrams: int, n_sequences: int) -> IntArray:
    """Return how often each n-gram occurs in the reference that has it most often."""
    pairs, times = np.unique(ngram * max(n_sequences, 1) + sequence, return_counts=True)
    most = np.zeros(n_ngrams, dtype=np.int64)
    np.maximum.at(most, pairs // max(n_sequences, 1), times)
    return most


def _n_symbols(*sequences: SymbolSequences) -> int:
    return 1 + max((int(part.symbols.max()) for part in sequences if len(part.symbols)), default=0)


def match_loop(
    our_symbols: IntArray,
    our_offsets: IntArray,
    our_group: IntArray,
    their_symbols: IntArray,
    their_offsets: IntArray,
    their_group: IntArray,
    n_symbols: int,
    keys: IntArray,
    state: IntArray,
    matches: IntArray,
) -> None:
    """Do what :func:`ngram_matches` does, group by group, with a tree of the references; `matches` is filled.

    The tree is a hash table from (node, symbol) to the node of the longer n-gram. `keys` (slots, 2) holds key and
    node; `state` (nodes, 5) holds for each n-gram: how often it is in one reference at most, how often in the
    present one, which that is, how often it was matched by the present output, and which that is.
    """
    reference = 0
    group = -1
    mask = 0
    for output in range(len(our_group)):
        if our_group[output] != group:
            group = our_group[output]
            while reference < len(their_group) and their_group[reference] < group:
                reference += 1
            first, n_nodes = reference, 1
            while reference < len(their_group) and their_group[reference] == group:
                reference += 1
            mask = slots_for((their_offsets[reference] - their_offsets[first]) * matches.shape[1]) - 1
            keys[: mask + 1, 0] = -1
            for i in range(first, reference):
                n_nodes = grow_tree(
                    their_symbols[their_offsets[i] : their_offsets[i + 1]],
                    i,
                    n_nodes,
                    n_symbols,
                    mask,
                    keys,
                    state,
                    matches.shape[1],
                )
        symbols = our_symbols[our_offsets[output] : our_offsets[output + 1]]
        match_tree(symbols, output, n_symbols, mask, keys, state, matches)


def slots_for(n_ngrams: int) -> int:
    """Return the power of two that leaves half of the slots free."""
    n_slots = 4
    while n_slots < 2 * n_ngrams:
        n_slots *= 2
    return n_slots


def slot_of(node: int, symbol: int, n_symbols: int, mask: int, keys: IntArray) -> int:
    """Return the slot of the n-gram that continues `node` with `symbol`, or the free one where it belongs."""
    key = node * n_symbols + symbol
    # Nodes are numbered one after the other, so that an odd factor spreads them; nothing here can overflow.
    slot = (node * 40503 + symbol * 30011) & mask
    while keys[slot, 0] != key and keys[slot, 0] >= 0:
        slot = (slot + 1) & mask
    return slot


def grow_tree(
    symbols: IntArray,
    reference: int,
    n_nodes: int,
    n_symbols: int,
    mask: int,
    keys: IntArray,
    state: IntArray,
    max_order: int,
) -> int:
    """Add the n-grams of a reference to the tree; return the number of nodes."""
    for start in range(len(symbols)):
        node = 0
        for i in range(start, min(start + max_order, len(symbols))):
            slot = slot_of(node, symbols[i], n_symbols, mask, keys)
            if keys[slot, 0] < 0:
                keys[slot, 0] = node * n_symbols + symbols[i]
                keys[slot, 1] = n_nodes
                state[n_nodes, 0] = 0
                state[n_nodes, 2] = state[n_nodes, 4] = -1
                n_nodes += 1
            node = keys[slot, 1]
            if state[node, 2] != reference:
                state[node, 2] = reference
                state[node, 1] = 0
            state[node, 1] += 1
            state[node, 0] = max(state[node, 0], state[node, 1])
    return n_nodes


def match_tree(
    symbols: IntArray,
    output: int,
    n_symbols: int,
    mask: int,
    keys: IntArray,
    state: IntArray,
    matches: IntArray,
) -> None:
    """Count the n-grams of an output that are in the tree, each no more often than there."""
    for start in range(len(symbols)):
        node = 0
        for i in range(start, min(start + matches.shape[1], len(symbols))):
            slot = slot_of(node, symbols[i], n_symbols, mask, keys)
            if keys[slot, 0] < 0:
                break
            node = keys[slot, 1]
            if state[node, 4] != output:
                state[node, 4] = output
                state[node, 3] = 0
            if state[node, 3] < state[node, 0]:
                state[node, 3] += 1
                matches[output, i - start] += 1
