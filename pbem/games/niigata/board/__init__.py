"""The drawn board.

whole   the drawing, in any shape, and the seats
view    one viewer and what is marked for them
chart   the map in its window
pieces  tiles, animals, breeders, signs
tray    the tiles of the round
window  how much of the map is shown
end     the picture of a match that is over
"""
