"""Matches that bots play among themselves, and what they say about a game.

plans         which matches are played, by whom, with which luck
paces         when simulated people look, and what a match took
planners      the lines that a scripted person leaves
course        a match in progress, and who listens to it
ordered       plays matches of people who leave orders
restricted    bots that never play something
simulations   plays matches without checking the laws, and only counts the results
tallies       what many matches were like, counted
distribution  chunks of a simulation as tasks for the workers
study         the plans that a look at a game consists of
deciding      whether a comparison of two is decided
looks         what is striking in it, and how sure that is
report        every measure of a study
tasks         what workers do for it

measures/ holds what is measured, a module each; commands/ says it to whoever types `pbem lab` and `pbem simulate`.
"""
