"""What is measured of simulated matches; docs/lab.md defines each number.

estimates   what is counted; shares, means and slopes with their intervals
choice      how many answers there are, and how evenly they are chosen
parts       the use and worth of kinds of moves and of things
tension     who leads, when that changes, and whether a lead feeds itself
fairness    victories by seat, lengths, what play by mail makes of it, and by how much two variants differ
skill       ladders of bots, and how often luck decides
"""
