"""The names of the layouts that can be read, for lists to choose from."""

from __future__ import annotations

from betterthan.read.formats.registry import READERS

FORMAT_NAMES = tuple(sorted(READERS))
