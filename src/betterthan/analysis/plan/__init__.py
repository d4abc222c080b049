"""How much data is enough: designs, what a pilot shows of them, and the verb."""
