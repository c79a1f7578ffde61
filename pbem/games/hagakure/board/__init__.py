"""The drawn board.

whole  the drawing, in any shape
view   one viewer and what is marked for them
cards  cards and banners
mine   the viewer's own hand, Nobori and Yomi
seats  names, points, cards, Nobori
sheet  the points by round
trick  the trick, or the Nobori while they are chosen
"""
