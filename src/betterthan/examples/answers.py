"""Answers of two models with two prompts to the same questions, in five runs each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.examples.draws import bell, stream

MODELS = {"Linden": 0.9, "Maple": 0.45}
"""How much each model knows."""
PROMPTS = {"plain": 0.0, "steps": 0.1}
STEPS_SUIT = {"Linden": 0.35, "Maple": 0.0}
"""What thinking in steps adds for this model alone."""
TOPICS = ("arithmetic", "history", "logic", "reading")
N_QUESTIONS, N_RUNS = 120, 5
_HARD, _OWN, _RUN, _CHANCE = 1.0, 0.45, 0.12, 0.8


class ModelAnswer(NamedTuple):
    """One answer of a model to a question: 1 for right and 0 for wrong."""

    item: str
    topic: str
    model: str
    prompt: str
    seed: int
    correct: int


def answers(seed: int) -> tuple[ModelAnswer, ...]:
    """Let every model answer every question with every prompt, in five runs.

    Some questions are hard for everybody, some for one system only, and some runs go a little better than others as a
    whole.

    Examples
    --------
    >>> rows = answers(2024)
    >>> len(rows), rows[0]
    (2400, ModelAnswer(item='q001', topic='arithmetic', model='Linden', prompt='plain', seed=1, correct=1))
    """
    rng = stream(seed, "answers")
    systems = [(model, prompt) for model in MODELS for prompt in PROMPTS]
    m = len(systems)
    easy = -_HARD * bell(rng, (1, N_QUESTIONS, 1)) + _OWN * bell(rng, (m, N_QUESTIONS, 1))
    able = np.array([MODELS[a] + PROMPTS[b] + (STEPS_SUIT[a] if b == "steps" else 0.0) for a, b in systems])
    known = able[:, None, None] + easy + _RUN * bell(rng, (m, 1, N_RUNS))
    right = known + _CHANCE * bell(rng, (m, N_QUESTIONS, N_RUNS)) > 0
    return tuple(
        ModelAnswer(f"q{i + 1:03}", TOPICS[i % len(TOPICS)], *systems[s], r + 1, int(right[s, i, r]))
        for s in range(m)
        for i in range(N_QUESTIONS)
        for r in range(N_RUNS)
    )
