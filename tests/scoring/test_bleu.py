"""BLEU as counts: sacreBLEU's numbers, whoever counts, and a name that says how."""

from __future__ import annotations

import pickle
import re
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU
from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS
from tests.everyday import examples, few
from tests.scoring.odd_texts import NEARLY, ODD, largest_difference, lines

import betterthan as bt
from betterthan.errors import BetterThanError, UnknownName
from betterthan.scoring import extraction
from betterthan.scoring.bleu import BleuOptions, bleu_statistics
from betterthan.scoring.tokens import SUBWORDS, choose_tokenizer, known_tokenizers, tokenizer, tokens

OUTPUTS = {"A": list(NEARLY), "B": list(ODD), "C": list(ODD[::-1])}
REFERENCES = [list(ODD), list(NEARLY[1:] + NEARLY[:1])]
SAME = 1e-12


def sacrebleu(*, effective_order=False, **options):
    """The same metric, by sacreBLEU."""
    names = {"smoothing": "smooth_method", "smoothing_value": "smooth_value", "max_order": "max_ngram_order"}
    theirs = {names.get(key, key): value for key, value in options.items()}
    return BLEU(force=True, effective_order=effective_order, **theirs)


@pytest.mark.parametrize("n_references", [1, 2])
@pytest.mark.parametrize(
    "options",
    few(
        [
            {},
            {"lowercase": True},
            {"tokenize": "intl"},
            {"tokenize": "zh"},
            {"tokenize": "char"},
            {"tokenize": "none", "lowercase": True},
            {"smoothing": "floor"},
            {"smoothing": "floor", "smoothing_value": 0.01},
            {"smoothing": "add-k", "smoothing_value": 2.0},
            {"smoothing": "none"},
            {"max_order": 2},
            {"max_order": 7},
            {"effective_order": True},
        ],
        7,
    ),
    ids=str,
)
def test_scores_are_those_of_sacrebleu(options, n_references):
    """Corpus and sentence scores and the signature, for every option and odd texts in many scripts."""
    references = REFERENCES[:n_references]
    counts = bt.bleu(OUTPUTS, references, **options)
    metric = sacrebleu(**options)
    sentence = sacrebleu(**options | {"effective_order": True})
    assert max(largest_difference(counts, metric, OUTPUTS, references, sentence=sentence)) <= SAME
    assert counts.formula.name == f"BLEU|{metric.get_signature()}"
    assert any(str(metric.get_signature()) in note for note in counts.notes)
    assert 0 < counts.pooled().min() < counts.pooled().max() < 100 + 1e-9


@settings(max_examples=examples(150))
@given(
    st.lists(st.tuples(lines, lines, lines, lines), min_size=1, max_size=4),
    st.sampled_from(["13a", "zh", "intl"]),
)
def test_no_text_makes_a_difference(rows, tokenize):
    """Two systems and two references of any text."""
    first, second, *references = map(list, zip(*rows, strict=True))
    outputs = {"A": first, "B": second}
    counts = bt.bleu(outputs, references, tokenize=tokenize)
    metric, sentence = sacrebleu(tokenize=tokenize), sacrebleu(tokenize=tokenize, effective_order=True)
    assert max(largest_difference(counts, metric, outputs, references, sentence=sentence)) <= SAME


@settings(max_examples=examples(300))
@given(st.lists(st.text("ab01.,-&;<>!'\"\n\t ()[]/:@{~`$é中\u2028\u00a0\x1c\x85", max_size=12), max_size=6))
def test_13a_for_many_lines_is_13a_for_one(texts):
    """Our 13a splits many lines at once into the tokens of sacreBLEU's."""
    texts = [text.rstrip() for text in [*texts, *ODD, *texts]]
    assert tokens("13a", texts) == [tokenizer("13a")(text).split() for text in texts]


def test_a_segment_may_lack_a_reference():
    """None among several references is left out, as in sacreBLEU; the signature says nrefs:var."""
    some = [[None, *ODD[1:]], [NEARLY[0], None, *NEARLY[2:]]]
    outputs = {"A": list(NEARLY), "B": list(ODD)}
    counts = bt.bleu(outputs, some)
    metric, sentence = sacrebleu(), sacrebleu(effective_order=True)
    assert max(largest_difference(counts, metric, outputs, some, sentence=sentence)) <= SAME
    assert counts.formula.name == f"BLEU|{metric.get_signature()}"
    assert "|nrefs:var|" in counts.formula.name


