"""`pbem simulate`, `pbem lab` and `pbem play`: their arguments, the run, and the results as text, JSON, pages.

simulate   many matches, counted: as a table, as JSON, as a small picture
lab        what a game is like, measured on many matches: in words, as JSON, as a page
play       a match in the terminal, against bots
arguments  what they are told, and what is wrong with it
running    plays here, in several processes or on workers, and shows how far it is
plots      axes, bars, lines and intervals in the page
"""

from pbem.features.lab.commands import lab, play, simulate

COMMANDS = (lab.lab, play.play, simulate.simulate)
