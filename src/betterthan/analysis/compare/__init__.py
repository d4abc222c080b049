"""Is A better than B? Every pair of systems gets its p-value, its interval and its verdict here."""
