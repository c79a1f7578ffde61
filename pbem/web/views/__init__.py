"""Matches watched, replayed and listed.

match_page     a match as its pages show it: story, board, choices, who waits for whom
watch          a match for those who look on
replay         a match again, step by step
viewer         what the replay viewer shows
uploaded_logs  a log that somebody opens, shown and forgotten
stored_logs    a log that a program sent
match_list     a player's matches on their home page
"""
