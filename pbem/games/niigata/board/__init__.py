"""The drawn board.

The game's package takes `whole` as its board and `end` as the picture of a finished match. Begin with `whole`.

whole   the drawing, in any shape, and the seats
view    one viewer and what is marked for them
chart   the map in its window
pieces  tiles, animals, breeders, signs
tray    the tiles of the round
window  how much of the map is shown
end     the picture of a match that is over
"""
