"""Agreement and reliability of judges."""
