"""What authors of games check their games with; `pbem check SLUG` runs all of it. The laws are in `pbem.kit.laws`.

Tests of games call `check.check_game`. Begin with `check`.

check       all checks of a game, one after the other
faults      what is wrong, and what to do about it
visibility  who sees which field, and whether the folds are as the state says
leaks       the law of leaks: what says `Open` tells nothing hidden
shown       what says `Shown` shows something hidden
worlds      other worlds of a match, which a viewer cannot tell from the true one
values      what two events or states differ by
records     random matches, decision by decision
moves       legal moves and their neighbours, bots, questions and orders
occurring   whether what is declared comes up
naming      what the code of a game names
folds       what is kept of a match
elsewhere   what another process says and plays
older       logs of matches that an older version has played
faces       what a game says and draws
"""
