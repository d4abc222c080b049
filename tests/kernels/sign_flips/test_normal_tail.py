from __future__ import annotations

import numpy as np
from scipy import special

from betterthan.kernels.sign_flips.analytic import AT_ONCE, normal_tails


def test_tails_are_those_of_the_error_function():
    """Everywhere, and far out to the same number of digits."""
    z = np.linspace(-38, 38, 3 * AT_ONCE + 5)
    expected = special.ndtr(-z)
    np.testing.assert_allclose(normal_tails(z.copy()), expected, rtol=0, atol=1e-13)
    near = np.abs(z) < 6
    np.testing.assert_allclose(normal_tails(z[near]), expected[near], rtol=1e-6)


def test_both_signs_sum_to_one_and_zero_is_a_half():
    """Exactly, so that turning the question round turns the answer round."""
    z = np.random.default_rng(0).normal(size=(20, 1000)) * 3
    np.testing.assert_array_equal(normal_tails(z.copy()) + normal_tails(-z), 1.0)
    np.testing.assert_array_equal(
        normal_tails(np.array([0.0, -0.0, np.inf, -np.inf, np.nan])), [0.5, 0.5, 0.0, 1.0, np.nan]
    )


def test_a_number_has_one_tail_wherever_it_stands():
    """Vector instructions take eight at a time; what compares statistics relies on equal ones staying equal."""
    z = np.random.default_rng(1).normal(size=41)
    one_by_one = np.array([normal_tails(np.array([value]))[0] for value in z])
    for start in range(9):
        np.testing.assert_array_equal(normal_tails(z[start:].copy()), one_by_one[start:])
    np.testing.assert_array_equal(normal_tails(np.stack([z, z])[:, ::2]), np.stack([one_by_one[::2]] * 2))
