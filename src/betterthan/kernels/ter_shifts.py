"""Edits of the translation edit rate: the fewest insertions, deletions, substitutions and shifts, found greedily."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from betterthan.arrays import IntArray
from betterthan.errors import TableError
from betterthan.kernels.compiled import compiled, is_loaded
from betterthan.kernels.ter_loops import (
    HELPERS,
    LONGEST_SHIFT,
    MOST_CANDIDATES,
    Cells,
    Space,
    edits_loop,
    row_length,
)

# Output words, counted once a pair: to load numba takes longer than to do fewer of them without it.
WORTH_COMPILING = 2_000


def ter_edits(codes: IntArray, bounds: IntArray, outputs: IntArray, references: IntArray) -> IntArray:
    r"""Edits that make outputs into references, each pair by itself.

    An edit is the insertion, deletion or substitution of a word, or the shift of a run of words to another
    place. The fewest cannot be found in reasonable time, so shifts are chosen greedily ([1]_, algorithm 1): again
    and again that shift which lowers the edit distance most, until none lowers it,

    .. math:: \text{edits} = \text{shifts} + \text{distance}(\text{shifted output}, \text{reference}) .

    Parameters
    ----------
    codes : array of int, shape (w,)
        The words of all texts, one text after the other; equal words have equal numbers.
    bounds : array of int, shape (t + 1,)
        Text i is ``codes[bounds[i]:bounds[i + 1]]``.
    outputs, references : array of int, shape (p,)
        The texts of each pair.

    Returns
    -------
    array of int, shape (p,)

    Raises
    ------
    TableError
        When `outputs` and `references` are not of one length, or a text does not exist.

    Notes
    -----
    The limits are those of sacreBLEU, which follows Tercom: at most 10 words are shifted together, to a reference
    word at most 50 places away; the edit distance is sought within 25 columns of the diagonal; after 1000
    shifts have been looked at, no further shift is made. A shifted run must hold an edited word, and so must
    its equal in the reference. Among shifts that are equally good the longest is made, then that of the
    earliest words, then that to the earliest place. Costs are 1 throughout.

    A shift changes the rows of the table of distances between the place where words are taken and the place
    where they go; only those are computed anew, between a table from the beginning and one from the end.

    References
    ----------
    .. [1] Snover, Dorr, Schwartz, Micciulla and Makhoul (2006), A study of translation edit rate.

    Examples
    --------
    The output "c d a b" becomes "a b c d" by one shift, and "a b" by two deletions.

    >>> codes, bounds = np.array([2, 3, 0, 1, 0, 1, 2, 3, 0, 1]), np.array([0, 4, 8, 10])
    >>> ter_edits(codes, bounds, np.array([0, 0]), np.array([1, 2]))
    array([1, 2])
    """
    codes, bounds, outputs, references = (
        np.ascontiguousarray(array, dtype=np.int64) for array in (codes, bounds, outputs, references)
    )
    _check(codes, bounds, outputs, references)
    if not outputs.size:
        return np.zeros(0, dtype=np.int64)
    lengths = np.diff(bounds)
    sizes = lengths[outputs], lengths[references]
    begins, ends = bounds[:-1], bounds[1:]
    is_worth_it = is_loaded() or int(sizes[0].sum()) >= WORTH_COMPILING
    if is_worth_it and (loop := compiled(edits_loop, *HELPERS)) is not None:
        edits = _array(len(outputs))
        loop(codes, begins, ends, outputs, references, _space(*sizes, _array), edits)
        return edits
    lists = [array.tolist() for array in (codes, begins, ends, outputs, references)]
    counted = _list(len(outputs))
    edits_loop(lists[0], lists[1], lists[2], lists[3], lists[4], _space(*sizes, _list), counted)
    return np.array(counted, dtype=np.int64)


def _check(codes: IntArray, bounds: IntArray, outputs: IntArray, references: IntArray) -> None:
    """Compiled code does not look where it reads."""
    if outputs.ndim != 1 or outputs.shape != references.shape:
        raise TableError(
            "outputs and references must be lists of one length; "
            f"their shapes are {outputs.shape} and {references.shape}."
        )
    is_cut = bounds.ndim == 1 and bounds.size and bounds[0] >= 0 and bounds[-1] <= codes.size
    if not is_cut or (np.diff(bounds) < 0).any():
        raise TableError(f"bounds must rise from 0 or more to at most {codes.size}, the number of words.")
    for name, texts in (("outputs", outputs), ("references", references)):
        if texts.size and not 0 <= texts.min() <= texts.max() < bounds.size - 1:
            raise TableError(f"{name} must hold numbers of texts, from 0 to {bounds.size - 2}.")


def _array(size: int) -> IntArray:
    return np.zeros(size, dtype=np.int64)


def _list(size: int) -> list[int]:
    return [0] * size


def _space(n_outputs: IntArray, n_references: IntArray, room: Callable[[int], Cells]) -> Space:
    """Make room for every pair: as much of each kind as the pair needs that needs most of it."""
    n_output, n_reference = int(n_outputs.max()), int(n_references.max())
    lengths = zip(n_outputs.tolist(), n_references.tolist(), strict=True)
    n_cells = max(((i + 1) * row_length(i, j) for i, j in lengths if i), default=0)
    n_candidates = MOST_CANDIDATES + LONGEST_SHIFT + 1  # the last run of words may go over the limit
    return Space(
        low=room(n_output + 1),
        high=room(n_output + 1),
        origin=room(n_output + 1),
        ahead=room(n_cells),
        behind=room(n_cells),
        trial=room(n_cells),
        output_wrong=room(n_output),
        reference_wrong=room(n_reference),
        partner=room(n_reference),
        moving=room(n_output),
        starts=room(n_candidates),
        lengths=room(n_candidates),
        targets=room(n_candidates),
    )
