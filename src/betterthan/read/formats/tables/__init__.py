"""Plain tables: long, wide, ratings, texts, tags."""
