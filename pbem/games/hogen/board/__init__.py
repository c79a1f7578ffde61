"""The drawn board.

The game's package takes `whole` as its board and `end` as the picture of a finished match. Begin with `whole`.

whole   the drawing, in any shape: the palace, and the seats with names, hands and allies
mine    the viewer's own hand and ally, calls, and the cards to hide
view    one viewer and what is marked for them; the cards, with their marks
end     the picture of a match that is over
"""
