"""Checks that all tables share, with their messages, and the base of all tables.

Tables are immutable, also when they are compared, copied and pickled.
"""

from __future__ import annotations

import inspect
import re
import unicodedata
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, FloatArray, IntArray, digest, read_only
from betterthan.errors import TableError, some_of, unknown_name
from betterthan.messages import Message

Label = TypeVar("Label", str, str | None)


def labels(names: Iterable[Any], *, what: str, at_least: int = 1) -> tuple[str, ...]:
    """Return `names` as a tuple of distinct, non-empty strings.

    Examples
    --------
    >>> labels(["A", "B"], what="system")
    ('A', 'B')
    """
    result = texts(names, what=what)
    if len(result) < at_least:
        plural = "" if at_least == 1 else "s"
        raise TableError(f"The table has {len(result)} {what}s; at least {at_least} {what}{plural} needed.")
    if len(set(result)) < len(result):
        twice = [name for name, count in Counter(result).items() if count > 1]
        raise TableError(
            f"Each {what} may occur once, but these occur more often: {some_of(twice)}. "
            f"Rename or merge them before making the table."
        )
    return result


def listed(names: Iterable[Any], *, what: str) -> tuple[Any, ...]:
    """Return what `names` yields, unless it is a single text or has no order."""
    if isinstance(names, str | bytes):
        raise TableError(f"{what} must be a list of texts, not the single text {names!r}.")
    if isinstance(names, set | frozenset):
        raise TableError(f"{what} must be in order, and a set has none. Pass a list, such as sorted(…).")
    try:
        return tuple(names)
    except TypeError as error:
        raise TableError(
            f"{what} must be a list of texts, not {type(names).__name__} ({names!r})."
        ) from error


def texts(names: Iterable[Any], *, what: str) -> tuple[str, ...]:
    """Return the names of several `what` as plain texts, see :func:`text`; repeats allowed."""
    found = listed(names, what=f"{what}s")
    # Checking all of them at once is several times faster; one by one is only needed to convert or report.
    is_plain = set(map(type, found)) <= {str} and all(map(str.strip, found))
    return found if is_plain and is_writable("".join(found)) else tuple(text(n, what=what) for n in found)


def text(name: object, *, what: str) -> str:
    """Return the name of a `what` as plain text, checked to be nonempty and encodable."""
    if not isinstance(name, str):
        raise TableError(f"A {what} name must be text, not {type(name).__name__} ({name!r}). Use str(name).")
    if not name.strip():
        raise TableError(f"A {what} has an empty name. Give every {what} a name.")
    if not is_writable(name):
        raise TableError(
            f"The {what} name {name!a} contains an unpaired surrogate. Decode the file as UTF-8."
        )
    # Subclasses such as numpy.str_ look different in repr, and so in a digest.
    return str.__str__(name)


def is_writable(line: str) -> bool:
    """Whether the text can be written as UTF-8; lone surrogates, left by a wrong decoding, cannot."""
    try:
        line.encode()
    except UnicodeEncodeError:
        return False
    return True


def flag(value: object, *, what: str) -> bool:
    """Return `value` as a plain bool; only True and False are accepted."""
    if not isinstance(value, bool | np.bool_):
        raise TableError(f"{what} must be True or False, not {value!r}.")
    return bool(value)


def note_texts(notes: Iterable[Any], **named: Sequence[str]) -> tuple[str, ...]:
    """Return the notes as a tuple of texts, with one about names that look alike, of each kind in `named`.

    Examples
    --------
    >>> note_texts(["3 rows dropped."], system=["Aster", "aster ", "Birch"])[1][:72]
    'These system names look alike and count as different: "Aster", "aster ".'
    """
    result = listed(notes, what="notes")
    for note in result:
        if not isinstance(note, str):
            raise TableError(f"A note must be text, not {type(note).__name__} ({note!r}).")
    alike = [note for what, names in named.items() for note in look_alikes(names, what=what)]
    # A message keeps its fields for the interface that shows it; other kinds of strings, such as NumPy's, become plain.
    texts = (note if isinstance(note, Message) else str.__str__(note) for note in result)
    return tuple(dict.fromkeys((*texts, *alike)))


def look_alikes(names: Sequence[str], *, what: str) -> Iterator[str]:
    """Yield a note on names that look the same, if there are any."""
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(folded(name), []).append(name)
    if len(alike) < len(names):
        sets = [same for same in alike.values() if len(same) > 1]
        shown = some_of([", ".join(map(_shown, same)) for same in sets], limit=3)
        yield (
            f"These {what} names look alike and count as different: {shown}. "
            f"If they are the same {what}, use one name."
        )


# Letters of Greek and Cyrillic that look like Latin ones in lower or upper case.
_LOOKS_LIKE = str.maketrans("авекмнорстухіѕјαβεηικμνορτυχζ", "abekmhopctyxisjabenikmvoptuxz")


