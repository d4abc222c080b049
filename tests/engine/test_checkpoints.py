import os
import warnings
from dataclasses import replace

import engine_blocks
import numpy as np
import pytest

from betterthan.engine.blocks import Job
from betterthan.engine.cache import Cache
from betterthan.engine.run import Checkpoints, job_key
from betterthan.errors import BetterThanWarning

JOB = Job(name="draw", function=engine_blocks.draw, payload=7, n_blocks=4, digest="data and settings")


class Clock:
    """Tells the seconds it is told."""

    now = 100.0

    def __call__(self):
        """The time."""
        return self.now


@pytest.mark.parametrize("change", [{"name": "drew"}, {"digest": "other data"}, {"n_blocks": 5}])
def test_another_job_has_another_key(change):
    """Name, digest and number of blocks all count."""
    assert job_key(replace(JOB, **change)) != job_key(JOB)


def test_a_short_run_writes_nothing(tmp_path):
    """Below the patience of the cache the disk is left alone."""
    clock = Clock()
    checkpoints = Checkpoints(JOB, Cache(tmp_path / "cache"), clock=clock)
    checkpoints.add(0, np.arange(3))
    clock.now += 0.4
    checkpoints.add(1, np.arange(3))
    checkpoints.close()
    assert not (tmp_path / "cache").exists()


def test_a_longer_run_writes_blocks_together(tmp_path):
    """When patience ends, all finished blocks become one entry; then it begins anew."""
    clock, cache = Clock(), Cache(tmp_path / "cache")
    checkpoints = Checkpoints(JOB, cache, clock=clock)
    checkpoints.add(0, np.arange(3))
    clock.now += 0.6
    checkpoints.add(2, np.arange(3))
    assert sorted(checkpoints.found()) == [0, 2]
    checkpoints.add(3, np.arange(3))
    assert sorted(checkpoints.found()) == [0, 2]
    clock.now += 0.6
    checkpoints.add(1, np.arange(3))
    assert sorted(checkpoints.found()) == [0, 1, 2, 3]
    assert cache.info().entries == 2


def test_blocks_held_back_are_written_when_a_run_ends_late(tmp_path):
    """As after Ctrl-C during a long block."""
    clock, cache = Clock(), Cache(tmp_path / "cache")
    checkpoints = Checkpoints(JOB, cache, clock=clock)
    checkpoints.add(1, np.arange(3))
    clock.now += 30
    checkpoints.close()
    assert list(Checkpoints(JOB, cache).found()) == [1]


def test_ctrl_c_in_the_middle_of_a_write_loses_nothing(cache, monkeypatch):
    """What could not be written then is written at the end."""
    checkpoints = Checkpoints(JOB, cache)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            checkpoints.add(1, np.arange(3))
    assert checkpoints.found() == {}
    checkpoints.close()
    assert list(checkpoints.found()) == [1]
    assert not list(cache.folder.glob("*/*.partial"))


def interrupt(_):
    """Behave as Ctrl-C does."""
    raise KeyboardInterrupt


def test_a_job_without_digest_has_no_checkpoints(cache):
    """What cannot be identified cannot be found again."""
    checkpoints = Checkpoints(replace(JOB, digest=None), cache)
    checkpoints.add(0, np.arange(3))
    checkpoints.close()
    assert checkpoints.found() == {}
    assert cache.info().entries == 0


def test_a_folder_that_cannot_be_written_to_costs_one_warning(tmp_path):
    """A file is where the folder should be; the second block is silent."""
    (tmp_path / "file").touch()
    checkpoints = Checkpoints(JOB, Cache(tmp_path / "file" / "cache", patience=0))
    assert checkpoints.found() == {}
    with pytest.warns(
        BetterThanWarning, match=r"Checkpoints cannot be written to .*cache \(Not a directory\)"
    ):
        checkpoints.add(0, np.arange(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checkpoints.add(1, np.arange(3))
        checkpoints.close()


def test_a_run_that_wrote_reduces_the_cache_to_its_size(tmp_path):
    """The oldest entries go, of whatever job."""
    cache = Cache(tmp_path / "cache", max_bytes=1000, patience=0)
    cache.save("b" * 64, {0: np.zeros(1000)})
    checkpoints = Checkpoints(JOB, cache)
    checkpoints.add(0, np.arange(3))
    checkpoints.close()
    assert cache.load("b" * 64) == {}
    assert list(checkpoints.found()) == [0]
