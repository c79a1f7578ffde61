"""The lesson of Hexen Rennen: four turns of three players, in which tiles and cards carry witches on and back."""

from pbem.kit.contract import Lesson, LessonStep
from pbem.kit.words import T

LESSON = Lesson(
    # Dealt so that within four turns the reader meets a number of their own, their own symbol and another's, and
    # another's witch comes to theirs.
    seed=f"{36214:064x}",
    seats=3,
    before=((1, "divide 3 6 9 / 4 7 10 / 2 5 8"), (2, "divide 4 5 6 / 2 8 9 / 3 7 10")),
    steps=(
        LessonStep(
            T(
                "D’abord, chacun met trois de ses nombres par étape. Cette fois, c’est fait pour vous.",
                "First, everyone puts three of their numbers into each stage. This time it is done for you.",
            ),
            then=((0, "divide 2 5 8 / 3 6 9 / 4 7 10"),),
        ),
        LessonStep(
            T(
                "Menez vos trois sorcières, A, à l’arrivée. La course finit là : le plus de points gagne.",
                "Fly your three witches, A, to the goal. With three there the race ends: most points win.",
            ),
        ),
        LessonStep(
            T(
                "Le dé donne 6 : une de vos sorcières vole de 6 tuiles. Touchez celle qui est en 6.",
                "You rolled 6: one of your witches flies 6 tiles. Tap the one on 6.",
            ),
            "fly-6",
            then=((1, "fly 4"), (2, "fly 0")),
        ),
        LessonStep(
            T(
                "Votre {A8} l’a portée de 8. Touchez le départ : on saute les tuiles occupées.",
                "Your {A8} carried her on by 8. Tap the start: occupied tiles are skipped.",
            ),
            "fly-0",
        ),
        LessonStep(
            T(
                "Elle est sur votre symbole, la lune : une carte la fait avancer, et ne sert qu’une fois. Jouez 7.",
                "She is on your symbol, the moon: a card moves her on, then it is gone for good. Play 7.",
            ),
            "card-7",
            then=((1, "fly 8"), (2, "fly 5")),
        ),
        LessonStep(
            T(
                "{B3} n’est pas à vous : rien ne se passe. Lancez votre troisième sorcière.",
                "{B3} is not yours: nothing happens. You rolled 5: send your third witch off.",
            ),
            "fly-0",
            then=((2, "play 4"), (1, "fly 12"), (2, "fly 4")),
        ),
        LessonStep(
            T(
                "Sur {CS}, une carte l’a renvoyée en 3. Voici {2} sur votre lune : renvoyez-la avec 5.",
                "On {CS}, a card sent her back to 3. Now {2} is on your moon: send her back with 5.",
            ),
            "card-5",
        ),
        LessonStep(
            T(
                "Le dé donne 6. Avec celle qui est en 3, vous retrouvez votre lune : touchez-la.",
                "You rolled 6: your witch on 3 reaches your moon again. Tap her.",
            ),
            "fly-3",
        ),
        LessonStep(
            T(
                "Une carte lune mène à une autre lune visible : aucune ici. Gardez vos cartes.",
                "A moon card leads to another moon in sight: none yet. Keep your cards.",
            ),
            "leave",
        ),
        LessonStep(
            T(
                "On arrive au nombre exact. Au symbole neutre {DS}, une carte est tirée d’office.",
                "The goal takes the exact number. A neutral symbol, {DS}, draws a card at once.",
            ),
        ),
    ),
)
