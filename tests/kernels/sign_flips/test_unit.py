from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.kernels.sign_flips.unit import in_units, natural_unit


@pytest.mark.parametrize("unit", [1.0, 0.5, 0.25, 0.1, 0.05, 0.01, 1 / 3, 1 / 7, 100 / 7, 5.0, 0.137])
def test_the_step_of_scores_is_found(unit):
    """Stars, tenths, thirds and whatever a scorer multiplied them with."""
    multiples = np.array([3.0, -7.0, 0.0, 12.0, 5.0, 1.0])
    assert natural_unit(unit * multiples) == pytest.approx(unit, rel=1e-12)


def test_the_step_is_as_large_as_it_can_be():
    """Scores of 0, 20 and 50 move in tens."""
    assert natural_unit(np.array([0.0, 20.0, 50.0, np.nan])) == 10.0


def test_differences_of_decimals_are_forgiven_their_rounding():
    """85.3 - 85.2 is not 0.1 in float64."""
    assert natural_unit(np.array([85.3 - 85.2, 85.5 - 85.2, 84.2 - 85.2])) == pytest.approx(0.1)
    assert in_units(np.array([85.3 - 85.2, 0.3]), 0.1).tolist() == [1.0, 3.0]


@given(st.integers(0, 10_000))
def test_real_numbers_have_no_step(seed):
    """Measured scores are not mistaken for whole numbers."""
    assert natural_unit(np.random.default_rng(seed).normal(size=30)) is None


def test_nothing_but_zeros_counts_in_ones():
    """Zero is a multiple of everything."""
    assert natural_unit(np.zeros(5)) == 1.0
    assert natural_unit(np.array([np.nan])) == 1.0


def test_a_rare_nonzero_value_is_seen():
    """A long row of zeros does not hide the one value that matters."""
    values = np.zeros(100_000)
    values[77_777] = 0.3
    assert natural_unit(values) == pytest.approx(0.3)
    values[77_778] = np.pi
    assert natural_unit(values) is None


def test_more_than_a_million_steps_are_no_step():
    """A unit of a millionth on a scale of hundreds says nothing."""
    assert natural_unit(np.array([100.000001, 3.0, 7.0])) is None


@pytest.mark.parametrize("unit", [0.37, np.pi, 1 / 17, 1e-162, 1e154])
def test_a_step_that_nobody_would_write_is_found(unit):
    """Standardised grades are multiples of one over their standard deviation; the least of them may be any."""
    whole = np.array([26.0, 39, -65, 143, 0, 91, 52])

    assert natural_unit(whole * unit) == pytest.approx(13 * unit, rel=1e-12)
