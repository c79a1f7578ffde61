"""The lesson of Allégeance: a round of three players, which the reader wins without a card in hand."""

from pbem.kit.contract import Lesson
from pbem.kit.words import lesson_step

LESSON = Lesson(
    # The reader begins, and the first four cards behind the Door have four clans and four ranks.
    seed=f"{141:064x}",
    seats=3,
    steps=(
        lesson_step(
            "Le moins de cartes gagne la manche, quatre manches la partie. Quel samouraï va sortir de la Porte ?",
            "The fewest cards win a round, and four rounds the match. Which samurai comes out of the Door first?",
            "announce-F1",
            then=((1, "pass"), (2, "pass")),
        ),
        lesson_step(
            "Raté : c’était {M1}, clan M, rang 1. Retenez-la, la prochaine carte la recouvrira.",
            "Wrong: it was {M1}, clan M, rank 1. Remember it, for the next card will cover it.",
            then=((1, "announce T2"),),
        ),
        lesson_step(
            "{1} se trompe, mais {T2} n’est pas encore sortie : rien à contester.",
            "{1} was wrong, but {T2} is not out yet: there is nothing to challenge.",
            "pass",
            then=((2, "pass"), (2, "announce M1")),
        ),
        lesson_step(
            "{2} annonce {M1}, qui est déjà sortie : elle est au Palais, sous les autres.",
            "{2} announced {M1}, but it is out already: it lies in the Palace, under the others.",
            "challenge",
        ),
        lesson_step(
            "Juste : {2} prend {M1} et {T4}. Vous n’avez encore aucune carte : annoncez {B3}.",
            "Right: {2} takes {M1} and {T4}. You still have no card: announce {B3}.",
            "announce-B3",
        ),
        lesson_step(
            "Juste ! Donnez la carte, face cachée. {1} n’en a pas encore.",
            "Right! Give the card away, face down. {1} has none yet.",
            "give-B",
            then=((1, "announce F1"), (2, "challenge"), (2, "announce B3")),
        ),
        lesson_step(
            "{2} a contesté à tort et pris une carte, puis annonce {B3} : {1} l’a !",
            "{2} challenged wrongly, took a card, then announced {B3}. {1} holds it!",
            "challenge",
        ),
        lesson_step(
            "Pas {B3}, annoncée à l’instant. Après {M4}, on saute à la dernière carte.",
            "Not {B3}: it was just announced. After {M4}, we skip to the last card.",
            "announce-M4",
            then=(
                *((1, "challenge"), (1, "announce T2"), (2, "pass"), (0, "pass")),
                *((2, "announce M3"), (0, "pass"), (1, "pass"), (0, "announce B2"), (0, "give B")),
                *((1, "announce T1"), (2, "pass"), (0, "pass"), (2, "announce F1"), (0, "pass"), (1, "pass")),
                *((0, "announce T2"), (1, "pass"), (2, "pass"), (1, "announce T1"), (2, "pass"), (0, "pass")),
                *((2, "announce T2"), (2, "give B")),
            ),
        ),
        lesson_step(
            "Il reste une carte, et seule {T1} n’est pas encore sortie.",
            "One card is left, and only {T1} has not come out yet.",
            "announce-T1",
            then=((0, "give B"),),
        ),
        lesson_step(
            "Manche finie : vous aviez le moins de cartes, donc un jeton. Quatre jetons gagnent la partie.",
            "Round over: you had the fewest cards, so you get a token. Four tokens win the match.",
        ),
    ),
)
