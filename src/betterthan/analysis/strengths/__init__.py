"""One number a system: means, medians, win rates, Bradley–Terry, Elo and TrueSkill, with their intervals."""
