"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.present.numbers import digits_for, interval, number, percent
from betterthan.results.pairwise import pvalue


@pytest.mark.parametrize(
    ("half_widths", "digits"),
    [([0.8], 2), ([8.0], 1), ([0.012], 3), ([120.0], 0), ([1e-12], 6), ([math.nan, 0.8], 2), ([0.0, 8.0], 1)],
)
def test_digits_show_the_half_width_with_two_significant_digits(half_widths, digits):
    """More digits than the uncertainty supports would be noise."""
    assert digits_for(half_widths) == digits


def test_without_an_interval_four_significant_digits_are_shown():
    """Values alone decide when nothing is known about uncertainty."""
    assert digits_for([], [41.25]) == 2
    assert digits_for([math.nan], [0.4125]) == 4
    assert digits_for([], []) == 2


@given(st.floats(0, 1, exclude_min=True))
def test_a_p_value_is_never_printed_as_zero(p):
    """Small ones are shown as below the smallest printed one."""
    text = pvalue(p)

    assert text.startswith("<") or float(text) > 0


def test_missing_numbers_are_a_dash():
    """Undefined is shown, not hidden."""
    assert number(math.nan, 2) == number(None, 2) == pvalue(None) == pvalue(math.nan) == "–"
    assert interval(math.nan, 1.0, 2) == "–"


def test_a_rounded_zero_has_no_minus_sign():
    """−0.0 would look like a finding."""
    assert number(-0.004, 2) == "0.00"
    assert number(-0.006, 2) == "−0.01"


def test_thousands_have_commas():
    """From 1,000 on, as in sentences."""
    assert number(999, 0) == "999"
    assert number(-1500, 0) == "−1,500"
    assert number(12345.6, 1) == "12,345.6"


def test_percentages_have_no_needless_digits():
    """95% is not 95.0%."""
    assert percent(0.95) == "95%"
    assert percent(0.999) == "99.9%"
