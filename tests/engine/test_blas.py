"""One thread of BLAS, and what was there before afterwards."""

from __future__ import annotations

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
