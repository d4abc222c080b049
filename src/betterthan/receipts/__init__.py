"""Which command made a result, and computing it again."""
