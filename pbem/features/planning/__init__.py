"""The planning board: trying moves out on a board on which nothing is played, for the owner of a seat alone.

Begin with `plans`.

tables   the lines that a seat keeps
plans    lines that are thought out on the seat's own fold, kept, and saved as orders
           read_board, keep_line, forget_line, save_line_as_orders
hooks    what this adds to erasure, retention, and what players download
pages    the board, and the link to it on the page of a seat
"""
