"""Watching, replaying and listing matches.

match_page     a match as its pages show it: story, board, choices, who is up
result         a match that is over: who won, the ranking, the scores, the turning points
luck           the luck of a match: the envelope, the checks, and who was lucky
watch          a match for spectators
replay         a match again, step by step
replay_page    the page of a replay, also with a form for pictures that was refused
share          what a link shows where it is passed on
viewer         what the replay viewer shows
match_list     a player's matches on their home page, and the next one that waits
thumbnails     boards cut to their telling part, for lists
"""
