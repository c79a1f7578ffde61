"""Planning: what could come next on a seat's own fold, one ply after the other. Nothing here is played.

coming  what could come next
walks   a line of plies, and the fold after it
lines   what is left of a line once something has happened, and the orders that are in it
"""
