"""The drawn board.

whole  the drawing, in any shape
view   one viewer and what is marked for them
mine   the viewer's own hand
pad    what can be touched besides the pieces
seats  names, tokens and hands
table  Door, announcement and Palace
"""
