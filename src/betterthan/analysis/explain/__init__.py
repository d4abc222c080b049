"""Why do two systems compare as they do, and on what does the answer rest?"""
