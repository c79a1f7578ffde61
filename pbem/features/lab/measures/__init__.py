"""What is measured of simulated matches; docs/lab.md defines each number.

estimates   shares, means and slopes with their intervals
closely     the listeners of matches that are looked at closely, and what they count
choice      how many answers there are, and how evenly they are chosen
parts       the use and worth of kinds of moves and of things
tension     who leads, when that changes, and whether a lead feeds itself
fairness    victories by seat, lengths, and what play by mail makes of it
skill       ladders of bots, and how often luck decides
sequential  when a comparison of two is decided
variants    by how much two variants differ
"""
