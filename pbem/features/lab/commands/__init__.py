"""`pbem simulate` and `pbem lab`: their arguments, the run, and the results as text, JSON, pictures and a page.

simulate   many matches, counted: as a table, as JSON, as a small picture
lab        what a game is like, measured on many matches: in words, as JSON, as a page
arguments  what both are told, and what is wrong with it
running    plays here, in several processes or on workers, and shows how far it is
plots      axes, bars, lines and intervals in the page
"""

from pbem.features.lab.commands import lab, simulate

COMMANDS = (lab.lab, simulate.simulate)
