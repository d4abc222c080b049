"""TER as counts: sacreBLEU's numbers to the last digit."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import TER
from tests.everyday import few
from tests.scoring.odd_texts import NEARLY, ODD, largest_difference, lines

import betterthan as bt
from betterthan.engine.progress import Silence
from betterthan.errors import MissingScores, TableError
from betterthan.scoring import extraction

OUTPUTS = {"A": list(NEARLY), "B": list(ODD), "C": list(ODD[::-1])}
REFERENCES = [list(ODD[3:] + ODD[:3]), list(NEARLY)]
OPTIONS = [
    dict(zip(("normalized", "no_punct", "asian_support", "case_sensitive"), chosen, strict=True))
    for chosen in product([False, True], repeat=4)
]


@pytest.mark.parametrize("n_references", [1, 2])
@pytest.mark.parametrize(
    "options", few(OPTIONS, 3), ids=lambda options: "-".join(k for k, v in options.items() if v)
)
def test_scores_are_those_of_sacrebleu(options, n_references):
    """Corpus and sentence scores to the last digit and the signature, for all options and odd texts."""
    references = REFERENCES[:n_references]
    counts = bt.ter(OUTPUTS, references, **options)
    metric = TER(**options)
    assert largest_difference(counts, metric, OUTPUTS, references) == (0, 0)
    metric.corpus_score(OUTPUTS["A"], references)
    assert counts.formula.name == f"TER|{metric.get_signature()}"
    assert counts.name == "TER"
    assert any(str(metric.get_signature()) in note for note in counts.notes)
    assert not counts.higher_is_better
    assert not counts.per_segment().higher_is_better
    assert counts.columns == ("edits", "reference length")


@given(
    rows=st.lists(st.tuples(lines, lines, lines, lines), min_size=1, max_size=3),
    options=st.sampled_from(OPTIONS),
)
def test_no_text_makes_a_difference(rows, options):
    """Two systems and two references of any text."""
    first, second, *references = map(list, zip(*rows, strict=True))
    outputs = {"A": first, "B": second}
    counts = bt.ter(outputs, references, **options)
    assert largest_difference(counts, TER(**options), outputs, references) == (0, 0)


def test_the_example_of_the_paper():
    """Snover et al. (2006), section 3: 4 edits, 13 words, 31 %."""
    output = "THIS WEEK THE SAUDIS denied information published in the new york times"
    reference = "SAUDI ARABIA denied THIS WEEK information published in the AMERICAN new york times"
    counts = bt.ter({"A": [output]}, [reference])
    assert counts.values.tolist() == [[[4, 13]]]
    assert counts.pooled().round() == 31


def test_fewest_edits_and_mean_length():
    """Of several references the nearest gives the edits, and all of them the length."""
    counts = bt.ter({"A": ["a b c"]}, [["x"], ["a b c d"], ["a b"]])
    assert counts.values.tolist() == [[[1, (1 + 4 + 2) / 3]]]


def test_a_segment_may_lack_a_reference():
    """None among several references is left out, as in sacreBLEU; the signature says nrefs:var."""
    some = [[None, *ODD[1:]], [NEARLY[0], None, *NEARLY[2:]]]
    counts = bt.ter(OUTPUTS, some)
    assert largest_difference(counts, TER(), OUTPUTS, some) == (0, 0)
    assert "|nrefs:var|" in counts.formula.name


def test_empty_references_count_as_sacrebleu_counts_them():
    """By itself 100 or 0; pooled, edits without a length."""
    counts = bt.ter({"A": ["a b", "", "c", "d"]}, ["", "", "c", ""])
    assert counts.values[0].tolist() == [[2, 0], [0, 0], [0, 1], [1, 0]]
    assert counts.per_segment().values.tolist() == [[100, 0, 0, 100]]
    assert counts.pooled().tolist() == [300]


def test_references_are_tokenised_twice():
    """As sacreBLEU does: only a second look separates this comma from this point."""
    counts = bt.ter({"A": [",.1"]}, [",.1"], normalized=True)
    assert counts.values.tolist() == [[[2, 3]]]
    assert TER(normalized=True).sentence_score(",.1", [",.1"]).num_edits == 2


def test_renaming_and_reordering():
    """Systems and segments in another order give the same numbers in that order, and company changes none."""
    whole = bt.ter(OUTPUTS, REFERENCES)
    turned = bt.ter(
        {name: OUTPUTS[name][::-1] for name in ("C", "A")}, [lines[::-1] for lines in REFERENCES[::-1]]
    )
    assert np.array_equal(turned.values, whole.values[[2, 0], ::-1])
    alone = bt.ter({"any name": OUTPUTS["B"]}, REFERENCES)
    assert np.array_equal(alone.values[0], whole.values[1])


def test_texts_bring_their_references():
    """A table of texts needs nothing else, and its documents and notes come along."""
    table = bt.Texts(
        systems=["A"],
        segments=["x", "y"],
        outputs=[["a b", "c"]],
        references=[["b a", "c"]],
        groups=["d", "d"],
        notes=["n"],
    )
    counts = bt.ter(table)
    assert counts.values.tolist() == [[[1, 2], [0, 1]]]
    assert (counts.segments, counts.groups, counts.notes[0]) == (("x", "y"), ("d", "d"), "n")


def test_what_does_not_fit_is_refused():
    """The checks are those of the room."""
    with pytest.raises(TableError, match="one list per reference"):
        bt.ter({"A": ["a", "b", "c"]}, [["a", "x"], ["b", "y"], ["c", "z"]])
    with pytest.raises(MissingScores, match="outputs are missing"):
        bt.ter({"A": ["a", None]}, ["a", "b"])
    assert bt.ter({"A": ["a", None]}, ["a", "b"], missing="empty").values.tolist() == [[[0, 1], [1, 1]]]


def test_texts_without_spaces_are_noticed():
    """A sentence of one word is told, with what to do; so is an option without effect."""
    chinese = {"A": ["我們在北京"]}, ["他們在北京"]
    assert any("whole sentences count as words" in note for note in bt.ter(*chinese).notes)
    split = bt.ter(*chinese, normalized=True, asian_support=True)
    assert split.values.tolist() == [[[1, 5]]]
    assert len(split.notes) == 1
    assert any(
        "asian_support=True has no effect" in note for note in bt.ter(*chinese, asian_support=True).notes
    )
    assert len(bt.ter({"A": ["a"]}, ["a"]).notes) == 1


def test_workers_and_blocks_change_no_byte(monkeypatch):
    """One block or many, one worker, several, or the caller's own."""
    whole = bt.ter(OUTPUTS, REFERENCES, workers=1).values
    monkeypatch.setattr(extraction, "BLOCK", 1)
    assert bt.ter(OUTPUTS, REFERENCES, workers=1).values.tobytes() == whole.tobytes()
    assert bt.ter(OUTPUTS, REFERENCES, workers=2).values.tobytes() == whole.tobytes()
    with ThreadPoolExecutor(2) as executor:
        assert bt.ter(OUTPUTS, REFERENCES, executor=executor).values.tobytes() == whole.tobytes()


