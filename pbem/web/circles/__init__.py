"""Circles and their standing tables.

entering  how somebody comes to a circle: signed in, or by the link in its mails
pages     a player's circles, the page of one, and what is done there
joining   the page of the invitation link
forms     the forms of a match among members, and of a standing table
"""
