"""Previews: what a link to a public page shows where it is passed on, and the pictures for it.

pages           the card in the head of the page, and its picture
share_pictures  the picture: words on the left, boards on the right
"""
