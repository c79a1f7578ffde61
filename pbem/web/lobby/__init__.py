"""A match until it begins.

start        the first page, and the form that starts a match
match_form   the form of a new match
invitations  confirming, accepting, declining, inviting somebody else
joining      joining by a link, empty seats, rematches
"""
