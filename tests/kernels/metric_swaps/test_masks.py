"""Masks of swaps: what is swapped together, fairness, and independence of how the drawing is cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.errors import UnknownName
from betterthan.kernels.metric_swaps.masks import SWAP_SCHEMES, SwapMasks, draw_masks, masked_sums

schemes = st.sampled_from(SWAP_SCHEMES)


@given(schemes, st.integers(1, 6), st.integers(1, 150), st.integers(1, 5), st.integers(0, 5))
def test_drawing_in_portions_is_drawing_at_once(scheme, m, n, first, second):
    """A resample uses whole words, so the cut does not change the random numbers."""
    whole = draw_masks(scheme, first + second, (m, n), np.random.default_rng(3)).cells()
    rng = np.random.default_rng(3)
    parts = [draw_masks(scheme, size, (m, n), rng).cells() for size in (first, second)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    assert whole.shape == (first + second, m, n)


def test_what_is_swapped_together():
    """Inputs: columns alike. Systems: rows alike. Both: a row is another or its opposite. Cells: nothing alike."""
    cells = {
        scheme: draw_masks(scheme, 40, (5, 70), np.random.default_rng(0)).cells() for scheme in SWAP_SCHEMES
    }
    assert (cells["perm_inputs"] == cells["perm_inputs"][:, :1]).all()
    assert (cells["perm_systems"] == cells["perm_systems"][:, :, :1]).all()
    against_first = cells["perm_both"] ^ cells["perm_both"][:, :1]
    assert (against_first == against_first[:, :, :1]).all()
    assert 0 < against_first[:, 1:].mean() < 1
    ranks = [np.linalg.matrix_rank(2.0 * mask - 1) for mask in cells["perm_cells"]]
    assert min(ranks) == 5


@pytest.mark.parametrize("scheme", SWAP_SCHEMES)
def test_every_cell_is_swapped_half_the_time(scheme):
    """20 000 masks of 3 × 5 cells, five standard errors; and cells of different rows and columns are unrelated."""
    cells = draw_masks(scheme, 20_000, (3, 5), np.random.default_rng(8)).cells()
    assert np.abs(cells.mean(axis=0) - 0.5).max() < 5 * 0.5 / np.sqrt(20_000)
    both = np.mean(cells[:, 0, 0] == cells[:, 1, 1])
    assert abs(both - 0.5) < 5 * 0.5 / np.sqrt(20_000)


@pytest.mark.parametrize("scheme", SWAP_SCHEMES)
def test_sums_over_swapped_cells_are_those_of_the_plain_product(scheme):
    """Compact parts give what the cells give."""
    rng = np.random.default_rng(5)
    metrics = rng.normal(size=(4, 3, 90))
    masks = draw_masks(scheme, 7, (3, 90), rng)
    plain = np.einsum("rmn,kmn->rkm", masks.cells().astype(float), metrics)
    np.testing.assert_allclose(masked_sums(metrics, masks), plain, atol=1e-12)
    one = masks.of(4)
    np.testing.assert_array_equal(one.cells()[0], masks.cells()[4])
    assert one.n_resamples == 1


def test_all_parts_together_are_an_exclusive_or():
    """A cell is swapped when an odd number of parts say so."""
    yes, no = np.ones((1, 2), dtype=bool), np.zeros((1, 2), dtype=bool)
    single = np.array([[[True, False], [False, False]]])
    assert SwapMasks(yes, no, single, (2, 2)).cells()[0].tolist() == [[False, True], [True, True]]


def test_an_unknown_scheme_is_refused():
    """With the nearest known one."""
    with pytest.raises(UnknownName, match=r'Unknown scheme "perm_input"\. Did you mean "perm_inputs"'):
        draw_masks("perm_input", 1, (2, 2), np.random.default_rng(0))
