"""The drawn board.

whole     the drawing, in any shape
view      one viewer and what is marked for them
course    start, tiles there and back, goal
division  the nine numbers until they are divided
mine      the viewer's own cards and numbers
seats     the clans, their points and cards left
tiles     tiles, witches, cards, marks of clans
"""
