"""What a report can be about: scores, battles, texts, tags, metrics."""
