"""Lessons: the first turns of a game on its real board, one thing to touch and one sentence at a time.

Tests of games may call `laws` and `playing`. Begin with `playing`.

playing   plays the lesson that a game brings: what its reader sees at each step
boards    draws a step of it
pages     the steps, what comes after them, and the link to them from the page of a game
faults    why the lesson of a game cannot be shown
laws      what every lesson must obey; for the tests of games
doctor    what `pbem doctor` says about lessons
commands  `pbem lesson`, which prints a lesson in words, for its author
"""
