"""One thread for linear algebra while blocks are shared out."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which BLAS uses one thread.

    Workers share the cores already, so threads of BLAS would only crowd them; and the last bits of a matrix product
    depend on how many threads share it, which must not change a result.

    Examples
    --------
    >>> with one_blas_thread():
    ...     pass
    """
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  (a job needs it, an import does not)

    limits: AbstractContextManager[Any] = threadpool_limits(limits=1, user_api="blas")
    return limits
