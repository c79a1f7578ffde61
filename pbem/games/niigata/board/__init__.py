"""The drawn board.

whole   the drawing, in any shape
view    one viewer and what is marked for them
chart   the map in its window
pieces  tiles, animals, breeders, signs
seats   points, breeders, tiles held
tray    the tiles of the round
window  how much of the map is shown
"""
