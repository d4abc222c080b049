"""Is A better than B, how sure are we, and which metric may we trust?"""

__version__ = "0.1.0"
