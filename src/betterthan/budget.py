"""Limits on memory, input size and counts.

One number bounds everything: the memory budget, by default half of the free memory. Work with a known estimate is
rejected before it starts (:func:`require`), decompressed or spooled input is counted while it is read
(:func:`most_unpacked`), DuckDB gets its share (:func:`engine_memory`), and for the command line the operating system
enforces the limit (:func:`enforce`). The budget never changes a result, only whether it is computed.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from numbers import Real
from pathlib import Path

from betterthan.errors import BetterThanError, OverBudget
from betterthan.messages import SIZE, Message, Option

VARIABLE = "BETTERTHAN_MEMORY"
MEGABYTE = 1 << 20
GIGABYTE = 1 << 30
LEAST = 256 * MEGABYTE

MOST_RESAMPLES = 100_000_000
MOST_WORKERS = 1024
MOST_ORDER = 100  # of n-grams; beyond it none recurs
MOST_SEGMENTS = 100_000_000  # that are asked for; data may have more
LEAST_CONFIDENCE = 0.01
MOST_SCALE = 20.0  # pixels of a picture for each of its units

_ASSUMED = 8 * GIGABYTE  # free memory of a machine that does not say
_FLOOR = GIGABYTE  # of the default, so that a busy machine does not refuse what is small
_UNPACKED = (
    8  # unpacked or spooled bytes for each byte of memory: they go to disk, or through memory piece by piece
)
_A_THREAD = 64 * MEGABYTE  # address space of a thread's stack, heap and BLAS buffer, most of it never touched
_UNITS = {"": MEGABYTE, "K": 1 << 10, "M": MEGABYTE, "G": GIGABYTE, "T": 1 << 40}
_SIZE = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([KMGT]?)(?:i?B)?\s*", re.IGNORECASE)

_chosen: int | None = None
_default: int | None = None


def parse_size(text: str) -> int:
    """Return a size in bytes; a number without a unit is megabytes, and a megabyte is 1,048,576 bytes.

    Examples
    --------
    >>> parse_size("4GB") == 4 * GIGABYTE
    True
    >>> parse_size("512") == parse_size("0.5 GiB")
    True
    """
    found = _SIZE.fullmatch(text)
    size = float(found[1]) * _UNITS[found[2].upper()] if found else math.nan
    if not LEAST <= size < math.inf:
        raise BetterThanError(
            f'"{text}" is not an amount of memory of at least {shown(LEAST)}. Write it as in 4GB or 800MB.'
        )
    return int(size)


def shown(size: float) -> str:
    """Return a size for a sentence.

    Examples
    --------
    >>> shown(256 * MEGABYTE), shown(1.5 * GIGABYTE), shown(3e15)
    ('256 MB', '1.5 GB', '2,728.5 TB')
    """
    for unit, bytes_each in (("TB", 1 << 40), ("GB", GIGABYTE)):
        if size >= bytes_each:
            return f"{size / bytes_each:,.1f} {unit}"
    return f"{math.ceil(size / MEGABYTE):,} MB"


def limit_memory(size: int | None) -> None:
    """Set the budget of this process in bytes; None goes back to ``BETTERTHAN_MEMORY`` or the default."""
    global _chosen, _default
    _chosen, _default = size, None


def memory() -> int:
    """Return the budget in bytes: what was set, else ``BETTERTHAN_MEMORY``, else half of what is free.

    Raises
    ------
    BetterThanError
        When the variable is not a size.
    """
    global _default  # noqa: PLW0603
    if _chosen is not None:
        return _chosen
    if given := os.environ.get(VARIABLE):
        try:
            return parse_size(given)
        except BetterThanError as error:
            raise BetterThanError(f"{VARIABLE}: {error}") from error
    if _default is None:  # read once: the memory of this process itself must not lower it
        _default = max(available_memory() // 2, _FLOOR)
    return _default


def available_memory(root: Path = Path("/")) -> int:
    """Return the memory available to this process: of the machine, its control group and its limits."""
    return max(0, min([*_machine(root), *_control_groups(root), *_own_limits()], default=_ASSUMED))


def _machine(root: Path) -> Iterator[int]:
    with suppress(OSError, ValueError, KeyError):
        yield _fields(root / "proc/meminfo")["MemAvailable:"] << 10
        return
    with suppress(OSError, ValueError, AttributeError):  # macOS does not report free memory, Windows nothing
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _control_groups(root: Path) -> Iterator[int]:
    """Yield the memory available in each control group of this process, of either version."""
    for folder, is_first in _group_folders(root, "memory"):
        names = ("limit_in_bytes", "usage_in_bytes") if is_first else ("max", "current")
        with suppress(OSError, ValueError):  # "max" means no limit
            limit, taken = (int((folder / f"memory.{name}").read_text()) for name in names)
            cached = 0
            with suppress(OSError, ValueError, KeyError):
                cached = _fields(folder / "memory.stat")["inactive_file"]
            yield limit - taken + cached


def _group_folders(root: Path, controller: str) -> Iterator[tuple[Path, bool]]:
    """Yield the folders of this process's control groups, innermost first, and whether of the first version."""
    groups = root / "sys/fs/cgroup"
    with suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers and controller not in controllers.split(","):
                continue
            mount = groups / controller if controllers else groups
            group = mount / path.strip("/")
            for folder in (group, *group.parents):
                if folder.is_relative_to(mount):
                    yield folder, bool(controllers)


def usable_cpus(root: Path = Path("/")) -> int:
    """Return how many processors this process may use: a container may have half of one of 64.

    Examples
    --------
    >>> usable_cpus() >= 1
    True
    """
    known = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([known, *_cpu_quotas(root)]))


