"""The report: one HTML file that says who is better, how sure we are, and how that was found.

`compose` asks the verbs, `document` holds what they answered, `page` turns it into HTML. Nothing is computed while a
page is written, nothing is fetched from anywhere, and whatever came from data is escaped.
"""
