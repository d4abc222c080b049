"""What the tests of the engine share: block functions that worker processes can import, and an eager cache."""

import sys
from pathlib import Path

import pytest

from betterthan.engine.cache import Cache

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def cache(tmp_path):
    """A cache that keeps blocks from the first moment on."""
    return Cache(tmp_path / "cache", patience=0)
