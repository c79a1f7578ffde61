"""Where a finished match was decided: what each position was worth to each seat, and what each move cost.

positions  the match as the decisions that were made in it, each with what its seat knew then
chances    what a position is worth, by playouts until that is known well enough
advice     what a strong bot would have done, and what the move that was made cost beside that
report     all of this for a match, position by position, and where its chances moved most
"""