def folded(name: str) -> str:
    """Return the visual form of a name: ignoring case, kinds of blanks and hyphens, and alphabets.

    Examples
    --------
    >>> folded("GPT-4 ") == folded("gpt\u20114") == folded("GPT 4"), folded("GPT-4.1") == folded("GPT-41")
    (True, False)
    """
    plain = name if name.isascii() else unicodedata.normalize("NFKC", name)
    seen = "".join(c for c in plain.casefold() if unicodedata.category(c) != "Cf").translate(_LOOKS_LIKE)
    return re.sub(r"[\s_\-\u2010-\u2015\u2212]+", "-", seen).strip("-")


def _shown(name: str) -> str:
    """Return a name in quotation marks, with invisible and look-alike characters written out."""
    is_plain = name.isprintable() and name == unicodedata.normalize("NFC", name)
    return f'"{name}"' if is_plain and name.isascii() else ascii(name).replace("'", '"')


def group_labels(groups: Iterable[Any] | None, *, n_segments: int) -> tuple[str, ...] | None:
    """Return the document of each segment, or None; one label per segment, repeats allowed."""
    if groups is None:
        return None
    result = texts(groups, what="group")
    if len(result) != n_segments:
        raise TableError(
            f"There are {len(result):,} groups for {n_segments:,} segments; one group per segment is needed."
        )
    return result


