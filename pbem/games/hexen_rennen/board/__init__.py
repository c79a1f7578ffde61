"""The drawn board.

The game's package takes `whole` as its board and `end` as the picture of a finished match. Begin with `whole`.

whole   the drawing, in any shape, and the division of numbers before the race
view    one viewer, what may be touched, and where the story's numbers belong
seats   names and cards; the viewer's own cards and numbers
clans   the clans to choose from, where the table chooses them
course  start, tiles there and back, goal
tiles   tiles, witches, cards, marks of clans
end     the picture of a match that is over
"""
