"""Tokenizers of sacreBLEU, by language."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

import numpy as np

from betterthan.errors import BetterThanError, unknown_name
from betterthan.kernels.text.ngrams import SymbolSequences
from betterthan.messages import Message, Option

Tokenizer = Callable[[str], str]

DEFAULT = "13a"
BY_LANGUAGE = {
    **dict.fromkeys(("zh", "zho", "chi", "cmn"), "zh"),
    **dict.fromkeys(("ja", "jpn"), "ja-mecab"),
    **dict.fromkeys(("ko", "kor"), "ko-mecab"),
}
PACKAGES = {"ja-mecab": '"sacrebleu[ja]"', "ko-mecab": '"sacrebleu[ko]"'}
SUBWORDS = {  # their models, which sacreBLEU fetches when they are not in its folder
    "spm": "sacrebleu_tokenizer_spm.model",
    "flores101": "sacrebleu_tokenizer_spm.model",
    "flores200": "flores200sacrebleuspm",
    "spBLEU-1K": "spbleu-1k_tokenizer_spm.model",
}
WITHOUT_SPACES = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")


ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
MARKS_13A = '!"#$%&()*+/:;<=>?@[\\]^_`{|}~'  # always stand alone
RULES_13A = (  # with the group that gets a space on either side
    (re.compile(r"([^0-9])([.,])"), 2),  # period and comma, unless a digit stands before
    (re.compile(r"([.,])([^0-9])"), 1),  # and unless a digit follows
    (re.compile(r"([0-9])(-)"), 2),  # a dash after a digit
)
SPACED = {".": " . ", ",": " , ", "-": " - "}


class Choice(NamedTuple):
    """A tokenizer, and why it was chosen."""

    name: str
    reason: str
    is_default: bool = False


def choose_tokenizer(tokenize: str | None, language: str | None, *, literal: bool = False) -> Choice:
    """Choose the tokenizer: the requested one, else by the target language, else 13a.

    Examples
    --------
    >>> choose_tokenizer(None, "zh-CN").name
    'zh'
    >>> choose_tokenizer(None, "de").name
    '13a'
    >>> choose_tokenizer(None, "zh", literal=True).name
    '13a'
    """
    if literal:
        if tokenize is not None:
            raise BetterThanError(
                Message(
                    "{literal} means {default} for every language, but {tokenize} was given. Leave one of "
                    "them out.",
                    literal=Option("literal", True),
                    default=Option("tokenize", DEFAULT),
                    tokenize=Option("tokenize", tokenize),
                )
            )
        return Choice(DEFAULT, "sacreBLEU's default, taken literally")
    if tokenize is not None:
        if tokenize not in known_tokenizers():
            raise unknown_name("tokenizer", str(tokenize), known_tokenizers())
        return Choice(str(tokenize), "on request")
    if language is None:
        return Choice(DEFAULT, "sacreBLEU's default, as no language was named", is_default=True)
    code = language_code(language)
    return Choice(BY_LANGUAGE.get(code, DEFAULT), f"by the language {language}")


def language_code(language: str) -> str:
    """Return the code before region and script; a language pair is refused.

    Examples
    --------
    >>> language_code("zh_TW"), language_code("Pt-BR")
    ('zh', 'pt')
    """
    parts = re.split("[-_]", str(language).strip().lower())
    target = next((part for part in parts[1:] if part in BY_LANGUAGE), None)
    if not parts[0].isalpha() or target is not None:
        raise BetterThanError(
            Message(
                "{given} is not one language. Name only the language of the outputs, "
                + ("{hint}." if target else "such as {hint}."),
                given=Option("language", language),
                hint=Option("language", target or "de"),
            )
        )
    return parts[0]


@cache
def known_tokenizers() -> tuple[str, ...]:
    """Return the names sacreBLEU knows."""
    from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415  (loaded when texts are scored, not before)

    return tuple(BLEU.TOKENIZERS)


@cache
def tokenizer(name: str) -> Tokenizer:
    """Return sacreBLEU's tokenizer of that name, from a line to a line with spaces between tokens.

    Raises
    ------
    BetterThanError
        If what it needs is not installed; the message says how to install it, or what to use instead.

    Examples
    --------
    >>> tokenizer("13a")("It costs 3.50, no?")
    'It costs 3.50 , no ?'
    """
    from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415

    _check_model(name)
    try:
        made: Tokenizer = BLEU(tokenize=name).tokenizer
    except (RuntimeError, ImportError) as error:
        package = PACKAGES.get(name, "sentencepiece")
        raise BetterThanError(
            Message(
                "{given} needs a package that is not installed: pip install {package}. Or use {char}, which "
                "splits the text into characters.",
                given=Option("tokenize", name),
                package=package,
                char=Option("tokenize", "char"),
            )
        ) from error
    return made


def _check_model(name: str) -> None:
    """Raise for a tokenizer whose model sacreBLEU would download: betterthan does not use the network."""
    from sacrebleu.utils import SACREBLEU_DIR  # noqa: PLC0415

    model = Path(SACREBLEU_DIR, "models", SUBWORDS.get(name, ""))
    if name in SUBWORDS and not model.exists():
        raise BetterThanError(
            Message(
                "{given} needs a model that is not on this machine: {model}. betterthan does not use the "
                "network; let sacreBLEU download it once: echo x | sacrebleu --tokenize {name} <(echo x).",
                given=Option("tokenize", name),
                model=model,
                name=name,
            )
        )


def tokens(name: str, lines: Sequence[str]) -> list[list[str]]:
    """Split lines into tokens; lines that occur more than once are split once.

    Examples
    --------
    >>> tokens("13a", ["No, 3.5!", "", "No, 3.5!"])
    [['No', ',', '3.5', '!'], [], ['No', ',', '3.5', '!']]
    """
    distinct = list(dict.fromkeys(lines))
    if name == DEFAULT:
        split = _tokens_13a(distinct)
    else:
        one = tokenizer(name)
        split = [one(line).split() for line in distinct]
    of_line = dict(zip(distinct, split, strict=True))
    return [of_line[line] for line in lines]


def _tokens_13a(lines: Sequence[str]) -> list[list[str]]:
    """Do what sacreBLEU's tokenizer 13a does, for many lines at once: equal tokens in a third of the time.

    Two things differ, and neither can be seen in the tokens. Lines are joined by line ends, of which 13a leaves none
    in a line; each stands between spaces, so that no rule reaches across. A space is not itself put between spaces,
    as most of 13a's work is.
    """
    if not lines:
        return []
    joined = " \n ".join(
        [line.replace("<skipped>", "").replace("-\n", "").replace("\n", " ") for line in lines]
    )
    for entity, character in ENTITIES:
        joined = joined.replace(entity, character)
    joined = f" {joined} "
    for mark in MARKS_13A:
        joined = joined.replace(mark, f" {mark} ")
    for pattern, group in RULES_13A:
        # Text, first group, second group, text, …: before Python 3.12, `sub` takes several times as long.
        pieces = pattern.split(joined)
        pieces[group::3] = map(SPACED.__getitem__, pieces[group::3])
        joined = "".join(pieces)
    return [line.split() for line in joined.split("\n")]


def word_numbers(lines: Sequence[Sequence[str]]) -> SymbolSequences:
    """Number the words in order of appearance, the same word by the same number in all lines.

    Examples
    --------
    >>> word_numbers([["to", "be"], ["or", "not"], ["to", "be"]]).symbols.tolist()
    [0, 1, 2, 3, 0, 1]
    """
    number: defaultdict[str, int] = defaultdict(count().__next__)
    lengths = [len(words) for words in lines]
    symbols = np.fromiter(map(number.__getitem__, chain.from_iterable(lines)), np.int64, sum(lengths))
    return SymbolSequences.of(symbols, lengths)


def tokenizer_signature(name: str) -> str:
    """Return what sacreBLEU writes for a tokenizer in its signature."""
    signature: str = tokenizer(name).signature()  # type: ignore[attr-defined]
    return signature


def has_no_spaces(text: str) -> bool:
    """Whether most letters of a text are Chinese or Japanese, where 13a finds whole sentences as tokens.

    Examples
    --------
    >>> has_no_spaces("今日は天気がいい。"), has_no_spaces("Good weather today.")
    (True, False)
    """
    n_found = len(WITHOUT_SPACES.findall(text))
    return n_found > 0 and 2 * n_found > sum(map(str.isalpha, text))
