"""Does a claim survive every defensible choice of analysis?"""
