"""A match until it begins.

start        the first page, a match against bots at once, the form that starts a match, and where its mail went
game_page    the page of a game: its goal, a turn in pictures, how long it takes, its bots
match_form   the form of a new match
invitations  confirming, accepting, declining, inviting somebody else; empty seats, rematches
offers       taking a seat by a link; what the pages of all offers share
"""
