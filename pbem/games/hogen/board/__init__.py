"""The drawn board.

whole   the drawing, in any shape
view    one viewer and what is marked for them
cards   the cards, with their marks
mine    the viewer's own hand and ally
pad     calls, and the cards to hide
palace  what is called, and the four open cards
seats   names, hands and allies
"""
