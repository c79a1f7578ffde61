"""What boards are drawn with.

svg      the strokes
grid     the regions of a board in every shape
board    one viewer's eyes and marks
figures  the drawn examples of the rules
"""
