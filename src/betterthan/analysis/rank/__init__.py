"""Which system is best, and how sure are we? Strengths with intervals, and the leaderboard."""
