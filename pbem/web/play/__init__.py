"""The page of a seat, and what is done there.

`seat_page` shows it and plays; begin there. Rooms of other pages call `render` of `seat_page`.

seat_page  see, choose, play; choosing is a link, only the button acts
beside     around the table: free seats, the rematch, and the question that comes next
orders     deciding ahead: the orders that stand, the form for one more, what they have done
acts       what the other buttons do, and the pages beside the board: taking back, presence, talk and note, orders, a
           new link
"""
