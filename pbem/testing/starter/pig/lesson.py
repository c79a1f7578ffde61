"""The lesson: the end of a match, which its reader wins."""

from pbem.kit.contract import Lesson, LessonStep
from pbem.kit.words import T

A, B = ("roll", "roll", "roll", "hold"), ("roll", "roll", "roll", "roll", "roll", "hold")

LESSON = Lesson(
    # Dealt so that the other seat rolls a 1 when it counts.
    seed=f"{2078:064x}",
    seats=2,
    before=(
        *((0, move) for move in A),
        *((1, move) for move in A),
        *((0, move) for move in B),
        *((1, move) for move in A[1:]),
    ),
    steps=(
        LessonStep(T("Qui a 50 points gagne. Vous en avez 33 : lancez.", "50 points win. You have 33: roll."), "roll"),
        LessonStep(
            T(
                "Le 5 va au pot. Lancez encore : seul un 1 fait mal.",
                "The 5 goes into the pot. Roll again: only a 1 hurts.",
            ),
            "roll",
        ),
        LessonStep(
            T(
                "9 en jeu, et un 1 les perdrait tous. Gardez-les.",
                "9 at stake, and a 1 would lose them all. Bank them.",
            ),
            "hold",
            then=((1, "roll"),),
        ),
        LessonStep(T("{1} a fait 1 : le pot est perdu.", "{1} rolled a 1: the pot is lost.")),
        LessonStep(T("Il vous manque 8 points. Lancez.", "You need 8 more points. Roll."), "roll"),
        LessonStep(T("Encore 3. Osez !", "3 more. Dare!"), "roll"),
        LessonStep(T("52 points : vous gagnez.", "52 points: you win.")),
    ),
)
