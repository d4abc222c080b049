import hashlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.engine.blocks import stream

names = st.tuples(st.integers(), st.text(max_size=8), st.integers(0, 2**40))


GOLDEN = {
    (12345, "permutation", 0): [9755502939832048892, 3964161634679192946, 6547730504811128695],
    (12345, "permutation", 1): [14422952414964750392, 2365363356070718427, 9862351267595312958],
    (-1, "Bradley–Terry", 10**12): [10069077519225425786, 16306078411538858980, 18249036166640306372],
}


def philox(key, counter):
    """Four words of Philox4x64-10, literally as in Salmon et al. (2011), section 3.3 and table 2."""
    words = [counter, 0, 0, 0]
    for step in range(10):
        left, right = (
            (key[i] + step * (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)[i]) % 2**64 for i in range(2)
        )
        low, high = words[0] * 0xD2E7470EE14C6C93, words[2] * 0xCA5A826395121157
        words = [high >> 64 ^ words[1] ^ left, high % 2**64, low >> 64 ^ words[3] ^ right, low % 2**64]
    return words


@pytest.mark.parametrize("name", GOLDEN)
def test_first_numbers_are_fixed_for_good(name):
    """Whatever NumPy, the machine or we may do."""
    assert stream(*name).bit_generator.random_raw(3).tolist() == GOLDEN[name]


@pytest.mark.parametrize("name", GOLDEN)
def test_numbers_are_those_of_philox_with_the_documented_key(name):
    """The key is the first 16 bytes of the SHA-256 of the JSON text; the counter begins at 1."""
    digest = hashlib.sha256(json.dumps(name).encode()).digest()
    key = [int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:16], "little")]
    assert stream(*name).bit_generator.random_raw(8).tolist() == philox(key, 1) + philox(key, 2)


@given(names, names)
def test_streams_are_equal_only_if_their_names_are(one, other):
    """Different seed, analysis or block: different numbers."""
    first, second = (stream(*name).bit_generator.random_raw(4).tolist() for name in (one, other))
    assert (first == second) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"), [((1, "2", 3), (12, "", 3)), ((1, "a", 12), (1, "a1", 2)), ((1, '"a', 2), (1, "a", 2))]
)
def test_names_that_look_alike_when_joined_differ(one, other):
    """No two names run together into one."""
    assert stream(*one).random() != stream(*other).random()


def test_neighbouring_blocks_are_uncorrelated():
    """Two hundred blocks of a thousand numbers look like two hundred thousand numbers."""
    blocks = np.array([stream(12345, "independence", block).random(1000) for block in range(200)])
    correlations = np.corrcoef(blocks)[np.triu_indices(200, k=1)]
    assert abs(correlations).max() < 0.16
    assert abs(blocks.mean() - 0.5) < 0.003


def test_a_numpy_integer_is_an_integer():
    """The type of the number does not matter, its value does."""
    assert stream(np.int64(3), "a", np.uint8(2)).random() == stream(3, "a", 2).random()


def test_a_seed_that_is_no_integer_is_refused():
    """A float is not cut off."""
    with pytest.raises(TypeError):
        stream(1.5, "a", 0)
