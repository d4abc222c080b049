"""Edits of TER: sacreBLEU's, to the last one, compiled or not."""

from __future__ import annotations

import sys
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.lib_ter import translation_edit_rate

from betterthan.errors import TableError
from betterthan.kernels.compiled import compiled
from betterthan.kernels.text import ter as ter_loops
from betterthan.kernels.text import ter as ter_shifts
from betterthan.kernels.text.ter import ter_edits

UNHURRIED = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(params=["compiled", "interpreted"])
def way(request, monkeypatch):
    """Both ways to the same numbers."""
    compiled.cache_clear()
    if request.param == "compiled":
        pytest.importorskip("numba")
        monkeypatch.setattr(ter_shifts, "WORTH_COMPILING", 0)
    else:
        monkeypatch.setitem(sys.modules, "numba", None)
    yield request.param
    compiled.cache_clear()


def edits_of(pairs):
    """Edits of pairs of lists."""
    texts = [text for pair in pairs for text in pair]
    codes = np.array([word for text in texts for word in text], dtype=np.int64)
    bounds = np.cumsum([0, *(len(text) for text in texts)])
    return ter_edits(codes, bounds, np.arange(0, len(texts), 2), np.arange(1, len(texts), 2)).tolist()


def edits_by_sacrebleu(pairs):
    """The same by the peer, whose words are texts."""
    return [
        translation_edit_rate([str(word) for word in words], [str(word) for word in reference])[0]
        for words, reference in pairs
    ]


def disturbed(words, rng, n_kinds):
    """The words with some exchanged, left out, and runs moved about."""
    words = list(words)
    for _ in range(rng.integers(7)):
        if words:
            place = rng.integers(len(words))
            words[place : place + 1] = [] if rng.random() < 0.3 else [int(rng.integers(n_kinds))]
            first, last = sorted(rng.integers(len(words) + 1, size=2))
            run = words[first:last]
            del words[first:last]
            place = rng.integers(len(words) + 1)
            words[place:place] = run
    return words


def made_pairs(n_pairs, longest, seed):
    """Unrelated texts and disturbed copies, of few kinds of words and of many."""
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(n_pairs):
        n_kinds = rng.choice([2, 3, 5, 10, 40, 1000])
        words, other = (rng.integers(n_kinds, size=rng.integers(longest + 1)).tolist() for _ in range(2))
        pairs.append((words, disturbed(words, rng, n_kinds) if rng.random() < 0.6 else other))
    return pairs


@cache
def made_pairs_by_sacrebleu(n_pairs, longest, seed):
    """Edits of :func:`made_pairs`, once for both ways."""
    return edits_by_sacrebleu(made_pairs(n_pairs, longest, seed))


@st.composite
def pairs_of_texts(draw, longest=20):
    """Two lists of words, often with much in common."""
    words = st.lists(st.integers(0, draw(st.sampled_from([1, 3, 9]))), max_size=longest)
    output = draw(words)
    if draw(st.booleans()):
        return output, draw(words)
    return output, disturbed(output, np.random.default_rng(draw(st.integers(0, 2**32))), 10)


# Snover et al. (2006), section 3: "the number of edits is 4 (1 Shift, 2 Substitutions, and 1 Insertion), giving a
# TER score of 4/13 = 31%".
SAUDI = (
    "THIS WEEK THE SAUDIS denied information published in the new york times",
    "SAUDI ARABIA denied THIS WEEK information published in the AMERICAN new york times",
)


@pytest.mark.usefixtures("way")
def test_the_example_of_the_paper():
    """Four edits, a shift among them; without it there would be six."""
    numbers = {}
    pair = [[numbers.setdefault(word, len(numbers)) for word in text.split()] for text in SAUDI]
    assert edits_of([pair]) == [4]
    assert len(pair[1]) == 13


@pytest.mark.usefixtures("way")
def test_edits_are_sacrebleus():
    """Texts of up to 60 words; sacreBLEU is the oracle, and its numbers are whole."""
    for wish in ((50, 30, 1), (4, 60, 2)):
        assert edits_of(made_pairs(*wish)) == made_pairs_by_sacrebleu(*wish)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("seed", [101, 102, 103, 104])
def test_edits_of_many_texts_are_sacrebleus(seed):
    """Four hundred pairs of up to 60 words, with all limits of the search at work."""
    assert edits_of(made_pairs(400, 60, seed)) == made_pairs_by_sacrebleu(400, 60, seed)


