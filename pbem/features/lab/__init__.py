"""Matches that bots play among themselves, and what they say about a game.

Begin with `plans`: a study consists of plans, `simulations` plays them, `tallies` counts, and `report` judges.

plans         which matches are played, by whom, with which luck; the plans that a study consists of
course        a match in progress, when simulated people look, and who listens to it
ordered       plays matches of people who leave orders
simulations   plays matches without checking the laws, and only counts the results; bots that never play something
tallies       what many matches were like, counted
distribution  chunks of a simulation as tasks for the workers
deciding      whether a comparison of two is decided
report        every measure of a study, what is striking in it, and how sure that is
tasks         what workers do for it
evening       a match in memory that somebody plays, against bots or with others
sealing       seals the log of a match in memory

measures/ holds what is measured, a module each; commands/ has `pbem lab`, `pbem simulate` and `pbem play`.
"""