def float_array(values: npt.ArrayLike, *, shape: tuple[int | None, ...], what: str) -> FloatArray:
    """Return `values` as a read-only float64 array of the given shape; None in `shape` means any length.

    None and masked cells become NaN. Text is an error, even if it is a number.
    """
    found = _array(values, what=what)
    if found.dtype.kind not in "fiubO" or _odd_cell(found) is not None:
        raise TableError(f"{what} must be numbers, not {_kind_of(found)}. Convert them with float().")
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            array = _owned(found, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise TableError(
            f"{what} must be numbers in a rectangle, with NaN for missing ones ({error})."
        ) from error
    _refuse_rounding(found, array, what=what)
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        array = np.where(np.ma.getmaskarray(values), np.nan, array)
    check_shape(array, shape=shape, what=what)
    infinite = np.isinf(array)
    if infinite.any():
        place = tuple(int(i) for i in np.argwhere(infinite)[0])
        raise TableError(f"{what} contain an infinite number at {place}; every number must be finite.")
    return read_only(array)


def _refuse_rounding(given: npt.NDArray[Any], array: FloatArray, *, what: str) -> None:
    """Integers beyond 2**53 lose their last digits as float64, and with them the differences of scores."""
    if given.dtype.kind not in "iuO":
        return
    with np.errstate(invalid="ignore"):
        large = np.isfinite(array) & (np.abs(array) >= 2.0**53)
    for exact, rounded in zip(given[large].tolist(), array[large].tolist(), strict=True):
        if isinstance(exact, int) and exact != int(rounded):
            raise TableError(
                f"{what} contain whole numbers that are too large to keep their last digits, such as {exact}. "
                f"Subtract a constant from all of them, or divide them, first."
            )


def index_array(values: npt.ArrayLike, *, length: int | None, below: int, what: str) -> IntArray:
    """Return `values` as a read-only array of indices in ``0 .. below - 1``."""
    found = _array(values, what=what)
    check_shape(found, shape=(length,), what=what)
    _refuse_masked(values, what=what)
    if found.size and found.dtype.kind not in "iu":
        raise TableError(f"{what} must be whole numbers (indices), not {_kind_of(found)}.")
    # Compared before the conversion, because a large unsigned number would turn negative.
    if found.size and (found.min() < 0 or found.max() >= below):
        raise TableError(f"{what} must lie between 0 and {below - 1}; found {found.min()} to {found.max()}.")
    return read_only(_owned(found, np.int64))


def bool_array(values: npt.ArrayLike, *, shape: tuple[int | None, ...], what: str) -> BoolArray:
    """Return `values` as a read-only boolean array of the given shape."""
    found = _array(values, what=what)
    check_shape(found, shape=shape, what=what)
    _refuse_masked(values, what=what)
    if found.size and found.dtype.kind != "b":
        raise TableError(f"{what} must be True or False, not {_kind_of(found)}.")
    return read_only(_owned(found, np.bool_))


def _array(values: Any, *, what: str) -> npt.NDArray[Any]:  # noqa: ANN401  (whatever a user passes)
    try:
        return np.asarray(list(values) if isinstance(values, Iterator) else values)
    except (TypeError, ValueError, OverflowError) as error:
        raise TableError(f"{what} must form a rectangle, every row of the same length ({error}).") from error


def _owned(array: npt.NDArray[Any], dtype: type[Any]) -> npt.NDArray[Any]:
    # A read-only array is shared, so that a table made from a table needs no copy. Rows are stored contiguously,
    # because the memory order determines the rounding of sums.
    flags = array.flags
    kept = array.dtype == dtype and flags.owndata and flags.c_contiguous and not flags.writeable
    return array if kept else array.astype(dtype, order="C")


def _odd_cell(array: npt.NDArray[Any]) -> str | bytes | np.datetime64 | np.timedelta64 | None:
    # float() accepts these, although a text or a date is not a number.
    odd = str | bytes | np.datetime64 | np.timedelta64
    return (
        next((cell for cell in array.flat if isinstance(cell, odd)), None) if array.dtype == object else None
    )


def _kind_of(array: npt.NDArray[Any]) -> str:
    odd = _odd_cell(array)
    if array.dtype.kind in "US" or isinstance(odd, str | bytes):
        return "text"
    return str(array.dtype) if odd is None else type(odd).__name__


def _refuse_masked(values: object, *, what: str) -> None:
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise TableError(f"{what} must not be masked. Leave out the rows that are missing.")


def check_shape(array: npt.NDArray[Any], *, shape: tuple[int | None, ...], what: str) -> None:
    """Raise unless `array` has the given shape; None means any length along that axis."""
    fits = array.ndim == len(shape) and all(
        want is None or want == have for want, have in zip(shape, array.shape, strict=True)
    )
    if not fits:
        want = " × ".join("any" if length is None else str(length) for length in shape)
        have = " × ".join(str(length) for length in array.shape) or "a single number"
        turned = " Transpose them." if len(shape) == 2 and array.shape == shape[::-1] else ""
        raise TableError(f"{what} must have the shape {want}, but have {have}.{turned}")


def positions(wanted: Sequence[str] | None, known: Sequence[str], *, what: str) -> IntArray:
    """Return the index in `known` of each wanted label, or of all labels when `wanted` is None.

    An unknown label is named together with its nearest match.
    """
    if wanted is None:
        return np.arange(len(known), dtype=np.int64)
    index = {name: i for i, name in enumerate(known)}
    chosen = texts(wanted, what=what)
    for name in chosen:
        if name not in index:
            raise unknown_name(what, name, known)
    return np.array([index[name] for name in chosen], dtype=np.int64)


def at(places: IntArray, names: tuple[Label, ...]) -> tuple[Label, ...]:
    """Return the names at these indices."""
    return tuple(map(names.__getitem__, places.tolist()))


class Frozen:
    """The base of every table: equality by content, a hash, and copies as read-only as the original."""

    __slots__: tuple[str, ...] = ("_digest",)

    _digest: str

    @property
    @abstractmethod
    def digest(self) -> str:
        """Eight hexadecimal digits for the content, without notes."""

    def _kept_digest(self, *content: object) -> str:
        """The digest of the content, computed when it is first needed; tables do not change."""
        if not hasattr(self, "_digest"):
            object.__setattr__(self, "_digest", digest(*content))
        return self._digest

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_same(getattr(self, name), getattr(other, name)) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash(self.digest)

    def _repr_html_(self) -> str:
        # Imported when a notebook shows the table, never before: data does not know how it is presented.
        from betterthan.present.renderers.html import render_html  # noqa: PLC0415
        from betterthan.present.tables.inputs import input_table  # noqa: PLC0415

        return render_html(input_table(self))  # type: ignore[arg-type]  # every table is one of them

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        # Pickling loses the read-only flag of NumPy arrays, so it is set again.
        return _restored, (type(self), {name: getattr(self, name) for name in self.__slots__})


def _same(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    return type(one) is type(other) and one == other


def _restored(table: type[Frozen], content: Mapping[str, object]) -> Frozen:
    made = object.__new__(table)
    for name, value in content.items():
        object.__setattr__(made, name, read_only(value) if isinstance(value, np.ndarray) else value)
    return made


def fields_from(data: Mapping[str, Any], table: type[Frozen], *, kind: str) -> dict[str, Any]:
    """Return the arguments that make `table` from the data of its ``to_dict``, or say what does not fit."""
    if not isinstance(data, Mapping):
        raise TableError(f'A table of kind "{kind}" is made from a dictionary, not {type(data).__name__}.')
    found = data.get("kind", kind)
    if found != kind:
        raise TableError(f'The data is of kind "{found}", but "{kind}" is needed.')
    known = inspect.signature(table).parameters
    unknown = [str(name) for name in data if name != "kind" and name not in known]
    if unknown:
        raise TableError(
            f'A table of kind "{kind}" has no field {some_of(unknown)}. Known: {", ".join(known)}.'
        )
    lacking = [name for name, one in known.items() if one.default is one.empty and name not in data]
    if lacking:
        raise TableError(f'The data of kind "{kind}" lacks {some_of(lacking)}.')
    return {name: value for name, value in data.items() if name != "kind"}
