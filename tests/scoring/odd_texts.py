"""Texts that trip metrics up, and sacreBLEU's scores of them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

ODD = (
    "",
    " ",
    "\t \u3000",
    "a",
    ".",
    "The cat, the dog, the cat; the end.",
    "It costs 3.50, not 4,000.1 - or 5-6% (net)!",
    "&quot;A&amp;B&quot; &lt;skipped&gt; <skipped> &",
    "hyphen-\nated line\nbreaks",
    "😀😀 👩‍👩‍👧‍👦 family",
    "e\u0301e\u0301 combining é é",
    "שלום עולם, מה שלומך?",
    "مرحبا بالعالم، كيف حالك؟",
    "今日は天気がいいですね。散歩に行きましょう。",
    "我們在北京，他說：“你好！”",
    "線1\u2028線2\u2029線3\x85x\x1cy\u00a0z",
    "tab\tseparated\ttext  with   spaces ",
    "İstanbul ẞ ŒUVRE Σίσυφος",
    "(hi) 'quoted' -dash- ... !!! a.b.c",
    "the " * 200,
    "x" * 500,
)
NEARLY = tuple(
    text.replace("the dog", "a dog").replace("The", "the").replace("の", "は").replace(".", ",")
    for text in ODD
)

alphabet = st.sampled_from("aabbAB01., -&;'\"()!\n\té中文。の\u2028\u00a0İß😀\u0301")
lines = st.one_of(st.sampled_from(ODD), st.text(alphabet, max_size=25))


def largest_difference(counts, metric, outputs, references, *, sentence=None):
    """Return the largest differences from sacreBLEU: of corpus scores, and of sentence scores."""
    corpus = [metric.corpus_score(list(lines), references).score for lines in outputs.values()]
    each = [
        [
            (sentence or metric).sentence_score(line, [r for r in those if r is not None]).score
            for line, those in zip(lines, zip(*references, strict=True), strict=True)
        ]
        for lines in outputs.values()
    ]
    pooled = np.abs(counts.pooled() - corpus).max()
    return pooled, np.abs(counts.per_segment().values - each).max()
