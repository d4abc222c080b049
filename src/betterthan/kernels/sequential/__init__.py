"""Evidence that is valid at any look: e-processes by betting, their adjustment for many pairs, and forecasts."""
