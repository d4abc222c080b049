"""The local web app: pages and an API over reports; nothing is computed in the process that answers.

Files are parsed and reports made in worker processes with limits; the server hands out what they wrote.
"""
