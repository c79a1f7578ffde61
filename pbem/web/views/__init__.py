"""Watching, replaying and listing matches.

Pages of features may call `match_page`, `viewer`, `watch` and `luck`. Begin with `match_page`.

match_page     a match as its pages show it: story, board, choices, who is up
strip          the strip above a board, whose slot shows one thing at a time: news, and what comes before them
result         a match that is over: who won, the ranking, the scores, the turning points
luck           the luck of a match: the envelope, the checks, and who was lucky
watch          a match for spectators; a match again, step by step, also with a feature's form that was refused
viewer         what the replay viewer shows
match_list     a player's matches on their home page, those that wait for them first
"""
