import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.engine.blocks import block_ranges, checked
from betterthan.errors import BetterThanError


@given(st.integers(0, 3000), st.integers(0, 500), st.integers(1, 5000))
def test_blocks_cover_all_items_once_in_order_and_fit(n_items, bytes_per_item, budget):
    """Nothing is lost, nothing doubled, nothing too large, and sizes are as even as can be."""
    blocks = block_ranges(n_items, bytes_per_item, budget=budget)
    assert [item for block in blocks for item in block] == list(range(n_items))
    sizes = [len(block) for block in blocks]
    assert all(size == 1 or size * bytes_per_item <= budget for size in sizes)
    assert not sizes or 0 < max(sizes) <= min(sizes) + 1


@given(st.integers(1, 3000), st.integers(1, 500), st.integers(500, 5000))
def test_blocks_are_as_few_as_the_budget_allows(n_items, bytes_per_item, budget):
    """One block fewer would not fit."""
    n_blocks = len(block_ranges(n_items, bytes_per_item, budget=budget))
    assert (n_blocks - 1) * (budget // bytes_per_item) < n_items


@pytest.mark.parametrize(("n_items", "bytes_per_item", "budget"), [(-1, 1, 1), (1, -1, 1), (1, 1, 0)])
def test_sizes_that_make_no_sense_are_refused(n_items, bytes_per_item, budget):
    """The message repeats the numbers."""
    message = f"{n_items} items of {bytes_per_item} bytes cannot be cut into blocks of {budget} bytes"
    with pytest.raises(BetterThanError, match=message):
        block_ranges(n_items, bytes_per_item, budget=budget)


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        (3.5, "float"),
        (np.float64(3.5), "float64"),
        ([1, 2], "list"),
        ({"a": None}, "NoneType"),
        (np.array([None]), "an array of object"),
        (np.ma.array([1.0], mask=[True]), "an array of float64"),
    ],
)
def test_what_a_checkpoint_would_change_is_refused(result, kind):
    """Scalars, lists, objects and masks would not come back as they went."""
    with pytest.raises(TypeError, match=f'A block of "means" returned {kind} where'):
        checked(result, job="means")