def test_the_nearest_length_counts_and_of_two_as_near_the_shorter():
    """By hand: 4 words beside 2, 3, 5 and 9 words."""
    references = [["a b"], ["a b c d e"], ["a b c"], ["a b c d e f g h i"]]
    for order in (references, references[::-1]):
        assert bt.bleu({"A": ["a b c d"]}, order).values[0, 0, :2].tolist() == [4, 3]


def test_an_empty_output_is_empty():
    """No n-grams, no matches, a score of 0, and the corpus loses length."""
    counts = bt.bleu({"A": ["", "a b c d e"]}, ["a b", "a b c d e"])
    assert counts.values[0, 0].tolist() == [0, 2] + [0] * 8
    assert counts.per_segment().values[0].tolist() == [0, pytest.approx(100)]
    assert counts.pooled() == pytest.approx(100 * np.exp(1 - 7 / 5))


def test_the_tokeniser_follows_the_language():
    """E33: by language unless asked otherwise, literally 13a on request; the notes say which and why."""
    chinese = {"A": ["我們在北京。"]}
    counts = bt.bleu(chinese, ["我們在上海。"], language="zh-TW")
    assert "|tok:zh|" in counts.formula.name
    assert "Tokenizer zh: by the language zh-TW." in counts.notes
    assert counts.pooled() == pytest.approx(
        BLEU(trg_lang="zh").corpus_score(*_one(chinese, "我們在上海。")).score
    )
    literal = bt.bleu(chinese, ["我們在上海。"], language="zh", literal=True)
    assert "|tok:13a|" in literal.formula.name
    assert "Tokenizer 13a: sacreBLEU's default, taken literally." in literal.notes
    assert "Tokenizer 13a: by the language de." in bt.bleu({"A": ["a"]}, ["a"], language="de").notes
    unnamed = bt.bleu(chinese, ["我們在上海。"])
    assert any("13a does not split into words" in note for note in unnamed.notes)
    assert not any("does not split" in note for note in bt.bleu({"A": ["a"]}, ["a 中"]).notes)


def _one(outputs, reference):
    return outputs["A"], [[reference]]


@pytest.mark.parametrize(("language", "name"), [("ja", "ja-mecab"), ("ko", "ko-mecab"), ("jpn", "ja-mecab")])
def test_japanese_and_korean_need_their_tokeniser(language, name):
    """It is used where installed, and otherwise the message says how to get it or do without."""
    assert choose_tokenizer(None, language).name == name
    try:
        sacrebleu(tokenize=name)
    except RuntimeError:
        cure = f'pip install "sacrebleu[{name[:2]}]". Or use tokenize="char"'
        with pytest.raises(BetterThanError, match=re.escape(cure)):
            bt.bleu({"A": ["今日"]}, ["今日"], language=language)
    else:
        assert bt.bleu({"A": ["今日"]}, ["今日"], language=language).pooled() > 0


def test_tokenisers_and_languages_are_checked():
    """Slips, pairs of languages, and contradictions are refused."""
    outputs, references = {"A": ["a"]}, ["a"]
    with pytest.raises(UnknownName, match=r'Unknown tokenizer "13b"\. Did you mean "13a"'):
        bt.bleu(outputs, references, tokenize="13b")
    with pytest.raises(BetterThanError, match=r'"en-zh" is not one language.*outputs, language="zh"'):
        bt.bleu(outputs, references, language="en-zh")
    with pytest.raises(BetterThanError, match='language="" is not one language'):
        bt.bleu(outputs, references, language="")
    with pytest.raises(BetterThanError, match='literal=True means tokenize="13a"'):
        bt.bleu(outputs, references, tokenize="zh", literal=True)
    assert set(known_tokenizers()) >= {"13a", "intl", "zh", "char", "none"}


@pytest.mark.parametrize("name", ["spm", "flores101", "flores200", "spBLEU-1K"])
def test_no_model_is_fetched_from_the_network(name, tmp_path, monkeypatch):
    """A tokenizer whose model sacreBLEU would download is refused, with the way to get the model."""
    monkeypatch.setattr("sacrebleu.utils.SACREBLEU_DIR", str(tmp_path))
    tokenizer.cache_clear()
    with pytest.raises(
        BetterThanError, match=f'tokenize="{name}" needs a model that is not on this machine: {tmp_path}'
    ):
        bt.bleu({"A": ["a"]}, ["a"], tokenize=name)
    assert SUBWORDS[name] == Path(SPM_MODELS[name]["url"]).name
    assert set(SUBWORDS) == set(SPM_MODELS)


