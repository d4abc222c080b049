"""How far judges agree, and which of them can be trusted."""
