"""Which metric may we trust? Metrics held against human scores."""
