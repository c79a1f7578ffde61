"""The page of a seat.

seat_page  see, choose, play; choosing is a link, only the button acts
planning   thinking ahead on a board on which nothing is played
since      what the others did since one's own last move, for the board
refused    what is not allowed at present, and why
sidebar    free seats and the rematch, beside the board
push       notifications on a device
presence   coming back, resigning, voting on a late seat
talk       table talk, and notes
vacancies  taking a seat by a link: an open one, or one that was left
"""
