"""Compile a loop when numba is there; nothing is imported before that."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import ParamSpec, TypeVar

KernelArguments = ParamSpec("KernelArguments")
KernelValue = TypeVar("KernelValue")


@cache
def compiled(
    function: Callable[KernelArguments, KernelValue], *helpers: Callable[..., object]
) -> Callable[KernelArguments, KernelValue] | None:
    """Return `function` as machine code, or None without numba (the extra ``fast``).

    The first call with numba costs about a second; the machine code is kept on disk, beside the module or in
    the user's cache folder, and is read from there the next time. Rounding is that of the interpreter: no
    reordering, no fused operations. Other threads run while the machine code does.

    Parameters
    ----------
    function : callable
        A loop over arrays and numbers.
    *helpers : callable
        The plain functions it calls. They must stand in the same module: numba looks at the date of that one
        file to know whether what it kept on disk is still true.

    Returns
    -------
    callable or None

    Examples
    --------
    >>> def doubled(x):
    ...     return x + x
    >>> (compiled(doubled) or doubled)(21)
    42
    """
    try:
        import numba  # noqa: PLC0415  (an optional package, and half a second)
    except ImportError:
        return None
    for helper in helpers:
        _callable_from_compiled(helper)
    try:
        machine_code: Callable[KernelArguments, KernelValue] = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no folder to keep it in: compile again in each process
        machine_code = numba.njit(nogil=True)(function)
    return machine_code


def is_loaded() -> bool:
    """Whether numba has been imported already, so that compiling costs little."""
    return "numba" in sys.modules


def load_compiler() -> bool:
    """Import numba now, for work that comes in many small pieces; False when it is not installed.

    Examples
    --------
    >>> load_compiler() == is_loaded()
    True
    """
    try:
        import numba  # noqa: F401, PLC0415  (an optional package, and half a second)
    except ImportError:
        return False
    return True


@cache
def _callable_from_compiled(helper: Callable[..., object]) -> None:
    """Let compiled code call `helper`, which stays an ordinary function."""
    from numba.extending import register_jitable  # noqa: PLC0415

    register_jitable(helper)
