import hashlib

import numpy as np
import pytest

from betterthan.errors import BetterThanError
from betterthan.examples.draws import bell, pick, rounded, stream


def test_a_draw_is_a_raw_word_of_philox_and_nothing_else():
    """No routine of NumPy that may change stands between the counter generator and a draw."""
    word = int.from_bytes(hashlib.sha256(b"texts").digest()[:8], "big")
    raw = np.random.Philox(key=np.array([7, word], dtype=np.uint64)).random_raw(100)

    assert stream(7, "texts").random(100).tolist() == ((raw >> np.uint64(11)) * 2.0**-53).tolist()


def test_purposes_and_seeds_have_streams_of_their_own():
    """Neither another purpose nor another seed repeats the draws."""
    draws = {
        float(stream(seed, purpose).random()) for seed in (0, 1, 2**64 - 1) for purpose in ("a", "b", "")
    }

    assert len(draws) == 9


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_out_of_range_is_refused(seed):
    """The message says which seeds there are."""
    with pytest.raises(BetterThanError, match=f"The seed {seed} is out of range. Take a whole number from 0"):
        stream(seed, "texts")


def test_the_bell_is_nearly_normal():
    """Mean, variance and the share beyond two are those of a normal distribution."""
    values = bell(stream(1, "bell"), (20_000,))

    assert abs(values.mean()) < 0.03
    assert abs(values.var() - 1) < 0.03
    assert abs((np.abs(values) > 1.96).mean() - 0.05) < 0.01


def test_pick_reaches_every_option_and_no_further():
    """The smallest draw takes the first option, the greatest the last."""
    assert [pick("abc", draw) for draw in (0.0, 0.34, 1 - 2.0**-53)] == ["a", "b", "c"]


def test_a_rounded_value_equals_its_printed_form():
    """Reading a printed score back gives the same number."""
    values = rounded(stream(3, "values").random(1000) * 100, 2)

    assert all(float(f"{value:.2f}") == value for value in values)
