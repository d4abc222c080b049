"""One thread of BLAS, and what was there before afterwards."""

from __future__ import annotations

import contextvars
import os
import subprocess
import sys
import threading
import types

import pytest
import threadpoolctl

from betterthan.engine import blas
from betterthan.engine.blas import one_blas_thread


class Library:
    """A BLAS library that remembers how many threads it has."""

    def __init__(self, n_threads):
        self.n_threads = n_threads
        self.filepath = f"library of {n_threads} threads"

    def get_num_threads(self):
        """As threadpoolctl has it."""
        return self.n_threads

    def set_num_threads(self, n_threads):
        """As threadpoolctl has it."""
        self.n_threads = n_threads


@pytest.fixture
def libraries(monkeypatch):
    """Libraries that are found, the first of them loaded; and how often they were looked for."""
    found = types.SimpleNamespace(loaded=[Library(8)], searches=0)

    class Controller:
        def select(self, **_):
            found.searches += 1
            return types.SimpleNamespace(lib_controllers=list(found.loaded))

    monkeypatch.setattr(threadpoolctl, "ThreadpoolController", Controller)
    monkeypatch.setattr(blas, "_limit", blas._Limit())
    return found


def test_threads_come_back_and_libraries_are_looked_for_once(libraries):
    """Also when contexts are nested and an error ends them."""

    def fails():
        with one_blas_thread(), one_blas_thread():
            assert libraries.loaded[0].n_threads == 1
            raise ZeroDivisionError

    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            fails()
        assert libraries.loaded[0].n_threads == 8
    assert libraries.searches == 1


def test_a_library_that_was_imported_meanwhile_is_limited_too(libraries, monkeypatch):
    """A new module may have brought its own BLAS."""
    with one_blas_thread():
        pass
    libraries.loaded.append(Library(4))
    monkeypatch.setitem(sys.modules, "a module with BLAS", types.ModuleType("new"))
    with one_blas_thread():
        assert [library.n_threads for library in libraries.loaded] == [1, 1]
    assert [library.n_threads for library in libraries.loaded] == [8, 4]


def test_a_library_that_comes_while_another_thread_is_inside_is_restored(libraries, monkeypatch):
    """Its threads are noted when it is first seen, not only when the first thread enters."""
    inside, done = threading.Event(), threading.Event()

    def stay():
        with one_blas_thread():
            inside.set()
            done.wait(10)

    other = threading.Thread(target=stay)
    other.start()
    inside.wait(10)
    libraries.loaded.append(Library(4))
    monkeypatch.setitem(sys.modules, "a module with BLAS", types.ModuleType("new"))
    with one_blas_thread():
        assert libraries.loaded[1].n_threads == 1
    done.set()
    other.join()
    assert [library.n_threads for library in libraries.loaded] == [8, 4]


def test_threads_that_overlap_do_not_undo_each_other(libraries):
    """The first to go does not end the limit of the second, and the second restores what was there at first."""
    entered, left = threading.Event(), threading.Event()

    def first():
        with one_blas_thread():
            entered.set()
            second_inside.wait(10)
        left.set()

    second_inside = threading.Event()
    thread = threading.Thread(target=first)
    thread.start()
    entered.wait(10)
    with one_blas_thread():
        second_inside.set()
        left.wait(10)
        assert libraries.loaded[0].n_threads == 1
    thread.join()
    assert libraries.loaded[0].n_threads == 8


def test_a_thread_that_outlives_the_context_it_was_started_in_keeps_the_limit(libraries):
    """Also when it was started with a copy of its surroundings, as asyncio and web servers do."""
    inside, alone, seen = threading.Event(), threading.Event(), []

    def stay():
        with one_blas_thread():
            inside.set()
            alone.wait(10)
            seen.append(libraries.loaded[0].n_threads)

    with one_blas_thread():
        other = threading.Thread(target=contextvars.copy_context().run, args=(stay,))
        other.start()
        inside.wait(10)
    alone.set()
    other.join()
    assert seen == [1]
    assert libraries.loaded[0].n_threads == 8


