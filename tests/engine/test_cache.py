import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import platformdirs
import pytest

from betterthan.engine.cache import Cache, default_folder
from betterthan.errors import BetterThanWarning

JOB, OTHER = "a" * 64, "b" * 64


def damage_nothing_left(path):
    """Empty the file."""
    path.write_bytes(b"")


def damage_cut_short(path):
    """Cut the file in half."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def damage_one_bit(path):
    """Flip one bit of the last number."""
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))


def damage_foreign(path):
    """Put something else in its place."""
    path.write_text("Dear diary,\n\ntoday")


def damage_folder(path):
    """Put a folder in its place."""
    path.unlink()
    path.mkdir()


def damage_neighbour(path):
    """Put another entry in its place."""
    other = next(entry for entry in path.parent.iterdir() if entry != path)
    path.write_bytes(other.read_bytes())


DAMAGES = [
    damage_nothing_left,
    damage_cut_short,
    damage_one_bit,
    damage_foreign,
    damage_folder,
    damage_neighbour,
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_counts_as_absent(cache, damage):
    """It is neither trusted nor an error, and costs the others nothing."""
    cache.save(JOB, {0: np.arange(5)})
    (entry,) = (cache.folder / JOB).iterdir()
    cache.save(JOB, {1: np.arange(3), 2: {"a": np.arange(2)}})
    damage(entry)
    assert sorted(cache.load(JOB)) == [1, 2]
    assert cache.load(JOB)[1].tolist() == [0, 1, 2]


def test_a_later_entry_takes_the_place_of_a_damaged_one(cache):
    """Saving mends."""
    cache.save(JOB, {0: np.arange(3)})
    (entry,) = (cache.folder / JOB).iterdir()
    damage_one_bit(entry)
    cache.save(JOB, {0: np.arange(3)})
    assert cache.load(JOB)[0].tolist() == [0, 1, 2]
    assert cache.info().entries == 1


def test_an_entry_of_another_job_counts_as_absent(cache):
    """A file moved by hand is not trusted."""
    cache.save(JOB, {0: np.arange(3)})
    (cache.folder / JOB).rename(cache.folder / OTHER)
    assert cache.load(OTHER) == cache.load(JOB) == {}


def test_many_writers_of_one_entry_leave_one_good_entry(cache):
    """A reader sees nothing or all, whoever writes meanwhile, and no scraps remain."""
    result = np.arange(10_000)

    def write_and_read(_):
        cache.save(JOB, {0: result})
        return np.array_equal(cache.load(JOB)[0], result)

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(write_and_read, range(64)))
    assert [path.suffix for path in (cache.folder / JOB).iterdir()] == [".checkpoint"]


def test_a_failed_write_leaves_no_scraps(cache, monkeypatch):
    """A full disk is an OSError, and what was written goes."""
    monkeypatch.setattr(Path, "replace", disk_full)
    with pytest.raises(OSError, match="No space left"):
        cache.save(JOB, {0: np.arange(3)})
    assert cache.info().entries == 0


def disk_full(*_):
    """Fail as a full disk does."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_folder_removed_in_between_is_made_again(cache, monkeypatch):
    """Another run may clear the cache at any moment."""
    original, calls = Path.replace, []

    def replace(self, target):
        calls.append(target)
        if len(calls) == 1:
            cache.clear()
        return original(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    cache.save(JOB, {0: np.arange(3)})
    assert cache.load(JOB)[0].tolist() == [0, 1, 2]


def test_clearing_removes_entries_and_scraps_and_nothing_else(cache):
    """A folder shared with other things loses none of them."""
    diary = cache.folder / "diary.txt"
    stranger = cache.folder / "letters" / "1.checkpoint"
    stranger.parent.mkdir(parents=True)
    diary.write_text("today")
    stranger.write_text("dear")
    for block in range(3):
        cache.save(JOB, {block: np.arange(4)})
    (cache.folder / JOB / "x.partial").write_bytes(b"half")
    before = cache.info()
    assert before.entries == 4
    assert cache.clear() == before
    assert cache.info().entries == 0
    assert diary.exists()
    assert stranger.exists()
    assert not (cache.folder / JOB).exists()


def test_pruning_removes_the_oldest_first(cache):
    """Until the rest fits."""
    for block in range(5):
        cache.save(JOB, {block: np.arange(4)})
        for entry in (cache.folder / JOB).iterdir():  # the entries before this one age by a second
            os.utime(entry, (entry.stat().st_mtime - 1,) * 2)
    size = cache.info().bytes // 5
    assert cache.prune(max_bytes=2 * size + 1).entries == 3
    assert sorted(cache.load(JOB)) == [3, 4]
    assert cache.prune().entries == 0


def test_a_cache_that_does_not_exist_is_empty(tmp_path):
    """Asking does not make it."""
    cache = Cache(tmp_path / "nowhere")
    assert (cache.info().entries, cache.info().bytes) == (0, 0)
    assert cache.clear().entries == cache.prune().entries == 0
    assert not cache.folder.exists()


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"BETTERTHAN_CACHE": "/fast", "XDG_CACHE_HOME": "/x"}, Path("/fast")),
        ({"BETTERTHAN_CACHE": "~/fast"}, Path.home() / "fast"),
        ({}, Path(platformdirs.user_cache_dir("betterthan", appauthor=False))),
    ],
)
def test_the_default_folder_is_where_the_platform_keeps_caches(environment, expected, monkeypatch):
    """Unless the user chose one."""
    monkeypatch.delenv("BETTERTHAN_CACHE", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert default_folder() == expected


def test_without_a_home_the_cache_is_nowhere(monkeypatch):
    """It can be asked, and cannot be written to."""
    monkeypatch.delenv("BETTERTHAN_CACHE", raising=False)
    monkeypatch.setattr("betterthan.engine.cache.user_cache_dir", lambda *_, **__: "~/.cache/betterthan")
    monkeypatch.setattr("os.path.expanduser", lambda path: path)  # as where there is no home
    cache = Cache(default_folder())
    assert cache.load(JOB) == {}
    assert cache.info().entries == 0
    with pytest.raises(OSError, match="null"):
        cache.save(JOB, {0: np.arange(3)})


posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners and modes of POSIX")


def writable_entry(cache):
    """Let the group write to an entry."""
    next(cache.folder.glob("*/*.checkpoint")).chmod(0o620)


def writable_folder(cache):
    """Let anybody write to the folder of a job, sticky or not: new entries need no more."""
    (cache.folder / JOB).chmod(0o1777)


@posix
@pytest.mark.parametrize("opened", [writable_entry, writable_folder])
def test_an_entry_that_others_may_write_is_not_believed(cache, opened):
    """It could hold any number, with a name that fits it."""
    cache.save(JOB, {1: np.arange(3)})
    opened(cache)
    with pytest.warns(BetterThanWarning, match=r"Checkpoints ignored in .*: 1\. Another user"):
        assert cache.load(JOB) == {}


@posix
def test_an_entry_of_another_user_is_not_believed_and_none_is_put_beside_it(cache, monkeypatch):
    """In a cache that several users share, whoever comes first could forge what the others compute."""
    cache.save(JOB, {1: np.arange(3)})
    monkeypatch.setattr(os, "geteuid", lambda: 12_345)
    with pytest.warns(BetterThanWarning, match="Another user"):
        assert cache.load(JOB) == {}
    with pytest.raises(PermissionError, match="belongs to another user"):
        cache.save(JOB, {2: np.arange(3)})


@posix
def test_a_link_in_the_place_of_an_entry_or_a_folder_is_not_followed(cache, tmp_path):
    """Nor is what it leads to removed."""
    cache.save(JOB, {1: np.arange(3)})
    (entry,) = (cache.folder / JOB).iterdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    entry.rename(elsewhere / entry.name)
    entry.symlink_to(elsewhere / entry.name)
    assert cache.load(JOB) == {}
    cache.clear()
    (cache.folder / JOB).symlink_to(elsewhere)
    assert cache.clear().entries == 0
    assert (elsewhere / entry.name).exists()
    with pytest.warns(BetterThanWarning, match="ignored"):
        assert cache.load(JOB) == {}
    with pytest.raises(PermissionError):
        cache.save(JOB, {1: np.arange(3)})


@posix
def test_an_open_umask_makes_no_open_entries(cache):
    """Many systems let the group write to whatever is new."""
    before = os.umask(0o002)
    try:
        cache.save(JOB, {1: np.arange(3)})
    finally:
        os.umask(before)
    assert list(cache.load(JOB)) == [1]


@posix
def test_a_pipe_in_the_place_of_an_entry_does_not_stop_a_run(cache):
    """Nobody writes to it."""
    cache.save(JOB, {1: np.arange(3)})
    os.mkfifo(cache.folder / JOB / f"{'0' * 64}.checkpoint")
    assert list(cache.load(JOB)) == [1]
