"""Compiled when numba is there, and nothing lost when it is not."""

from __future__ import annotations

import subprocess
import sys

import pytest

from betterthan.kernels.compiled import compiled


def halved(x: float) -> float:
    """Half of x."""
    return x / 2.0


def quartered(x: float) -> float:
    """A quarter of x."""
    return halved(halved(x))


@pytest.fixture
def forgetful():
    """Compile anew in this test, and after it."""
    compiled.cache_clear()
    yield
    compiled.cache_clear()


@pytest.mark.usefixtures("forgetful")
def test_a_function_and_its_helpers_are_compiled():
    """The machine code gives the same; the functions stay what they were."""
    pytest.importorskip("numba")
    machine_code = compiled(quartered, halved)
    assert machine_code is not quartered
    assert machine_code(3.0) == quartered(3.0) == 0.75
    assert compiled(quartered, halved) is machine_code
    assert type(halved) is type(test_a_function_and_its_helpers_are_compiled)


@pytest.mark.usefixtures("forgetful")
def test_without_numba_there_is_no_machine_code(monkeypatch):
    """The caller goes on with the function itself."""
    monkeypatch.setitem(sys.modules, "numba", None)
    assert compiled(halved) is None


@pytest.mark.usefixtures("forgetful")
def test_without_a_folder_to_keep_it_the_code_is_compiled_all_the_same(monkeypatch):
    """A read-only installation without a home is no obstacle."""
    numba = pytest.importorskip("numba")
    real = numba.njit

    def without_folder(*functions: object, **options: bool) -> object:
        if options.pop("cache", False):
            raise RuntimeError("cannot cache function: no locator available")
        return real(*functions, **options)  # numba decorates functions of its own with it

    monkeypatch.setattr(numba, "njit", without_folder)
    assert compiled(halved)(3.0) == 1.5


def test_numba_is_imported_only_for_work_that_is_worth_it():
    """Importing the kernels, and rating a small table, stays quick."""
    program = (
        "import sys, numpy as np\n"
        "from betterthan.kernels.ratings import elo, match_play, trueskill\n"
        "assert 'scipy' not in sys.modules\n"
        "m = match_play.score_matches(np.arange(12.0).reshape(3, 4))\n"
        "elo.elo(*m[:3], n_systems=3)\n"
        "trueskill.trueskill(*m[:3], n_systems=3)\n"
        "assert 'numba' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
