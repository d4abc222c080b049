"""Do the tests and intervals hold on data like these?"""
