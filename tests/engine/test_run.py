import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import engine_blocks
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.everyday import few

from betterthan.engine import run as run_module
from betterthan.engine.blas import one_blas_thread
from betterthan.engine.blocks import Job
from betterthan.engine.cache import Cache
from betterthan.engine.run import job_key, run
from betterthan.errors import BetterThanError, BetterThanWarning, NotConverged

DRAW = Job(name="draw", function=engine_blocks.draw, payload=7, n_blocks=23, digest="draw 7")
MULTIPLY = Job(
    name="multiply",
    function=engine_blocks.multiply,
    payload=np.random.default_rng(1).random((300, 50)),
    n_blocks=9,
    digest="multiply",
)


def expected_bytes(job):
    """The fingerprint of what a plain loop gives."""
    with one_blas_thread():
        return engine_blocks.fingerprint(job.function(job.payload, block) for block in range(job.n_blocks))


@pytest.mark.parametrize("job", [DRAW, MULTIPLY], ids=lambda job: job.name)
@pytest.mark.parametrize("uses", ["threads", "processes"])
@pytest.mark.parametrize("workers", few([None, 1, 2, 4], 2))
def test_the_bytes_do_not_depend_on_the_workers(job, uses, workers):
    """Any number of threads or processes gives what a plain loop gives."""
    assert engine_blocks.fingerprint(run(replace(job, uses=uses), workers=workers)) == expected_bytes(job)


@pytest.mark.parametrize("job", [DRAW, MULTIPLY], ids=lambda job: job.name)
def test_the_bytes_do_not_depend_on_a_callers_executor(job):
    """Threads and processes of the caller give the same, and stay open."""
    with (
        ThreadPoolExecutor(3) as threads,
        ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes,
    ):
        for executor in (threads, processes):
            assert engine_blocks.fingerprint(run(job, executor=executor)) == expected_bytes(job)
            assert executor.submit(abs, -1).result() == 1


@given(st.integers(0, 30), st.integers(1, 6))
def test_results_are_in_the_order_of_the_blocks(n_blocks, workers):
    """However many there are, none included."""
    job = Job(
        name="count", function=lambda base, block: np.array(base + block), payload=100, n_blocks=n_blocks
    )
    assert [int(result) for result in run(job, workers=workers)] == list(range(100, 100 + n_blocks))


@pytest.mark.parametrize("workers", [1, 3])
def test_finished_blocks_are_not_run_again(cache, tmp_path, workers):
    """The second run takes everything from the cache, to the byte."""
    job = recorded_job(tmp_path)
    first = run(job, workers=workers, cache=cache)
    second = run(job, workers=workers, cache=cache)
    assert engine_blocks.fingerprint(first) == engine_blocks.fingerprint(second)
    assert set(engine_blocks.executions(tmp_path).values()) == {1}


def test_a_damaged_checkpoint_is_computed_again(cache, tmp_path):
    """Only that block."""
    job = recorded_job(tmp_path)
    first = run(job, workers=1, cache=cache)
    entry = next(cache.folder.glob("*/*.checkpoint"))
    entry.write_bytes(entry.read_bytes()[:-1])
    (lost,) = set(range(10)) - set(cache.load(job_key(job)))
    assert engine_blocks.fingerprint(run(job, workers=1, cache=cache)) == engine_blocks.fingerprint(first)
    assert engine_blocks.executions(tmp_path) == {block: 1 + (block == lost) for block in range(10)}


def test_runs_may_share_a_cache_at_the_same_time(cache):
    """Four at once, same results, no scraps."""
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda _: run(DRAW, workers=2, cache=cache), range(4)))
    assert {engine_blocks.fingerprint(result) for result in results} == {expected_bytes(DRAW)}
    assert not list(cache.folder.glob("*/*.partial"))


def test_a_cache_that_cannot_be_written_to_does_not_stop_a_run(tmp_path):
    """It costs a warning."""
    (tmp_path / "file").touch()
    with pytest.warns(BetterThanWarning, match="the run goes on without them") as caught:
        results = run(DRAW, workers=2, cache=Cache(tmp_path / "file", patience=0))
    assert engine_blocks.fingerprint(results) == expected_bytes(DRAW)
    assert len(caught) == 1


