"""The lesson of Niigata: a first round of two players, in which the reader closes a pond and spoils another."""

from pbem.kit.contract import Lesson, LessonStep
from pbem.kit.words import T

LESSON = Lesson(
    # The other player rolls first, so the reader takes first; all four tiles match the dice, one is a lone heron.
    seed=f"{62:064x}",
    seats=2,
    steps=(
        LessonStep(
            T(
                "Les dés disent blanc et 4. Prenez {N04} : des carpes blanches, et pas plus de 4 animaux.",
                "The dice say white and 4. Take {N04}: it has white carp, and no more than 4 animals.",
            ),
            "take-N04",
            then=((1, "take N05"),),
        ),
        LessonStep(
            T(
                "Deux tuiles par tour. Un échassier seul va avec tous les dés : prenez {N60}.",
                "You may take two a round. A lone heron matches any dice: take {N60}.",
            ),
            "take-N60",
            then=((1, "take N46"), (1, "place N05 1E r3")),
        ),
        LessonStep(
            T(
                "Ensuite chacun pose ses tuiles, une à la fois. {1} a commencé ; choisissez {N04}.",
                "Then everyone lays their tiles, one at a time. {1} has begun; choose {N04}.",
            ),
            "lay-N04",
        ),
        LessonStep(
            T(
                "Le bassin du milieu a reçu des carpes, et reste ouvert vers 1N. Posez-y votre tuile.",
                "The pond in the middle has got carp, and is still open towards 1N. Lay your tile there.",
            ),
            "at-1N",
        ),
        LessonStep(
            T(
                "Tournez-la pour que son eau touche ce bassin : aucun côté ne reste ouvert, il est clos.",
                "Rotate it so that its water meets that pond: then no side is open, and the pond is closed.",
            ),
            "turn-2",
        ),
        LessonStep(
            T(
                "Placez un éleveur : ce bassin est à vous. Une seule couleur compte, ici 3 blanches à 2 points.",
                "Place a breeder, and the pond is yours. Only one colour scores, here 3 white carp at 2 points.",
            ),
            "claim-0.N",
            then=((1, "place N46 1E1N r1"),),
        ),
        LessonStep(
            T(
                "{1} prépare un bassin à deux blanches, ouvert vers 2E1N. Posez-y votre échassier.",
                "{1} is building a pond with two white carp, open towards 2E1N. Lay your heron there.",
            ),
            "at-2E1N",
        ),
        LessonStep(
            T(
                "Tournez l’échassier vers ce bassin : il y mange la couleur la plus nombreuse.",
                "Rotate the heron into that pond: there it eats the colour with the most carp.",
            ),
            "turn-3",
        ),
        LessonStep(
            T(
                "Ce bassin clos ne vaut plus rien. Gardez vos trois éleveurs pour de meilleurs.",
                "That pond is closed, but worth nothing now. Keep your three breeders for better ones.",
            ),
            "pass",
        ),
        LessonStep(
            T(
                "Rouge compte 3, blanche 2, jaune 1. Tous les éleveurs placés, le plus de points gagne.",
                "Red carp count 3, white 2, yellow 1. Once all breeders are placed, most points win.",
            ),
        ),
    ),
)
