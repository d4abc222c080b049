"""Files of WMT's human evaluations."""
