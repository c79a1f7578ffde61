"""The drawn board.

whole   the drawing, in any shape: the palace, and the seats with names, hands and allies
mine    the viewer's own hand and ally, calls, and the cards to hide
view    one viewer and what is marked for them; the cards, with their marks
end     the picture of a match that is over
"""
