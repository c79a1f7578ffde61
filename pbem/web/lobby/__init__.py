"""A match until it begins.

start        the first page, a match against bots at once, and the form that starts a match
match_form   the form of a new match
sent         the page that tells where the mail went, and sends it again
invitations  confirming, accepting, declining, inviting somebody else
offers       taking a seat by a link; what the pages of all offers share
joining      empty seats, rematches
"""
