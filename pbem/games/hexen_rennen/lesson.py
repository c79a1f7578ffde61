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
                "Les tuiles sont cachées. Menez vos trois sorcières, A, à l’arrivée : 2, 3 ou 4 points chacune.",
                "The tiles lie face down. Fly your three witches, marked A, to the goal, for 2, 3 or 4 points each.",
            ),
        ),
        LessonStep(
            T(
                "Le dé donne 6 : une de vos sorcières vole de 6 tuiles. Touchez celle qui est en 6.",
                "You rolled 6: one of your witches flies 6 tiles. Touch the one on 6.",
            ),
            "fly-6",
            then=((1, "fly 4"), (2, "fly 0")),
        ),
        LessonStep(
            T(
                "Elle a trouvé votre {A8}, qui l’a portée de 8. Touchez le départ : on saute les tuiles occupées.",
                "She found your {A8}, which carried her on by 8. Touch the start: tiles with a witch do not count.",
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
                "{B3}, en 16, n’est pas à vous : rien ne se passe. Le dé donne 5 : lancez la troisième sorcière.",
                "{B3} on 16 is not yours: nothing happens. You rolled 5: send your third witch off.",
            ),
            "fly-0",
            then=((2, "play 4"), (1, "fly 12"), (2, "fly 4")),
        ),
        LessonStep(
            T(
                "Sur {CS}, {2} a joué une carte : retour en 3. Voici {2} sur votre lune : renvoyez-la, jouez 5.",
                "On {CS}, {2} played a card: back to 3. Now {2} is on your moon: send her back, play 5.",
            ),
            "card-5",
        ),
        LessonStep(
            T(
                "Le dé donne 6. Avec celle qui est en 3, vous retrouvez votre lune : touchez-la.",
                "You rolled 6: your witch on 3 reaches your moon again. Touch her.",
            ),
            "fly-3",
        ),
        LessonStep(
            T(
                "Une carte lune mène à la lune visible la plus proche : il n’y en a pas. Gardez vos cartes : aucune.",
                "A moon card leads to the nearest moon in sight: there is none. Keep your cards: touch none.",
            ),
            "leave",
        ),
        LessonStep(
            T(
                "L’arrivée demande le nombre exact. Dès que quelqu’un y a trois sorcières, le plus de points gagne.",
                "The goal takes the exact number. As soon as somebody has three witches there, most points win.",
            ),
        ),
    ),
)