@pytest.mark.parametrize("uses", ["threads", "processes"])
@pytest.mark.parametrize("workers", [1, 3])
def test_an_exception_comes_out_and_finished_blocks_stay(cache, tmp_path, uses, workers):
    """The blocks before it are in the cache, most of those after it were never begun."""
    job = replace(recorded_job(tmp_path, n_blocks=100), function=engine_blocks.fails_at_six, uses=uses)
    with pytest.raises(NotConverged, match="It went round and round") as caught:
        run(job, workers=workers, cache=cache)
    assert (caught.value.iterations, caught.value.last_change) == (100, 0.5)
    kept = set(cache.load(job_key(job)))
    assert kept <= set(engine_blocks.executions(tmp_path))
    assert len(kept) >= 6
    assert len(engine_blocks.executions(tmp_path)) < 50


def test_no_more_blocks_are_in_flight_than_twice_the_workers():
    """A caller's executor is not flooded."""
    flying, peak, lock = set(), [], threading.Lock()

    class Watched(ThreadPoolExecutor):
        def submit(self, function, /, *arguments):
            block = arguments[-1]
            with lock:
                flying.add(block)
                peak.append(len(flying))
            future = super().submit(function, *arguments)
            future.add_done_callback(lambda _: flying.discard(block))
            return future

    with Watched(2) as executor:
        run(DRAW, executor=executor, workers=2)
    assert len(peak) == DRAW.n_blocks
    assert max(peak) <= 4


def test_work_of_half_a_second_starts_no_process(monkeypatch):
    """By default processes wait until they are worth it."""
    monkeypatch.setattr(run_module, "WorkerProcesses", None)
    monkeypatch.setattr(run_module, "ALONE", 3600)
    job = replace(DRAW, uses="processes")
    assert engine_blocks.fingerprint(run(job)) == expected_bytes(DRAW)


def test_longer_work_goes_on_in_processes(monkeypatch):
    """What is left when the time is up is shared out."""
    monkeypatch.setattr(run_module, "usable_cpus", lambda: 2)
    monkeypatch.setattr(run_module, "ALONE", 0)
    here = engine_blocks.process_number(None, 0)
    job = Job(name="where", function=engine_blocks.process_number, payload=None, n_blocks=5, uses="processes")
    assert here not in run(job)


def test_a_local_function_runs_in_threads():
    """It cannot be sent to a process, and need not be."""

    def local(seed, block):
        return engine_blocks.draw(seed, block)

    job = replace(DRAW, function=local, uses="processes")
    assert engine_blocks.fingerprint(run(job, workers=2)) == expected_bytes(DRAW)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_block_must_return_arrays(workers):
    """What a checkpoint could not hold is refused with or without a cache."""
    job = Job(name="means", function=engine_blocks.scalar, payload=None, n_blocks=4)
    with pytest.raises(TypeError, match='A block of "means" returned float'):
        run(job, workers=workers)


@pytest.mark.parametrize("workers", [0, -2])
def test_there_must_be_a_worker(workers):
    """The message repeats the number."""
    with pytest.raises(BetterThanError, match=f"workers is {workers}, but there must be at least 1"):
        run(DRAW, workers=workers)


@pytest.mark.parametrize("fails", [False, True])
def test_progress_hears_of_each_block_and_of_the_end(cache, tmp_path, fails):
    """What an earlier run did is not counted as new."""

    class Listener(list):
        def start(self, total, label, *, done=0):
            self.append(("start", total, label, done))

        def advance(self, n=1):
            self.append(("advance", n))

        def finish(self):
            self.append(("finish",))

    job = recorded_job(tmp_path)
    run(job, workers=1, cache=cache)
    for path in list(cache.folder.glob("*/*"))[:3]:
        path.unlink()
    heard = Listener()
    if fails:
        with pytest.raises(KeyError):
            run(replace(job, function=engine_blocks.raises, payload=None), workers=1, progress=heard)
        assert heard == [("start", 10, "recorded", 0), ("finish",)]
    else:
        run(job, workers=1, cache=cache, progress=heard)
        assert heard == [("start", 10, "recorded", 7), *[("advance", 1)] * 3, ("finish",)]


def recorded_job(folder, *, n_blocks=10):
    """A job whose executions can be counted."""
    return Job(
        name="recorded",
        function=engine_blocks.recorded,
        payload=str(folder),
        n_blocks=n_blocks,
        digest="recorded",
    )
