"""Drawing sentences until there are errors enough: against a literal loop over words, and by its laws."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from tests.everyday import few
from tests.made_tags import drawn_tags

import betterthan as bt
from betterthan.engine.blocks import stream
from betterthan.kernels.tags.spans import phrase_f1_bad_as_published
from betterthan.studies.tagging.tagging_sampling import (
    Drawn,
    ErrorRows,
    draw_in_step,
    draw_loop,
    drawn_sentences,
    pool_of,
    sampled_scores,
)

ALL = ("f1_bad", "f1_mult", "phrase_f1_bad", "phrase_f1_mult", "mcc", "sequence_correlation")


def literal_sample(tags, numbers, n_errors, *, is_trimmed=True):
    """One drawn data set, word by word, from a strip of 32-bit random numbers."""
    offsets = tags.offsets.tolist()
    wrong = (tags.predicted != tags.gold).tolist()
    words = [range(a, b) for a, b in pairwise(offsets)]
    errors = {
        (j, s): [w for w in some if wrong[s][w]] for j, some in enumerate(words) for s in range(len(wrong))
    }
    left = [j for j in range(len(words)) if any(errors[j, s] for s in range(len(wrong)))]
    drawn, missing = tags.gold.copy(), n_errors
    for i, number in enumerate(numbers):
        if not missing or i == len(left):
            break
        place, rest = divmod(int(number) * (len(left) - i), 2**32)
        left[i], left[i + place] = left[i + place], left[i]
        systems = [s for s in range(len(wrong)) if errors[left[i], s]]
        s = systems[rest * len(systems) // 2**32]
        taken = errors[left[i], s][: missing if is_trimmed else None]
        drawn[taken] = tags.predicted[s, taken]
        missing -= min(missing, len(taken))
    return drawn


@pytest.mark.parametrize("n_errors", few([1, 6, 25, 36], 2))
@pytest.mark.parametrize("as_published", [False, True])
def test_scores_are_those_of_tags_drawn_word_by_word(n_errors, as_published):
    """Every measure on every drawn data set, from the same random numbers."""
    tags = drawn_tags(3, n=31, seed=5)
    pool = pool_of(tags, ALL)
    n = len(pool.options.first)
    raw = stream(1, "x", 0).bit_generator.random_raw(8 * -(-n // 2))
    strips = raw.astype("<u8").view("<u4").reshape(8, -1)
    found = sampled_scores(pool, ALL, n_errors, 8, stream(1, "x", 0), as_published=as_published)
    for strip, scores in zip(strips, found, strict=True):
        drawn = literal_sample(tags, strip, n_errors, is_trimmed=not as_published)
        one = drawn_tags(1, n=31, seed=5, gold=tags.gold, predicted=drawn[None], offsets=tags.offsets)
        expected = [
            bt.tag_counts(one, by=name, as_published=as_published and name.startswith("phrase")).pooled()[0]
            for name in ALL
        ]
        assert scores == pytest.approx(expected, abs=1e-10)
        n_wrong = int((drawn != tags.gold).sum())
        assert n_wrong == n_errors or (as_published and n_wrong > n_errors)


def test_the_loop_and_the_steps_give_the_same_numbers():
    """As plain Python, compiled where numba is there, and in step."""
    options = pool_of(drawn_tags(4, seed=2), ALL).options
    n = len(options.first)
    strips = np.random.default_rng(3).integers(0, 2**32, (30, n), dtype=np.uint32)
    found = []
    for draw in (draw_loop, draw_in_step):
        some = Drawn(
            np.zeros((30, options.changes.shape[1]), dtype=np.int64), np.full(30, -1), np.full(30, 50)
        )
        draw(strips, *options, *some)
        found.append(some)
    rng = np.random.default_rng(4)
    kept = rng.bit_generator.state
    drawn = drawn_sentences(options, 50, 30, rng)
    assert all(np.array_equal(a, b) for a, b in zip(*found, strict=True))
    rng.bit_generator.state = kept
    numba = pytest.importorskip("numba")
    raw = rng.bit_generator.random_raw(30 * -(-n // 2)).astype("<u8").view("<u4").reshape(30, -1)
    compiled = Drawn(*(np.zeros_like(part) for part in drawn))
    compiled.last[:], compiled.needed[:] = -1, 50
    numba.njit(draw_loop)(raw, *options, *compiled)
    assert all(np.array_equal(a, b) for a, b in zip(drawn, compiled, strict=True))


def test_a_sample_does_not_depend_on_what_is_drawn_with_it():
    """The first five of nine are the five, also where batches end."""
    pool = pool_of(drawn_tags(4, n=61, seed=8), ALL)
    five, nine = (sampled_scores(pool, ALL, 20, n, stream(1, "x", 0)) for n in (5, 9))
    assert np.array_equal(five, nine[:5])


def test_every_sentence_and_every_wrong_system_has_the_same_chance():
    """Chi-square tests of the first sentence of 40,000 samples, and of the system it is taken from."""
    one = np.ones(15, dtype=np.int64)
    options = ErrorRows(np.arange(0, 15, 3), np.full(5, 3), one, np.eye(15, dtype=np.int64))
    taken = drawn_sentences(options, 1, 40_000, np.random.default_rng(5)).sums.sum(axis=0)
    assert taken.sum() == 40_000
    assert stats.chisquare(taken).pvalue > 0.001


def test_all_sentences_together_are_drawn_without_replacement():
    """As many errors as there are: each sentence once, nothing is left over."""
    one = np.ones(6, dtype=np.int64)
    options = ErrorRows(np.arange(0, 6, 2), np.full(3, 2), one, np.eye(6, dtype=np.int64))
    found = drawn_sentences(options, 3, 200, np.random.default_rng(6))
    assert (found.sums.reshape(200, 3, 2).sum(axis=2) == 1).all()
    assert (found.last == -1).all()
    assert (found.needed == 0).all()


def test_counts_add_up_exactly():
    """Whole numbers of a small unit: undoing the changes of a draw leaves nothing."""
    tags = drawn_tags(4, n=50, seed=9)
    pool = pool_of(tags, ALL)
    forward = pool.options.changes.astype(np.float64) @ pool.expand
    order = np.random.default_rng(0).permutation(len(forward))
    assert np.array_equal(forward.sum(axis=0), forward[order].sum(axis=0))
    counted = bt.tag_counts(tags, by="phrase_f1_bad").values
    rows = np.stack([counted[s, j] for j in range(50) for s in range(4) if (tags.predicted[s] != tags.gold)[
        tags.offsets[j] : tags.offsets[j + 1]].any()])  # fmt: skip
    right = bt.tag_counts(drawn_tags(1, n=50, seed=9, gold=tags.gold, predicted=tags.gold[None],
                                     offsets=tags.offsets), by="phrase_f1_bad").values[0]  # fmt: skip
    home = [j for j in range(50) for s in range(4) if (tags.predicted[s] != tags.gold)[
        tags.offsets[j] : tags.offsets[j + 1]].any()]  # fmt: skip
    assert forward[:, pool.places["phrase_f1_bad"]] == pytest.approx(rows - right[home], abs=1e-11)


def test_published_phrases_have_the_formula_of_the_words():
    """E34: the same counts by the literal formula."""
    tags = drawn_tags(1, seed=6)
    n_errors = int((tags.predicted[0] != tags.gold).sum())
    found = sampled_scores(pool_of(tags, ALL), ALL, n_errors, 1, np.random.default_rng(2), as_published=True)[
        0
    ]
    sums = bt.tag_counts(tags, by="phrase_f1_bad").values[0].sum(axis=0)
    assert found[ALL.index("phrase_f1_bad")] == pytest.approx(float(phrase_f1_bad_as_published(sums)))
