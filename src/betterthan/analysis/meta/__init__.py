"""Which metric can we trust? Agreement of metrics with human scores."""
