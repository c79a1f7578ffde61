"""Measures the service with many open matches: `make bench-scale`.

filled      databases of this many open matches, copied from some that were really played
paths       what is measured in each: moves, the deadline sweep, pages, mail that comes in, retention
archives    what a finished match takes once it is archived, and how long that and a replay take
"""
