"""What boards are drawn with.

Boards and figures of games may call all of it. Begin with `svg`.

svg      the strokes
grid     the regions of a board in every shape
board    one viewer's eyes and marks; the paper of a region, and the frames in it
figures  the drawn examples of the rules
ends     the picture above the page of a match that is over
"""
