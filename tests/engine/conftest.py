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


@pytest.fixture
def environment_restored(monkeypatch):
    """Undo what dask does to the environment: it tells BLAS, in all processes to come, to use one thread."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MALLOC_TRIM_THRESHOLD_"):
        monkeypatch.setenv(name, "1")
        monkeypatch.delenv(name)


@pytest.fixture
def machines(tmp_path):
    """A scheduler without workers."""
    from dask_machines import Machines

    started = Machines(tmp_path)
    yield started
    started.stop()
