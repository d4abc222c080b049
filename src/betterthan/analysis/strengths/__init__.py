"""Strengths of systems with intervals: means, medians, win rates, Bradley–Terry, Elo and TrueSkill."""
