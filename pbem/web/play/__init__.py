"""The page of a seat.

seat_page    see, choose, play; choosing is a link, only the button acts
sidebar      free places, and the match played again
presence     coming back, resigning, voting on who is late
talk         what is said at the table, and notes
substitutes  taking over a seat that was left
"""
