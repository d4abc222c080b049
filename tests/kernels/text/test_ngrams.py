"""Matching n-grams: exact, and the same in every way of counting."""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.kernels import compiled as compiling
from betterthan.kernels.compiled import compiled
from betterthan.kernels.text.ngrams import (
    SymbolSequences,
    grow_tree,
    match_loop,
    match_tree,
    ngram_matches,
    ngram_totals,
    slot_of,
    slots_for,
    sorted_matches,
    tree_matches,
)


def by_hand(outputs, output_group, references, reference_group, max_order):
    """Count with Counters of tuples."""
    table = np.zeros((len(outputs), max_order), dtype=np.int64)
    for i, (symbols, group) in enumerate(zip(outputs, output_group, strict=True)):
        for n in range(1, max_order + 1):
            most = Counter()
            for reference, g in zip(references, reference_group, strict=True):
                if g == group:
                    most |= grams(reference, n)
            table[i, n - 1] = (grams(symbols, n) & most).total()
    return table


def grams(symbols, n):
    """The n-grams of order n."""
    return Counter(tuple(symbols[i : i + n]) for i in range(len(symbols) - n + 1))


def sequences(lists):
    """Lists as symbols and offsets."""
    flat = np.array([symbol for symbols in lists for symbol in symbols], dtype=np.int64)
    return SymbolSequences.of(flat, [len(symbols) for symbols in lists])


def machine_code(*arguments, **options):
    """The tree, compiled."""
    loop = compiled(match_loop, slots_for, slot_of, grow_tree, match_tree)
    return tree_matches(*arguments, **options, loop=loop)


few = st.integers(0, 3)
WAYS = {"chosen": ngram_matches, "sorted": sorted_matches, "tree": tree_matches, "compiled": machine_code}


@pytest.fixture(params=WAYS)
def way(request):
    """Each way of counting."""
    if request.param == "compiled":
        pytest.importorskip("numba")
    return WAYS[request.param]


def lists(symbols=few, *, longest=9):
    """Sequences with groups that do not decrease."""
    pair = st.tuples(st.integers(0, 3), st.lists(symbols, max_size=longest))
    return st.lists(pair, max_size=6).map(lambda pairs: sorted(pairs, key=lambda pair: pair[0]))


@given(
    ours=lists(),
    theirs=lists(),
    wide=lists(st.integers(0, 2**21), longest=3),
    max_order=st.integers(1, 6),
)
def test_all_ways_count_as_counters_do(ours, theirs, wide, max_order):
    """Few symbols with many repeats, rare symbols, empty sequences, groups without references."""
    pytest.importorskip("numba")
    theirs = sorted([*theirs, *wide[:2]], key=lambda pair: pair[0])
    ours = sorted([*ours, *wide], key=lambda pair: pair[0])
    groups, symbols = [g for g, _ in ours], [s for _, s in ours]
    their_groups, their_symbols = [g for g, _ in theirs], [s for _, s in theirs]
    expected = by_hand(symbols, groups, their_symbols, their_groups, max_order)
    arguments = (
        sequences(symbols),
        np.array(groups, dtype=np.int64),
        sequences(their_symbols),
        np.array(their_groups, dtype=np.int64),
    )
    for name, count in WAYS.items():
        assert np.array_equal(count(*arguments, max_order=max_order), expected), name


def test_an_ngram_counts_no_more_often_than_in_a_reference(way):
    """Papineni et al. (2002), section 2.1: "the" seven times, twice in one reference, once in the other: 2 of 7."""
    the, cat, is_, on, mat, there, a = range(7)
    references = sequences([[the, cat, is_, on, the, mat], [there, is_, a, cat, on, the, mat]])
    zero = np.zeros(2, dtype=np.int64)
    found = way(sequences([[the] * 7]), zero[:1], references, zero, max_order=4)
    assert found.tolist() == [[2, 0, 0, 0]]


def test_the_most_of_several_references_counts_ngram_by_ngram(way):
    """Two of one symbol from the first reference and two of another from the second: four matches."""
    references = sequences([[1, 1, 2], [1, 2, 2]])
    zero = np.zeros(2, dtype=np.int64)
    assert way(sequences([[1, 2, 1, 2]]), zero[:1], references, zero, max_order=2).tolist() == [[4, 1]]


def test_long_sequences_are_exact(way):
    """Ten thousand symbols of one, and of many: no n-gram is taken for another."""
    n = 300 if way is tree_matches else 10_000
    rng = np.random.default_rng(1)
    outputs = [[5] * n, rng.integers(0, 3, n).tolist(), rng.integers(0, 2**20, n).tolist()]
    reference = [[5] * (n // 2) + rng.integers(0, 3, n // 2).tolist() + outputs[2][::-1]]
    expected = by_hand(outputs, [0] * 3, reference, [0], 6)
    zero = np.zeros(3, dtype=np.int64)
    assert np.array_equal(
        way(sequences(outputs), zero, sequences(reference), zero[:1], max_order=6), expected
    )


def test_outputs_do_not_know_of_each_other(way):
    """Outputs in another order, alone, or twice: each has the matches it had."""
    rng = np.random.default_rng(2)
    outputs = [rng.integers(0, 4, length).tolist() for length in (0, 1, 7, 12, 12)]
    reference = sequences([rng.integers(0, 4, 10).tolist()])

    def counted(some):
        zero = np.zeros(len(some), dtype=np.int64)
        return way(sequences(some), zero, reference, np.zeros(1, dtype=np.int64), max_order=4)

    together = counted(outputs)
    assert np.array_equal(counted(outputs[::-1]), together[::-1])
    assert np.array_equal(counted(outputs * 2), np.vstack([together, together]))
    for i, symbols in enumerate(outputs):
        assert np.array_equal(counted([symbols])[0], together[i])


def test_without_numba_arrays_are_sorted(monkeypatch):
    """The choice falls on NumPy when numba cannot be imported, also for large work."""
    compiled.cache_clear()
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setattr("betterthan.kernels.text.ngrams.WORTH_COMPILING", 0)
    zero = np.zeros(1, dtype=np.int64)
    try:
        assert not compiling.load_compiler()
        found = ngram_matches(sequences([[1, 2]]), zero, sequences([[1, 2]]), zero, max_order=2)
    finally:
        compiled.cache_clear()
    assert found.tolist() == [[2, 1]]


def test_totals_and_splitting():
    """A sequence of length L has L − n + 1 n-grams, none when it is shorter; parts keep their symbols."""
    assert ngram_totals(np.array([0, 1, 3]), 3).tolist() == [[0, 0, 0], [1, 0, 0], [3, 2, 1]]
    first, rest = sequences([[1, 2], [], [3]]).split(1)
    assert (first.symbols.tolist(), first.lengths.tolist()) == ([1, 2], [2])
    assert (rest.symbols.tolist(), rest.lengths.tolist(), rest.offsets.tolist()) == ([3], [0, 1], [0, 0, 1])
