"""What every game must obey, checked on random matches.

Tests of games and `pbem.testing` call them. Begin with `matches`.

matches    plays matches and checks all laws on them
positions  the laws of a position and its decisions
bounds     the laws of events and their sizes
luck       the law of luck: only the names of draws decide what they give
imagined   what a seat may imagine: nothing that it could tell from the truth
orders     what standing orders answer, and what a game says about them
plans      what can be supposed on a planning board
malformed  moves that no game may accept
newcomers  that what it says to those who do not know it is short
offered    what a site checks when it finds a game, without playing it
"""
