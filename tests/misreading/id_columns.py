"""Ids beside the systems, under the names that people give them: an id is never ranked.

A column that can only be an id may be taken as one. Where it may be a system, the user is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.misreading.cases import (
    GPT,
    LLAMA,
    ONE_TO_N,
    RIGHT,
    Case,
    Columns,
    Ranked,
    Stop,
    beside,
    long,
    long_rows,
    wide,
)

SETTLES = ("--item", "--ignore", "--keep")
UUIDS = tuple(f"{k:08x}-1c2d-4e3f-8a9b-0123456789ab" for k in (977, 12, 40_961, 3, 512, 88, 7, 65_000))
HASHES = ("9f86d08", "60303ae", "fd61a03", "a4e624d", "1234567", "12e4567", "ef2d127", "e7f6c01")
DATABASE_KEYS = (100_234, 100_235, 100_301, 100_377, 100_404, 100_512, 100_777, 100_901)
SCATTERED = (48_213, 9_921, 77_120, 30_555, 61_004, 12_873, 95_310, 54_448)
SHUFFLED = (5, 2, 8, 1, 7, 3, 6, 4)
GRADES = {"GPT": (5, 4, 5, 3, 4, 2, 5, 4), "Llama": (4, 4, 3, 3, 2, 2, 5, 1)}
OF_GRADES = Ranked(means={"GPT": 4.0, "Llama": 3.0}, segments=8)


def _id(column: str, values: Sequence[object] = ONE_TO_N, *, what: str = "") -> Case:
    return Case(
        name=f"{column}{f', {what}' if what else ''}",
        files={"scores.csv": beside(**{column: values})},
        expect=RIGHT,
        or_stop=Stop(words=(column, SETTLES)),
    )


def _graded(column: str, values: Sequence[object], *, what: str) -> Case:
    """With scores that are whole numbers as well, so that only name and order tell."""
    return Case(
        name=f"{column} beside grades, {what}",
        files={"scores.csv": Columns({column: values, **GRADES})},
        expect=OF_GRADES,
        or_stop=Stop(words=(column, SETTLES)),
        settle=("--item", column),
        settled=OF_GRADES,
    )


NAMES = (
    "qid", "prompt_id", "row", "#", "nr", "No.", "sent_id", "query_id", "task_id", "case_id", "example", "problem",
    "row_number", "ID", "idx", "index", "question", "entry",
)  # fmt: skip

CASES = (
    *(_id(name) for name in NAMES),
    _id("qid", range(8), what="from 0"),
    _id("prompt_id", SHUFFLED, what="in no order"),
    _id("qid", DATABASE_KEYS, what="keys of a database"),
    _id("prompt_id", SCATTERED, what="numbers without order"),
    _id("uuid", UUIDS),
    _id("hash", HASHES, what="some of which look like numbers"),
    _id("sha256", HASHES, what="some of which look like numbers"),
    Case(
        name="hashes under a name that says nothing, some of which look like numbers",
        files={"scores.csv": beside(foo=HASHES)},
        expect=Stop(words=("foo", "--item foo", "--ignore foo")),
        settle=("--item", "foo"),
        settled=RIGHT,
    ),
    Case(
        name="remarks under a name that says nothing, some of which are numbers",
        files={"scores.csv": beside(foo=("good", "bad", "3", "good", "bad", "bad", "good", "4"))},
        expect=Stop(words=("foo", "--ignore foo")),
        settle=("--ignore", "foo"),
        settled=RIGHT,
    ),
    _id("key", [f"doc{1 + k // 4}:{1 + k % 4}" for k in range(8)], what="document and segment"),
    _id("foo", ONE_TO_N, what="counted up under a name that says nothing"),
    _id("timestamp_ms", [1_700_000_000_000 + 977 * k for k in range(8)]),
    _id("year", [2010 + k for k in range(8)]),
    _graded("qid", ONE_TO_N, what="counted up"),
    _graded("prompt_id", SHUFFLED, what="in no order"),
    _graded("nr", range(101, 109), what="from 101"),
    Case(
        name="qid behind the systems",
        files={"scores.csv": Columns({"GPT": GPT, "Llama": LLAMA, "qid": ONE_TO_N})},
        expect=RIGHT,
        or_stop=Stop(words=("qid", SETTLES)),
        settle=("--item", "qid"),
        settled=RIGHT,
    ),
    Case(
        name="two id columns, one of them known",
        files={"scores.csv": beside(id=ONE_TO_N, qid=DATABASE_KEYS)},
        expect=RIGHT,
        or_stop=Stop(words=("qid", SETTLES)),
        settle=("--ignore", "qid"),
        settled=RIGHT,
    ),
    Case(
        name="document and segment numbers",
        files={"scores.csv": beside(doc_id=(1, 1, 1, 2, 2, 3, 3, 3), sent_nr=(1, 2, 3, 1, 2, 1, 2, 3))},
        expect=RIGHT,
        or_stop=Stop(words=("sent_nr", SETTLES)),
    ),
    Case(
        name="ids that are written 1.0, 2.0",
        files={"scores.csv": beside(qid=[float(k) for k in ONE_TO_N])},
        expect=RIGHT,
        or_stop=Stop(words=("qid", SETTLES)),
    ),
    Case(
        name="ids with leading zeros",
        files={"scores.csv": wide("qid,GPT,Llama", first=[f"{k:04d}" for k in ONE_TO_N])},
        expect=RIGHT,
        or_stop=Stop(words=("qid", SETTLES)),
        settle=("--item", "qid"),
        settled=Ranked(means=RIGHT.means, segments=8, cells={("GPT", "0003"): 0.91}),
    ),
    Case(
        name="a known id keeps its names",
        files={"scores.csv": beside(id=[f"s{k}" for k in SHUFFLED])},
        expect=Ranked(
            means=RIGHT.means, segments=8, cells={("GPT", "s8"): 0.91, ("Llama", "s4"): 0.60}, quiet=True
        ),
    ),
    Case(
        name="long with qid",
        files={"scores.csv": long("qid,system,score")},
        expect=RIGHT,
        or_stop=Stop(words=("qid", "--item")),
        settle=("--item", "qid"),
        settled=RIGHT,
    ),
    Case(
        name="long with prompt_id and a metric's name",
        files={"scores.csv": long("prompt_id,model,accuracy")},
        expect=RIGHT,
        or_stop=Stop(words=("prompt_id", "--item")),
        settle=("--item", "prompt_id"),
        settled=RIGHT,
    ),
    Case(
        name="long with an id and a row number",
        files={
            "scores.csv": long("row,item,system,score", rows=[(k, *row) for k, row in enumerate(long_rows())])
        },
        expect=RIGHT,
    ),
    Case(
        name="the only column beside an id is one system",
        files={"scores.csv": Columns({"qid": ONE_TO_N, "GPT": GPT})},
        expect=Stop(words=(("one system", "qid"),)),
    ),
)