def test_a_library_that_is_imported_inside_is_limited_in_nested_contexts(libraries, monkeypatch):
    """A verb may load SciPy's own BLAS only when it first needs it."""
    with one_blas_thread():
        libraries.loaded.append(Library(4))
        monkeypatch.setitem(sys.modules, "a module with BLAS", types.ModuleType("new"))
        with one_blas_thread():
            assert libraries.loaded[1].n_threads == 1
        assert libraries.loaded[1].n_threads == 1
    assert [library.n_threads for library in libraries.loaded] == [8, 4]


def test_a_failed_search_leaves_nothing_behind(libraries, monkeypatch):
    """Whoever could not come in is not waited for."""

    def fails():
        raise KeyboardInterrupt

    monkeypatch.setattr(blas._limit, "_loaded", fails)
    with pytest.raises(KeyboardInterrupt), one_blas_thread():
        pass
    monkeypatch.undo()
    limit = blas._Limit()
    monkeypatch.setattr(blas, "_limit", limit)
    monkeypatch.setattr(limit, "_loaded", lambda: libraries.loaded)
    with one_blas_thread():
        assert libraries.loaded[0].n_threads == 1
    assert libraries.loaded[0].n_threads == 8


def test_threads_come_back_in_the_libraries_that_are_really_there():
    """Whichever thread is the first to come and the last to go, and whichever has set a number before."""
    real = threadpoolctl.ThreadpoolController().select(user_api="blas").lib_controllers
    numbers = lambda: [library.get_num_threads() for library in real]  # noqa: E731
    before = numbers()
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        for _ in range(2):
            inside, alone, seen = threading.Event(), threading.Event(), []

            def stay(inside=inside, alone=alone, seen=seen):
                with one_blas_thread():
                    inside.set()
                    alone.wait(10)
                    seen.append(numbers())

            other = threading.Thread(target=stay)
            with one_blas_thread():
                other.start()
                inside.wait(10)
            alone.set()
            other.join()
            assert seen == [[1] * len(real)]
            assert numbers() == [2] * len(real)
    assert numbers() == before


def test_a_library_with_a_number_for_each_thread_is_limited_and_restored_in_each(libraries):
    """As OpenBLAS on OpenMP has."""

    class PerThread(threading.local):
        filepath = "per thread"
        threading_layer = "openmp"
        n_threads = 8

        def get_num_threads(self):
            return self.n_threads

        def set_num_threads(self, n_threads):
            self.n_threads = n_threads

    library = PerThread()
    libraries.loaded[:] = [library]
    inside, alone, seen = threading.Event(), threading.Event(), []

    def stay():
        with one_blas_thread():
            inside.set()
            alone.wait(10)
            seen.append(library.n_threads)
        seen.append(library.n_threads)

    other = threading.Thread(target=stay)
    with one_blas_thread():
        other.start()
        inside.wait(10)
        assert library.n_threads == 1
    assert library.n_threads == 8
    alone.set()
    other.join()
    assert seen == [1, 8]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_gets_its_threads_back(tmp_path):
    """A pool of processes that is first used inside a verb belongs to the caller afterwards."""
    script = """
import multiprocessing, threadpoolctl, numpy
from betterthan.engine.blas import one_blas_thread

def threads(_=None):
    return {each["num_threads"] for each in threadpoolctl.threadpool_info() if each["user_api"] == "blas"}

def inside(_):
    with one_blas_thread():
        numpy.ones((300, 300)) @ numpy.ones((300, 300))
        return threads()

if __name__ == "__main__":
    before = threads()
    with one_blas_thread():
        pool = multiprocessing.get_context("fork").Pool(1)
        assert pool.map(inside, [0]) == [{1}], "inside"
    assert pool.map(threads, [0]) == [before], "afterwards"
    pool.terminate()
"""
    file = tmp_path / "forks.py"
    file.write_text(script, encoding="utf-8")
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}
    subprocess.run([sys.executable, str(file)], check=True, env=environment, timeout=60)
