"""The one request for resampled work: what it draws, where it cuts, and what is found again."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import betterthan as bt
from betterthan.analysis.resampling import NO_UNITS, Computing, Resampling, drawn_segments
from betterthan.analysis.units import Units
from betterthan.engine.blocks import even_parts, stream
from betterthan.engine.cache import Cache

CALLS = []


def uniform(scale, part, rng):
    """As many numbers as the block has resamples."""
    CALLS.append(part)
    return scale * rng.random(len(part))


@pytest.fixture(autouse=True)
def _no_calls():
    CALLS.clear()


def alone(**fields):
    """A request that is done in this thread."""
    return Resampling(**{"seed": 7, "n_resamples": 10, "computing": Computing(workers=1), **fields})


def test_a_block_draws_from_the_stream_of_seed_name_and_number():
    """So that numbers belong to the work and not to the worker."""
    blocks = alone().run("drawn", 2.0, uniform, parts=even_parts(10, 4))
    expected = [2.0 * stream(7, "drawn", i).random(n) for i, n in enumerate((4, 4, 2))]

    assert all(np.array_equal(*pair) for pair in zip(blocks, expected, strict=True))


def test_memory_cuts_the_resamples():
    """Ten resamples of 16 MiB, 64 MiB a block: three blocks."""
    alone().run("drawn", 1.0, uniform, bytes_each=16 * 2**20)

    assert sorted(map(len, CALLS)) == [3, 3, 4]


def test_the_number_of_a_method_stands_in_where_none_is_chosen():
    """A caller's number wins."""
    units = Units(np.arange(3), 3)

    assert Resampling.of(1).on("data", units, default=2000).n_resamples == 2000
    assert Resampling.of(1, 50).on("data", units, default=2000).n_resamples == 50
    assert Resampling.of(1, 50).on("data", units).units is units
    assert Resampling.of(1).units is NO_UNITS


@pytest.mark.parametrize("number", [0, -3])
def test_a_number_below_one_is_refused(number):
    """Nothing could be said of no resamples."""
    with pytest.raises(bt.BetterThanError, match=f"n_resamples must be 1 or more; it is {number}"):
        Resampling.of(1, number)


@pytest.mark.parametrize(
    "changes",
    [{"seed": 8}, {"digest": "other data"}, {"units": Units(np.array([0, 0, 1]), 2)}, {"n_resamples": 11}],
)
def test_finished_blocks_are_found_again_for_the_same_work_only(changes, tmp_path):
    """Another seed, other data, other units or another number are other work."""
    kept = alone(digest="data", computing=Computing(workers=1, cache=Cache(tmp_path, patience=0)))
    kept.run("drawn", 1.0, uniform, bytes_each=8, key="a")
    kept.run("drawn", 1.0, uniform, bytes_each=8, key="a")
    assert len(CALLS) == 1

    replace(kept, **changes).run("drawn", 1.0, uniform, bytes_each=8, key="a")
    kept.run("drawn", 1.0, uniform, bytes_each=8, key="b")
    kept.run("other", 1.0, uniform, bytes_each=8, key="a")
    assert len(CALLS) == 4


def test_results_of_a_callers_function_are_not_kept(tmp_path):
    """What it does cannot be told by its name."""
    kept = alone(digest="data", computing=Computing(workers=1, cache=Cache(tmp_path, patience=0)))
    for _ in range(2):
        kept.run("drawn", 1.0, uniform, bytes_each=8, key=None)

    assert len(CALLS) == 2


def test_what_goes_to_a_worker_can_be_pickled_whoever_leads():
    """The executor stays behind."""

    class Pickling(ThreadPoolExecutor):
        def submit(self, function, /, *args):
            return super().submit(*pickle.loads(pickle.dumps((function, *args))))  # noqa: S301

    with Pickling(1) as executor:
        led = alone(computing=Computing(executor=executor)).run("drawn", 1.0, uniform, bytes_each=8)

    assert np.array_equal(led, alone().run("drawn", 1.0, uniform, bytes_each=8))


def test_weights_name_segments_as_often_as_they_were_drawn():
    """Two of the first, none of the second, one of the third."""
    assert drawn_segments(np.array([2.0, 0.0, 1.0])).tolist() == [0, 0, 2]
