"""Authoring: the commands with which authors of games begin one and check it; `pbem.testing` has the checks.

checking    checks a game, and prints what is wrong in its author's words

commands/ has `pbem new-game` and `pbem check`.
"""
