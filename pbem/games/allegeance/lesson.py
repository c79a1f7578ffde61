"""The lesson of Allégeance: a round of three players, which the reader wins without a card in hand."""

from pbem.kit.contract import Lesson, LessonStep
from pbem.kit.words import T

LESSON = Lesson(
    # The reader begins, and the first four cards behind the Door have four clans and four ranks.
    seed=f"{141:064x}",
    seats=3,
    steps=(
        LessonStep(
            T(
                "Seize samouraïs, quatre clans et quatre rangs, sont derrière la Porte. Devinez : annoncez {F1}.",
                "Sixteen samurai, four clans of four ranks, are behind the Door. Guess the first: announce {F1}.",
            ),
            "announce-F1",
            then=((1, "pass"), (2, "pass")),
        ),
        LessonStep(
            T(
                "Raté : c’était {M1}, qui va au Palais. Retenez-la : la prochaine carte la recouvrira.",
                "Wrong: {M1} came out, and goes to the Palace. Remember it: the next card will cover it.",
            ),
            then=((1, "announce T2"),),
        ),
        LessonStep(
            T(
                "{1} annonce {T2} : c’est faux. On conteste une carte déjà sortie ; {T2} ne l’est pas, laissez passer.",
                "{1} announced {T2}: wrong. Challenge only if {T2} is already out; it is not, so let it pass.",
            ),
            "pass",
            then=((2, "pass"), (2, "announce M1")),
        ),
        LessonStep(
            T(
                "{2} annonce {M1}, que vous avez vue sortir : elle est au Palais, sous les autres. Contestez !",
                "{2} announced {M1}, which you saw come out: it is in the Palace, under the others. Challenge!",
            ),
            "challenge",
        ),
        LessonStep(
            T(
                "Vous avez raison : {2} prend {M1} et {T4}. Le moins de cartes gagne la manche. Annoncez {B3}.",
                "You are right: {2} takes {M1} and {T4}. The fewest cards win the round. Announce {B3}.",
            ),
            "announce-B3",
        ),
        LessonStep(
            T(
                "C’est juste ! Donnez la carte, face cachée, à {1}, qui n’en a pas encore.",
                "You are right! Give the card away, face down: to {1}, who has none yet.",
            ),
            "give-B",
            then=((1, "announce F1"), (2, "challenge"), (2, "announce B3")),
        ),
        LessonStep(
            T(
                "{2} a contesté à tort, et pris une carte. Puis {2} annonce {B3}, que {1} a en main : contestez !",
                "{2} challenged wrongly and took a card, then announced {B3}. But {1} holds it: challenge!",
            ),
            "challenge",
        ),
        LessonStep(
            T(
                "{B3} vient d’être annoncée : pas permise. Annoncez {M4}, puis passons à la dernière carte.",
                "{B3} was just announced, so it is not allowed. Announce {M4}; then we skip to the last card.",
            ),
            "announce-M4",
            then=(
                *((1, "challenge"), (1, "announce T2"), (2, "pass"), (0, "pass")),
                *((2, "announce M3"), (0, "pass"), (1, "pass"), (0, "announce B2"), (0, "give B")),
                *((1, "announce T1"), (2, "pass"), (0, "pass"), (2, "announce F1"), (0, "pass"), (1, "pass")),
                *((0, "announce T2"), (1, "pass"), (2, "pass"), (1, "announce T1"), (2, "pass"), (0, "pass")),
                *((2, "announce T2"), (2, "give B")),
            ),
        ),
        LessonStep(
            T(
                "Il reste une carte, et seule {T1} n’est pas encore sortie. Annoncez-la.",
                "One card is left, and only {T1} has not come out yet. Announce it.",
            ),
            "announce-T1",
            then=((0, "give B"),),
        ),
        LessonStep(
            T(
                "Manche finie : vous aviez le moins de cartes, donc un jeton. Quatre jetons gagnent la partie.",
                "Round over: you had the fewest cards, so you get a token. Four tokens win the match.",
            ),
        ),
    ),
)
