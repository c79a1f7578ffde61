"""The drawn board.

The game's package takes `whole` as its board and `end` as the picture of a finished match. Begin with `whole`.

whole  the drawing, in any shape: Door, announcement and Palace
seats  names, tokens and hands; the viewer's own cards; what they may announce or answer
view   one viewer, whom the table waits for, and where the story's numbers belong
end    the picture of a match that is over
"""
