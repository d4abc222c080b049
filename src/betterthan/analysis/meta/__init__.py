"""Which metric can we trust? Metrics held against human scores."""