class Told(Silence):
    """Remembers what was begun."""

    def __init__(self):
        self.started = []

    def start(self, total, label, *, done=0):
        """Note the name of the work."""
        assert done <= total
        self.started.append(label)


def test_statistics_are_found_again(tmp_path):
    """By texts and options: a second call reads them, and other options do not."""
    cache, told = bt.Cache(tmp_path, patience=0), Told()
    first = bt.ter(OUTPUTS, REFERENCES, cache=cache, progress=told)
    again = bt.ter(OUTPUTS, REFERENCES, cache=cache, progress=told)
    assert told.started == ["TER statistics"]
    assert again.values.tobytes() == first.values.tobytes()
    other = bt.ter(OUTPUTS, REFERENCES, case_sensitive=True, cache=cache)
    assert other.values.tobytes() == bt.ter(OUTPUTS, REFERENCES, case_sensitive=True).values.tobytes()
    assert not np.array_equal(other.values, first.values)


WITHOUT_NUMBA = """
import json, sys
sys.modules["numba"] = None
import betterthan as bt
outputs, references = json.load(sys.stdin)
print(json.dumps(bt.ter(outputs, references, normalized=True, workers=1).values.tolist()))
"""


def test_without_numba_the_numbers_are_the_same():
    """The extra makes it fast, not different."""
    given = json.dumps([OUTPUTS, REFERENCES])
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMBA], input=given, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == bt.ter(OUTPUTS, REFERENCES, normalized=True).values.tolist()


def test_counts_may_be_compared():
    """A lower rate is better, also for the verbs."""
    references = [f"a b c d {i}" for i in range(40)]
    good = [*references[:30], *("a b x d" for _ in range(10))]
    bad = [line.replace("b", "y") for line in references]
    result = bt.rank(bt.ter({"bad": bad, "good": good}, references), n_resamples=200)
    assert result.systems[0] == "good"
