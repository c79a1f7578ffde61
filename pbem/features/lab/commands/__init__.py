"""`pbem simulate` and `pbem lab`: their arguments, the run, and the results as text, JSON, pictures and a page.

simulate   many matches, counted
lab        what a game is like, measured on many matches
arguments  what both are told, and what is wrong with it
running    plays here, in several processes or on workers, and shows how far it is
tables     counts as a table or as JSON
pictures   lengths and scores as a small picture
page       the report as a page
plots      axes, bars, lines and intervals in it
"""

from pbem.features.lab.commands import lab, simulate

COMMANDS = (lab.lab, simulate.simulate)
