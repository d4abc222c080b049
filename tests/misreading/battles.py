"""Battles: words and numbers for winners and ties, both orders of a question, judges, columns of other names."""

from __future__ import annotations

from collections.abc import Sequence

from tests.misreading.cases import Case, Fought, Stop, Words

# Left, right, and which of them won: GPT wins three of five, and twice as the system on the right.
PLAYED = (
    ("GPT", "Llama", 0),
    ("Llama", "GPT", 1),
    ("Llama", "GPT", 1),
    ("Llama", "GPT", 0),
    ("GPT", "Llama", 1),
)
WINS = {("GPT", "Llama"): 3, ("Llama", "GPT"): 2}
RIGHT = Fought(wins=WINS, best="GPT")
TIED = Fought(wins=WINS, ties=1, best="GPT")


def _text(header: str, words: Sequence[object], *more: str) -> str:
    rows = [f"{left},{right},{words[won]}" for left, right, won in PLAYED]
    return "\n".join([header, *rows, *more]) + "\n"


def _sides(name: str, words: tuple[object, object], header: str = "model_a,model_b,winner") -> Case:
    """Words or numbers that have one reading."""
    return Case(name=f"winner as {name}", files={"battles.csv": _text(header, words)}, expect=RIGHT)


def _codes(
    name: str, words: tuple[object, object], *more: str, header: str = "model_a,model_b,winner"
) -> Case:
    """Numbers that have two readings, which give opposite answers."""
    shown = tuple(str(word) for word in words)
    return Case(
        name=f"winner as {name}",
        files={"battles.csv": _text(header, words, *more)},
        expect=Stop(words=("winner", *shown)),
        matches=True,
    )


def _tie(word: str, *, known: bool) -> Case:
    """A word for a tie: understood, or refused by name; never a win, never left out."""
    text = _text("model_a,model_b,winner", ("model_a", "model_b"), f"GPT,Llama,{word}")
    refused = Stop(words=(word,))
    return Case(
        name=f"tie as {word}", files={"battles.csv": text}, expect=TIED, or_stop=None if known else refused
    )


def _stopped(name: str, text: str, words: Words) -> Case:
    return Case(name=name, files={"battles.csv": text}, expect=Stop(words=words), matches=True)


QUESTIONS = range(1, 7)
# GPT wins four of six questions; each is played in both orders, and the answers agree.
BOTH_ORDERS = "question_id,model_a,model_b,winner\n" + "".join(
    f"{q},GPT,Llama,{'model_a' if q < 5 else 'model_b'}\n{q},Llama,GPT,{'model_b' if q < 5 else 'model_a'}\n"
    for q in QUESTIONS
)
JUDGED = "question_id,model_a,model_b,winner,judge\n" + "".join(
    f"{q},GPT,Llama,{'model_a' if (q + n) % 3 else 'model_b'},{judge}\n"
    for n, judge in enumerate(("ann", "bob", "cleo"))
    for q in QUESTIONS
)

