"""Measures the service with many matches, a tenth of them open: `make bench-scale`.

filled      databases of that many matches, copied from some that were really played
paths       what is measured in each: moves, pages, mails, the deadline sweep, retention, beats with nothing to do
archives    what a finished match takes once it is archived, and how long that and a replay take
"""