@UNHURRIED
@given(pair=pairs_of_texts())
@pytest.mark.usefixtures("way")
def test_edits_of_any_short_text_are_sacrebleus(pair):
    """Whatever Hypothesis thinks of."""
    assert edits_of([pair]) == edits_by_sacrebleu([pair])


@pytest.mark.parametrize("way", ["interpreted"], indirect=True)
@pytest.mark.usefixtures("way")
def test_the_search_is_given_up_where_sacrebleu_gives_up(monkeypatch):
    """After a thousand shifts looked at; without that limit fewer edits would be found."""
    rng = np.random.default_rng(7)
    words = rng.integers(3, size=40).tolist()
    pair = words, disturbed(words, rng, 3)
    (limited,) = edits_of([pair])
    assert limited == edits_by_sacrebleu([pair])[0]
    for module in (ter_loops, ter_shifts):
        monkeypatch.setattr(module, "MOST_CANDIDATES", 10**5)
    assert edits_of([pair])[0] < limited


@pytest.mark.usefixtures("way")
def test_very_unequal_and_very_long_texts():
    """The band widens for one word beside thousands; of a thousand words, seven are moved."""
    pairs = [([1], [1] * 2000), ([1] * 300, [1]), ([0, 1, 2], list(range(400))), (list(range(400)), [7, 3])]
    assert edits_of(pairs) == edits_by_sacrebleu(pairs)
    words = list(range(1000))
    moved = words[20:27] + words[:20] + words[27:]
    assert edits_of([(moved, words)]) == [1]


@pytest.mark.usefixtures("way")
def test_laws():
    """Names of words, company and order do not matter; equal texts need nothing; bounds hold."""
    pairs = made_pairs(40, 25, seed=4)
    edits = edits_of(pairs)
    renamed = [([9 - word for word in a], [9 - word for word in b]) for a, b in pairs]
    assert edits_of(renamed) == edits
    assert edits_of(pairs[::-1]) == edits[::-1]
    assert [edits_of([pair])[0] for pair in pairs] == edits
    assert edits_of([(a, a) for a, _ in pairs]) == [0] * len(pairs)
    for (a, b), found in zip(pairs, edits, strict=True):
        assert abs(len(a) - len(b)) <= found <= max(len(a), len(b))
        assert (found == 0) == (a == b)


@pytest.mark.usefixtures("way")
def test_nothing_beside_something():
    """An empty text needs one edit a word, whichever side it stands on; no pairs need nothing."""
    assert edits_of([([], [1, 2]), ([1, 2, 3], []), ([], [])]) == [2, 3, 0]
    assert edits_of([]) == []


@pytest.mark.usefixtures("way")
def test_what_is_given_is_left_as_it_is():
    """Shifts are made in a copy."""
    codes, bounds = np.array([2, 3, 0, 1, 0, 1, 2, 3]), np.array([0, 4, 8])
    assert ter_edits(codes, bounds, np.array([0, 1]), np.array([1, 0])).tolist() == [1, 1]
    assert codes.tolist() == [2, 3, 0, 1, 0, 1, 2, 3]


def test_compiled_and_interpreted_give_the_same():
    """To the last edit, on texts too many for sacreBLEU to be asked."""
    loop = compiled(ter_loops.edits_loop, *ter_loops.HELPERS)
    if loop is None:
        pytest.skip("numba is not installed")
    pairs = made_pairs(30, 60, seed=5)
    assert edits_of(pairs) == [
        ter_loops.edits_of_pair(
            list(a), b, ter_shifts._space(np.array([len(a)]), np.array([len(b)]), ter_shifts._list)
        )
        for a, b in pairs
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([0], [0, 1], [0, 0], [0]), "outputs and references must be lists of one length"),
        (([0], [0, 2], [0], [0]), "bounds must rise from 0 or more to at most 1"),
        (([0], [1, 0], [0], [0]), "bounds must rise"),
        (([0], [], [], []), "bounds must rise"),
        (([0], [0, 1], [1], [0]), "outputs must hold numbers of texts, from 0 to 0"),
        (([0], [0, 1], [0], [-1]), "references must hold numbers of texts, from 0 to 0"),
    ],
)
def test_what_does_not_exist_is_refused(given, message):
    """Compiled code would read whatever lies there."""
    with pytest.raises(TableError, match=message):
        ter_edits(*(np.array(part, dtype=np.int64) for part in given))
