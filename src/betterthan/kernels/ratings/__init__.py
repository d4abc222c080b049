"""Ratings that learn match by match: Elo and TrueSkill, in any order of play."""
