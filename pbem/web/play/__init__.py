"""The page of a seat.

seat_page    see, choose, play; choosing is a link, only the button acts
planning     thinking ahead on a board on which nothing is played
since        what the others did since the last move of the reader, for the board
refused      what is not allowed at present, and why
sidebar      free seats and the rematch, beside the board
sitting      what is asked next in the same sitting, to be answered together with the move
orders       deciding ahead: what an order will do, saving it, stopping one or all
order_news   what orders have done since their owner last looked
order_panel  the orders that stand and the form for one more, as the page shows them
bar          what the reader can take back, and what they are asked to agree to
takeback     taking back a move, agreeing to it, declining it
presence     coming back, resigning, voting on a late seat
talk         table talk, and notes
vacancies    taking a seat by a link: an open one, or one that was left
"""
