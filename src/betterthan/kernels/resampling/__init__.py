"""Drawing segments, documents and corpora again, and errors of clustered data."""
