"""A match until it begins.

Features may use the schemas of `matches`. Begin with `matches`.

matches      starting a match, and looking at its sheet; seats before the start, leaving before it, playing it again
invitations  confirming, accepting, declining, joining, standing in for somebody
"""
