"""Capacity: what a site with a number of open matches would need.

commands   `pbem capacity`: the model, its assumptions, and what comes of it
measuring  what a move, a page and a mail cost on this machine, on a database of its own
"""
