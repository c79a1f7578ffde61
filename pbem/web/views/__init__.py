"""Watching, replaying and listing matches.

match_page     a match as its pages show it: story, board, choices, who is up
result         a match that is over: who won, the ranking, the scores, the turning points
luck           the luck of a match: the envelope, the checks, and who was lucky
watch          a match for spectators
replay         a match again, step by step
replay_page    the page of a replay, also with a form for pictures that was refused
picture_form   the form that asks for a GIF or PNG of a replay
replay_pictures  a GIF, a PNG or a page of a replay: asking for it, and how far it is
saved_page     a replay as one file that shows and checks a match without this site
share          what a link shows where it is passed on
viewer         what the replay viewer shows
match_list     a player's matches on their home page, and the next one that waits
thumbnails     boards cut to their telling part, for lists
"""