def _cpu_quotas(root: Path) -> Iterator[int]:
    for folder, is_first in _group_folders(root, "cpu"):
        with suppress(OSError, ValueError):  # "max" and -1 mean no limit
            names = ("cpu.cfs_quota_us", "cpu.cfs_period_us") if is_first else ("cpu.max",)
            quota, period = (int(number) for name in names for number in (folder / name).read_text().split())
            if quota > 0 and period > 0:
                yield math.ceil(quota / period)


def _own_limits() -> Iterator[int]:
    try:
        import resource  # noqa: PLC0415  (not on Windows)
    except ImportError:
        return
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        most = resource.getrlimit(kind)[0]
        if most != resource.RLIM_INFINITY:
            yield most


def _fields(path: Path) -> dict[str, int]:
    """Return the lines of a file of the kernel, such as ``MemAvailable:   123 kB``."""
    lines = (line.split() for line in path.read_text().splitlines())
    return {line[0]: int(line[1]) for line in lines if len(line) > 1 and line[1].isdigit()}


def require(needed: float, what: str, *, instead: str = "Use part of the data") -> None:
    """Raise before work starts when it would need more memory than the budget.

    Parameters
    ----------
    needed : float
        Bytes, estimated.
    what : str
        What needs them, as the subject of a sentence.
    instead : str
        Alternative to raising the budget.

    Raises
    ------
    OverBudget
        With the figure, the budget and the option (BT250).

    Examples
    --------
    >>> require(1000, "A test of 3 systems")
    """
    if needed > memory():
        raise OverBudget(
            Message(
                "{what} needs about {needed} of memory, more than the budget of {budget}. {instead}, or "
                "raise the budget with {memory}.",
                what=what,
                needed=shown(needed),
                budget=shown(memory()),
                instead=instead,
                memory=Option("memory", SIZE),
            )
        )


def out_of_memory() -> OverBudget:
    """Build the error for work whose memory could not be estimated."""
    return OverBudget(
        Message(
            "This needs more memory than the budget of {budget}. Use part of the data, or raise the "
            "budget with {memory}.",
            budget=shown(memory()),
            memory=Option("memory", SIZE),
        )
    )


def check_count(name: str, number: int | None, most: int) -> None:
    """Raise when a count is implausibly large.

    Examples
    --------
    >>> check_count("n_resamples", 10**12, MOST_RESAMPLES)
    Traceback (most recent call last):
    ...
    betterthan.errors.BetterThanError: n_resamples is 1,000,000,000,000, but must be at most 100,000,000.
    """
    if number is not None and number > most:
        raise BetterThanError(f"{name} is {number:,}, but must be at most {most:,}.")


def check_share(name: str, number: object) -> None:
    """Refuse a level or a probability outside (0, 1), and a confidence level below 1%, whose interval has no width.

    Examples
    --------
    >>> check_share("confidence", 95)
    Traceback (most recent call last):
    ...
    betterthan.errors.BetterThanError: confidence must lie between 0 and 1, such as 0.95; it is 95.
    """
    if not (isinstance(number, Real) and 0 < float(number) < 1):
        example = {"confidence": 0.95, "power": 0.8}.get(name, 0.05)
        shown = f"{float(number):g}" if isinstance(number, Real) else repr(number)
        text = "{option} must lie between 0 and 1, such as {example}; it is {shown}."
        raise BetterThanError(Message(text, option=Option(name), example=example, shown=shown))
    if name == "confidence" and float(number) < LEAST_CONFIDENCE:
        raise BetterThanError(
            Message(
                "{option} must be at least {least}; it is {shown:g}.",
                option=Option(name),
                least=LEAST_CONFIDENCE,
                shown=float(number),
            )
        )


def most_unpacked() -> int:
    """Return the maximum size of a decompressed file or a stream in bytes."""
    return _UNPACKED * memory()


def engine_memory() -> int:
    """Return the share of the budget that DuckDB may use before it spills to disk; at most 4 GB."""
    return max(128 * MEGABYTE, min(memory() // 4, 4 * GIGABYTE))


@contextmanager
def address_space() -> Iterator[None]:
    """Let a library reserve address space that it will not use, as JavaScript engines do; it is added to the limit."""
    if sys.platform != "linux":
        yield
        return
    import resource  # noqa: PLC0415

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    before = _own_data()
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
    try:
        yield
    finally:
        if soft != resource.RLIM_INFINITY:
            soft += max(0, _own_data() - before)
            soft = soft if hard == resource.RLIM_INFINITY else min(soft, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _own_data() -> int:
    """Return the bytes that count against the limit of :func:`enforce`."""
    with suppress(OSError, ValueError, KeyError):
        return _fields(Path("/proc/self/status"))["VmData:"] << 10
    return 0


def enforce() -> None:
    """Make the operating system enforce the budget, so that exceeding it raises an error.

    Only for betterthan's own processes: a library must not limit its caller. Where the system has no such limit (macOS,
    Windows), estimates are still checked.
    """
    if sys.platform != "linux":
        return
    import resource  # noqa: PLC0415

    with suppress(OSError, ValueError):
        # Not RLIMIT_AS, which also counts what is mapped and never used, such as code and files.
        begun = _own_data()
        threads = min(os.cpu_count() or 1, 64) * _A_THREAD
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        bounds = [
            min(begun + threads + memory(), sys.maxsize),  # the system counts no further
            *(each for each in (soft, hard) if each != resource.RLIM_INFINITY),
        ]
        resource.setrlimit(resource.RLIMIT_DATA, (min(bounds), hard))
