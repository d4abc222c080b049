"""The example campaign, held once for all tests of it."""

import pytest

from betterthan.examples.campaign import Campaign, campaign


@pytest.fixture(scope="session")
def example() -> Campaign:
    """The campaign of the default seed."""
    return campaign()
