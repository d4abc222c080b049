"""A table as text, Markdown, LaTeX, HTML, CSV and JSON lines."""
