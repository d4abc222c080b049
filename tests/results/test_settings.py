"""Settings: the signature says how a number was made."""

from __future__ import annotations

import betterthan as bt


def test_the_signature_shows_size_options_seed_data_and_version_in_that_order():
    """The order is fixed, so that two signatures can be compared by eye."""
    settings = bt.Settings(
        method="mean",
        options={"ci": "95,percentile,2000", "ties": None, "exact": True},
        seed=0,
        n_systems=3,
        n_segments=5,
        data="9f3c1a2b",
        version="1.2.3",
    )

    expected = "betterthan|mean|n:5|k:3|ci:95,percentile,2000|exact:yes|seed:0|data:9f3c1a2b|version:1.2.3"
    assert settings.signature == expected
    assert str(settings) == expected


def test_separators_in_an_option_cannot_forge_a_field():
    """A column named like a field of the signature stays inside its own field."""
    settings = bt.Settings(method="mean", options={"item": "x|seed:1"}, data="d")

    assert "|seed:1" not in settings.signature
    assert "item:x/seed=1" in settings.signature


def test_the_version_of_the_package_is_recorded_by_default():
    """A signature without a version would be worth little."""
    assert f"version:{bt.__version__}" in bt.Settings(method="m", options={}, data="d").signature
