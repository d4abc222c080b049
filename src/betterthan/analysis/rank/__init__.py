"""Which system is best, and how sure are we? Strengths, their intervals, and the leaderboard."""
