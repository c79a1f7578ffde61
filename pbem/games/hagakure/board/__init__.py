"""The drawn board.

The game's package takes `whole` as its board and `end` as the picture of a finished match. Begin with `whole`.

whole  the drawing, in any shape: the trick, or the Nobori while they are chosen
seats  names, hands and Nobori; the viewer's own cards
sheet  points by round, and the signs of what was won
view   one viewer and what is marked for them; the cards, with their marks
end    the picture of a match that is over
"""
