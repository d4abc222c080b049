"""The parts of TER one by one: distances in a band, alignments, shifts."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.lib_ter import BeamEditDistance, _flip_trace, trace_to_alignment

from betterthan.kernels.text import ter as ter_loops
from betterthan.kernels.text.ter import _list, _space

WORDS = st.lists(st.integers(0, 3), min_size=1, max_size=24)
LONG_WORDS = st.lists(st.integers(0, 5), min_size=1, max_size=90)


def space_for(words, reference):
    """Lists to work in, laid out for one pair."""
    space = _space(np.array([len(words)]), np.array([len(reference)]), _list)
    ter_loops.lay_out(len(words), len(reference), space)
    return space


def levenshtein(words, reference):
    """The whole table, cell by cell, as in a textbook."""
    table = np.zeros((len(words) + 1, len(reference) + 1), dtype=int)
    for i, j in product(range(len(words) + 1), range(len(reference) + 1)):
        if i == 0 or j == 0:
            table[i, j] = i + j
        else:
            edited = table[i - 1, j - 1] + (words[i - 1] != reference[j - 1])
            table[i, j] = min(edited, table[i - 1, j] + 1, table[i, j - 1] + 1)
    return table


def shifted_literally(words, start, length, target):
    """Take the run out and put it in; beside itself it moves on by as much as the target lies within it."""
    run, rest = words[start : start + length], words[:start] + words[start + length :]
    if target < start:
        place = target
    elif target > start + length:
        place = target - length
    else:
        place = min(target, len(rest))
    return rest[:place] + run + rest[place:]


@given(WORDS, WORDS)
def test_short_texts_have_the_distance_of_the_textbook(words, reference):
    """Up to 24 words the band holds the whole table."""
    space = space_for(words, reference)
    expected = levenshtein(words, reference)
    assert ter_loops.fill_ahead(words, reference, space) == expected[-1, -1]
    for i in range(1, len(words) + 1):
        cells = [space.ahead[space.origin[i] + j] for j in range(space.low[i], space.high[i])]
        assert cells == expected[i, space.low[i] : space.high[i]].tolist()


@given(LONG_WORDS, LONG_WORDS)
def test_long_texts_have_sacrebleus_distance_and_alignment(words, reference):
    """Also where the band leaves cells out: the distance, the words edited, and who meets whom."""
    space = space_for(words, reference)
    distance, trace = BeamEditDistance([str(word) for word in reference])([str(word) for word in words])
    assert ter_loops.fill_ahead(words, reference, space) == distance
    ter_loops.align(words, reference, space)
    partner, reference_wrong, output_wrong = trace_to_alignment(_flip_trace(trace))
    assert space.output_wrong == output_wrong
    assert space.reference_wrong == reference_wrong
    assert space.partner == [partner[j] for j in range(len(reference))]


# The longest row, a band that widens, steps of the diagonal that floating point rounds down, and one row of all.
@pytest.mark.parametrize(
    ("n_words", "n_reference"),
    [
        (1, 1),
        (1, 49),
        (1, 51),
        (1, 3000),
        (2, 101),
        (3, 149),
        (7, 400),
        (49, 50),
        (400, 7),
        (3000, 1),
        (90, 130),
    ],
)
def test_very_unequal_lengths_have_sacrebleus_distance(n_words, n_reference):
    """One output word may stand for very many of the reference, and the other way round."""
    rng = np.random.default_rng(n_words)
    words, reference = (rng.integers(4, size=n).tolist() for n in (n_words, n_reference))
    expected, _ = BeamEditDistance([str(word) for word in reference])([str(word) for word in words])
    assert ter_loops.fill_ahead(words, reference, space_for(words, reference)) == expected


def test_the_band_can_hide_the_shortest_way():
    """What is tested above is the band of sacreBLEU, not a distance without limits."""
    words, reference = list(range(100)), [*range(200, 230), *range(70)]
    assert levenshtein(words, reference)[-1, -1] == 60
    assert ter_loops.fill_ahead(words, reference, space_for(words, reference)) == 100


@given(LONG_WORDS, LONG_WORDS)
def test_every_row_is_crossed_by_a_shortest_way(words, reference):
    """Edits up to a cell and from it to the end sum to the distance, somewhere in each row, and never to less."""
    space = space_for(words, reference)
    distance = ter_loops.fill_ahead(words, reference, space)
    ter_loops.fill_behind(words, reference, space)
    for i in range(len(words) + 1):
        places = [space.origin[i] + j for j in range(space.low[i], space.high[i])]
        assert min(space.ahead[place] + space.behind[place] for place in places) == distance


@given(LONG_WORDS, LONG_WORDS, st.data())
def test_a_shift_is_measured_without_the_rows_it_leaves_alone(words, reference, data):
    """The distance after a shift is that of the shifted words from beginning to end."""
    space = space_for(words, reference)
    ter_loops.fill_ahead(words, reference, space)
    ter_loops.fill_behind(words, reference, space)
    start = data.draw(st.integers(0, len(words) - 1))
    length = data.draw(st.integers(1, min(10, len(words) - start)))
    target = data.draw(st.integers(0, len(words)))
    found = ter_loops.distance_after(
        words, reference, *ter_loops.exchanged(start, length, target, len(words)), space
    )
    moved = shifted_literally(words, start, length, target)
    assert found == ter_loops.fill_ahead(moved, reference, space_for(moved, reference))


def test_all_shifts_of_a_short_text():
    """Every run to every place, against lists cut and joined."""
    for n in range(1, 8):
        for start, length, target in product(range(n), range(1, n + 1), range(n + 1)):
            if start + length <= n:
                words = list(range(n))
                expected = shifted_literally(words, start, length, target)
                ter_loops.shift(words, start, length, target, [0] * n)
                assert words == expected


def test_memory_grows_with_the_sum_of_the_lengths():
    """Ten thousand words beside as many take a table of half a million cells, not a hundred million."""
    space = _space(np.array([10_000]), np.array([10_000]), _list)
    assert len(space.ahead) == 10_001 * 55