CASES = (
    _sides("A and B", ("A", "B")),
    _sides("left and right", ("left", "right")),
    _sides("Model A and Model B", ("Model A", "Model B")),
    _sides("model_1 and model_2", ("model_1", "model_2"), "model_1,model_2,winner"),
    _sides("with blanks behind", ("model_a ", "model_b ")),
    Case(
        name="winner as result of the left system, with a draw",
        files={"battles.csv": _text("model_a,model_b,outcome", (1, 0), "GPT,Llama,0.5")},
        expect=TIED,
    ),
    Case(
        name="winner as 1 and 2",
        files={"battles.csv": _text("model_a,model_b,winner", (1, 2))},
        expect=RIGHT,
        or_stop=Stop(words=("winner", "1", "2")),
    ),
    Case(
        name="preference as 1 and 2",
        files={"battles.csv": _text("model_a,model_b,preference", (1, 2))},
        expect=RIGHT,
    ),
    _codes("0 and 1, by position", (0, 1)),
    _codes("1 and 0, as the result of the left system", (1, 0)),
    _codes("0 and 1 with 2 for a tie", (0, 1), "GPT,Llama,2"),
    _codes("1 and -1 with 0 for a tie", (1, -1), "GPT,Llama,0"),
    _codes("1 and 2 with 0 for a tie", (1, 2), "GPT,Llama,0"),
    Case(
        name="winner as True and False",
        files={"battles.csv": _text("model_a,model_b,winner", ("True", "False"))},
        expect=Stop(words=("True",)),
        matches=True,
    ),
    Case(
        name="a column that says whether a won",
        files={"battles.csv": _text("model_a,model_b,a_wins", (1, 0))},
        expect=RIGHT,
        or_stop=Stop(words=("--winner",)),
    ),
    *(_tie(word, known=True) for word in ("Tie", "draw", "tie (bothbad)")),
    *(_tie(word, known=False) for word in ("equal", "neither", "both", "none", "=")),
    Case(
        name="winner by name, with a tie",
        files={
            "battles.csv": "model_a,model_b,winner\n"
            + "".join(f"{a},{b},{(a, b)[w]}\n" for a, b, w in PLAYED)
            + "GPT,Llama,tie\n"
        },
        expect=TIED,
    ),
    _stopped(
        "winner is a third system",
        _text("model_a,model_b,winner", ("model_a", "model_b"), "GPT,Llama,Qwen"),
        ("Qwen",),
    ),
    _stopped(
        "winner is misspelt",
        _text("model_a,model_b,winner", ("model_a", "model_b"), "GPT,Llama,modle_a"),
        ("modle_a",),
    ),
    _stopped(
        "winner is empty", _text("model_a,model_b,winner", ("model_a", "model_b"), "GPT,Llama,"), ("empty",)
    ),
    _stopped(
        "winner by name, in another case",
        "model_a,model_b,winner\nGPT,Llama,gpt\nLlama,GPT,Llama\nGPT,Llama,GPT\n",
        ("gpt",),
    ),
    _stopped(
        "systems called A and B on the other sides",
        "model_a,model_b,winner\nB,A,A\nB,A,A\nA,B,A\nB,A,B\n",
        ("A", ("two", "both", "side", "also")),
    ),
    _stopped(
        "a system without a name",
        _text("model_a,model_b,winner", ("model_a", "model_b"), ",Llama,model_a"),
        ("name",),
    ),
    Case(
        name="a system against itself",
        files={"battles.csv": _text("model_a,model_b,winner", ("model_a", "model_b"), "GPT,GPT,model_a")},
        expect=Fought(wins=WINS, best="GPT", says=(("itself", "same"),)),
        or_stop=Stop(words=(("itself", "same"),)),
    ),
    Case(
        name="winner and loser",
        files={
            "battles.csv": "winner,loser\n" + "".join(f"{(a, b)[w]},{(a, b)[1 - w]}\n" for a, b, w in PLAYED)
        },
        expect=RIGHT,
        or_stop=Stop(words=("--left",)),
    ),
    Case(
        name="scores of both sides instead of a winner",
        files={
            "battles.csv": "model_a,model_b,score_a,score_b\n"
            + "".join(f"{a},{b},{8 - 3 * w},{5 + 3 * w}\n" for a, b, w in PLAYED)
        },
        expect=RIGHT,
        or_stop=Stop(words=(("winner", "--winner"),)),
    ),
    Case(
        name="ranks of both sides",
        files={
            "battles.csv": "system_a,system_b,rank_a,rank_b\n"
            + "".join(f"{a},{b},{1 + w},{2 - w}\n" for a, b, w in PLAYED)
        },
        expect=RIGHT,
    ),
    Case(
        name="a column for each outcome",
        files={
            "battles.csv": "model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"
            + "".join(f"{a},{b},{1 - w},{w},0\n" for a, b, w in PLAYED)
        },
        expect=RIGHT,
    ),
    Case(
        name="both orders of every question",
        files={"battles.csv": BOTH_ORDERS},
        expect=Fought(wins={("GPT", "Llama"): 8, ("Llama", "GPT"): 4}, best="GPT", says=("question",)),
    ),
    Case(
        name="three judges of every question",
        files={"battles.csv": JUDGED},
        expect=Fought(wins={("GPT", "Llama"): 12, ("Llama", "GPT"): 6}, best="GPT", says=("judge",)),
    ),
    Case(
        name="columns of other names",
        files={"battles.csv": _text("first,second,better", ("first", "second"))},
        expect=RIGHT,
        or_stop=Stop(words=("--left", "--right")),
    ),
    Case(
        name="columns of other names that were named",
        files={"battles.csv": _text("first,second,better", ("left", "right"))},
        command=("rank", "battles.csv", "--left", "first", "--right", "second", "--winner", "better"),
        expect=RIGHT,
    ),
    Case(
        name="two winner columns",
        files={
            "battles.csv": "model_a,model_b,winner,vote\n"
            + "".join(
                f"{a},{b},{('model_a', 'model_b')[w]},{('model_b', 'model_a')[w]}\n" for a, b, w in PLAYED
            )
        },
        expect=RIGHT,
        or_stop=Stop(words=("winner", "vote", "--winner")),
    ),
    Case(
        name="a language column with two values",
        files={
            "battles.csv": "model_a,model_b,winner,language\n"
            + "".join(
                f"{a},{b},{('model_a', 'model_b')[w]},{('en', 'de')[k % 2]}\n"
                for k, (a, b, w) in enumerate(PLAYED)
            )
        },
        expect=RIGHT,
    ),
    _sides("capital letters", ("MODEL_A", "MODEL_B")),
    _stopped(
        "winner is a verdict in brackets",
        _text("model_a,model_b,winner", ("[[A]]", "[[B]]")),
        ("[[A]]", "--winner-label"),
    ),
    _stopped(
        "winner is a sign between both",
        _text("model_a,model_b,winner", ("A>B", "B>A")),
        ("A>B", "--winner-label"),
    ),
    _stopped(
        "winner is an index into both, with -1 for a tie",
        _text("model_a,model_b,winner", (0, 1), "GPT,Llama,-1"),
        ("winner", "0", "1"),
    ),
    _stopped(
        "winner is a letter, and C means a tie",
        _text("model_a,model_b,winner", ("A", "B"), "GPT,Llama,C"),
        ('"C"',),
    ),
    _stopped(
        "winner is a grade from 1 to 5",
        _text("model_a,model_b,preference", (1, 5), "GPT,Llama,3", "GPT,Llama,2", "GPT,Llama,4"),
        (("preference", "winner"), ("3", "4", "5", "2")),
    ),
    _stopped(
        "winner is missing in one row",
        _text("model_a,model_b,winner", ("model_a", "model_b"), "GPT,Llama,"),
        ("winner", "line 7"),
    ),
    Case(
        name="systems whose names are numbers",
        files={
            "battles.csv": "model_a,model_b,winner\n"
            + "".join(
                f"{7 if a == 'GPT' else 13},{7 if b == 'GPT' else 13},model_{'ab'[w]}\n" for a, b, w in PLAYED
            )
        },
        expect=Fought(wins={("7", "13"): 3, ("13", "7"): 2}, best="7"),
    ),
    _stopped(
        "systems called 1 and 2, and a winner of 1 or 2",
        "model_a,model_b,winner\n2,1,1\n2,1,1\n1,2,1\n2,1,2\n",
        ("winner", ("1", "2")),
    ),
    Case(
        name="system names with commas and quotes",
        files={
            "battles.csv": "model_a,model_b,winner\n"
            + "".join(
                ",".join('"GPT, ""large"""' if x == "GPT" else x for x in (a, b)) + f",model_{'ab'[w]}\n"
                for a, b, w in PLAYED
            )
        },
        expect=Fought(wins={('GPT, "large"', "Llama"): 3, ("Llama", 'GPT, "large"'): 2}, best='GPT, "large"'),
    ),
    Case(
        name="win, loss and draw of a system against an opponent",
        files={"battles.csv": "model,opponent,result\nGPT,Llama,win\nLlama,GPT,loss\nGPT,Llama,draw\n"},
        expect=Stop(words=("opponent",)),
    ),
    Case(
        name="both orders in one row",
        files={
            "battles.csv": "question_id,model_a,model_b,winner_g1,winner_g2\n"
            + "".join(
                f"{q},GPT,Llama,{'model_a' if q < 5 else 'model_b'},{'model_a' if q < 4 else 'model_b'}\n"
                for q in QUESTIONS
            )
        },
        expect=Stop(words=("winner_g1",)),
        matches=True,
    ),
)
