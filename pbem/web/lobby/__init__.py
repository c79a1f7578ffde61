"""A match until it begins.

Pages of features may call `match_form`, `offers` and `start`. Begin with `start`.

start        the first page, the games, a match against bots at once, the form that starts a match, where its mail went
match_form   the form of a new match
invitations  confirming, accepting, declining, inviting somebody else; empty seats, rematches
offers       taking a seat by a link; what the pages of all offers share
"""
