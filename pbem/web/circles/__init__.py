"""Circles: the list of a player's own, the page of one, joining, and the forms of a match and of a standing table.

entering  how somebody comes to a circle: signed in, or by the link in its mails
pages     a player's circles, the page of one, and what is done there
joining   the page of the invitation link
forms     the forms of a match among members, and of a standing table
"""