@pytest.fixture
def small_blocks(monkeypatch):
    """Cut the work so that there are several blocks."""
    monkeypatch.setattr(extraction, "BLOCK", 20_000)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("metric", [bt.bleu, bt.chrf])
def test_the_same_bytes_whoever_counts(metric):
    """One worker, several, threads or processes of the caller's, one block or many."""
    expected = metric(OUTPUTS, REFERENCES, workers=1).values
    assert np.array_equal(metric(OUTPUTS, REFERENCES, workers=3).values, expected)
    with ThreadPoolExecutor(2) as threads:
        assert np.array_equal(metric(OUTPUTS, REFERENCES, executor=threads).values, expected)
    with ProcessPoolExecutor(2) as processes:
        assert np.array_equal(metric(OUTPUTS, REFERENCES, executor=processes).values, expected)
    one_by_one = [
        metric({"A": [OUTPUTS["A"][i]]}, [[lines[i]] for lines in REFERENCES]).values[0, 0]
        for i in range(len(ODD))
    ]
    assert np.array_equal(one_by_one, expected[0])


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("metric", [bt.bleu, bt.chrf])
def test_what_was_counted_is_found_again(metric, tmp_path, monkeypatch):
    """A cache knows texts and options by content: only what is new is counted."""
    counted = []
    real = extraction._count_part

    def watched(payload, block):
        counted.append(len(payload[0]))
        return real(payload, block)

    monkeypatch.setattr(extraction, "_count_part", watched)
    cache = bt.Cache(tmp_path, patience=0)
    options = {"cache": cache, "workers": 1}
    two = {name: OUTPUTS[name] for name in "AB"}
    first = metric(two, REFERENCES, **options)
    assert set(counted) == {2}
    counted.clear()
    assert np.array_equal(metric(two, REFERENCES, **options).values, first.values)
    assert counted == []
    renamed = metric({"X": OUTPUTS["B"], "Y": OUTPUTS["A"]}, REFERENCES, **options)
    assert np.array_equal(renamed.values, first.values[::-1])
    assert counted == []
    three = metric(OUTPUTS, REFERENCES, **options)
    assert set(counted) == {1}
    assert np.array_equal(three.values, metric(OUTPUTS, REFERENCES).values)
    counted.clear()
    lower = metric(two, REFERENCES, lowercase=True, **options)
    assert set(counted) == {2}
    assert not np.array_equal(lower.values, first.values)
    assert not np.array_equal(metric(two, REFERENCES[:1], **options).values, first.values)


def test_the_order_of_systems_and_segments_is_no_matter():
    """Each row and each segment is counted by itself."""
    counts = bt.bleu(OUTPUTS, REFERENCES)
    turned = bt.bleu(
        {name: lines[::-1] for name, lines in reversed(OUTPUTS.items())},
        [lines[::-1] for lines in REFERENCES],
    )
    assert np.array_equal(turned.values, counts.values[::-1, ::-1])


def test_counts_go_on_to_the_verbs():
    """Ranked, compared, sent to another process, written and read back; the signature stays with them."""
    counts = bt.bleu(OUTPUTS, REFERENCES)
    ranking = bt.rank(counts, n_resamples=50)
    assert ranking.strength[ranking.systems.index("B")] == pytest.approx(counts.pooled()[1])
    assert counts.formula.name in str(ranking.to_dict())
    back = bt.Counts.from_dict(counts.to_dict(), formula=pickle.loads(pickle.dumps(counts.formula)))  # noqa: S301
    assert back.digest == counts.digest
    assert np.array_equal(back.pooled(), counts.pooled())
    assert counts.digest != bt.bleu(OUTPUTS, REFERENCES, smoothing="none").digest


def test_a_part_is_counted_without_names():
    """The counter takes lines and options, and returns one row a system and segment."""
    assert bt.bleu({"A": ["a"]}, ["a"]).columns[:3] == ("output length", "reference length", "matches 1")
    part = extraction.Part((("a b", "c"),), (("a b", None), ("a", "c d")))
    rows = bleu_statistics(part, BleuOptions("13a", "13a", lowercase=False, max_order=1))
    assert rows.tolist() == [[[2, 2, 2, 2], [1, 2, 1, 1]]]
