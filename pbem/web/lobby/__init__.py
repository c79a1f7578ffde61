"""A match until it begins.

start        the first page, and the form that starts a match
match_form   the form of a new match, as it was typed
invitations  confirming, accepting, declining, seats that change hands
joining      coming to a table by its link, empty seats, playing again
"""
