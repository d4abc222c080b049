import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import engine_blocks
import pytest
import run_to_be_stopped

from betterthan.engine.blocks import Job
from betterthan.engine.run import job_key, run
from betterthan.errors import BetterThanError


def job_with(function, folder, *, n_blocks=12):
    """A job that records its executions in the folder."""
    return Job(
        name="test",
        function=function,
        payload=str(folder),
        n_blocks=n_blocks,
        digest="test",
        uses="processes",
    )


def expected_bytes(n_blocks=12):
    """The fingerprint of an uninterrupted run."""
    return engine_blocks.fingerprint(engine_blocks.draw(7, block) for block in range(n_blocks))


@pytest.mark.parametrize("workers", [2, 3])
def test_a_killed_worker_costs_only_its_block(tmp_path, workers):
    """Block 5 is run twice, every other once, and the bytes are the same."""
    results = run(job_with(engine_blocks.kills_its_process_once, tmp_path), workers=workers)
    assert engine_blocks.fingerprint(results) == expected_bytes()
    assert engine_blocks.executions(tmp_path) == {block: 1 + (block == 5) for block in range(12)}


def test_a_block_that_always_kills_its_worker_ends_in_an_error(cache, tmp_path):
    """Three tries, then a message that names the block; what was finished is kept."""
    message = r'Block 2 of "test" ended its worker process 3 times \(exit status -9\).*fewer workers'
    with pytest.raises(BetterThanError, match=message):
        run(job_with(engine_blocks.kills_its_process_always, tmp_path), workers=2, cache=cache)
    assert engine_blocks.executions(tmp_path)[2] == 3
    assert cache.info().entries >= 2


def test_a_callers_executor_that_breaks_ends_in_an_error_with_a_cure(cache, tmp_path):
    """It is not ours to rebuild; a new one goes on where the old one stopped."""
    job = job_with(engine_blocks.kills_its_process_once, tmp_path)
    context = get_context("spawn")
    with (
        ProcessPoolExecutor(1, mp_context=context) as executor,
        pytest.raises(BetterThanError, match='The executor lost its workers while it ran "test"'),
    ):
        run(job, executor=executor, workers=1, cache=cache)
    kept = set(cache.load(job_key(job)))
    with ProcessPoolExecutor(1, mp_context=context) as executor:
        assert engine_blocks.fingerprint(run(job, executor=executor, cache=cache)) == expected_bytes()
    assert kept
    assert {engine_blocks.executions(tmp_path)[block] for block in kept} == {1}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_that_was_killed_goes_on_where_it_stopped(cache, tmp_path, workers):
    """The same bytes as an uninterrupted run, and no finished block is run again."""
    with started_run(tmp_path, workers) as process:
        wait_for_blocks(cache, 6)
        process.kill()
    (tmp_path / "go").touch()
    results = run(run_to_be_stopped.held_job(tmp_path), workers=2, cache=cache)
    assert engine_blocks.fingerprint(results) == expected_bytes()
    assert [engine_blocks.executions(tmp_path)[block] for block in range(6)] == [1] * 6


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_keeps_finished_blocks_and_ends_at_once(cache, tmp_path, workers):
    """Blocks that would never end do not delay it, and no worker complains."""
    with started_run(tmp_path, workers) as process:
        wait_for_blocks(cache, 6)
        os.killpg(process.pid, signal.SIGINT)
        _, complaints = process.communicate(timeout=60)
    assert process.returncode == 130
    assert complaints == b""
    assert sorted(cache.load(job_key(run_to_be_stopped.held_job(tmp_path)))) == list(range(6))


def test_ctrl_c_does_not_wait_for_threads(cache):
    """The call returns although a block is still at work; its neighbours' results are kept."""
    release = threading.Event()

    def interrupts_at_six(payload, block):
        if block == 6:
            wait_for_blocks(cache, 6)
            os.kill(os.getpid(), signal.SIGINT)
        if block >= 6:
            release.wait()
        return engine_blocks.draw(payload, block)

    job = Job(name="test", function=interrupts_at_six, payload=7, n_blocks=12, digest="test")
    try:
        with pytest.raises(KeyboardInterrupt):
            run(job, workers=2, cache=cache)
    finally:
        release.set()
    assert cache.info().entries == 6


def started_run(folder, workers):
    """The script beside this file, as a process with a terminal session of its own."""
    script = Path(run_to_be_stopped.__file__)
    return subprocess.Popen(
        [sys.executable, str(script), str(folder), str(workers)],
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def wait_for_blocks(cache, n_blocks):
    """Wait until so many blocks are kept, at most a minute."""
    end = time.monotonic() + 60
    while len(list(cache.folder.glob("*/*.checkpoint"))) < n_blocks:
        assert time.monotonic() < end
        time.sleep(0.01)
