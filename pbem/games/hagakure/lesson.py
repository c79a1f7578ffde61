"""The lesson of Hagakure: one round of three players that the reader wins with a banner, and the banner of the next."""

from pbem.kit.contract import Lesson, LessonStep
from pbem.kit.words import T

LESSON = Lesson(
    # Dealt so that the reader takes tricks by a villager, the highest samurai and the second Fool, and then has a hand
    # of villagers and a better Yomi.
    seed=f"{647527:064x}",
    seats=3,
    before=((1, "none"), (2, "zero")),
    steps=(
        LessonStep(
            T(
                "Un pli donne un point ; n’en prendre aucun en coûte deux. Neuf manches : le plus de points gagne.",
                "Each trick gives a point; taking none costs two. After nine rounds, most points win.",
            ),
        ),
        LessonStep(
            T(
                "{S20} et {S22} sont des samouraïs, les plus fortes cartes. Touchez ×2 : cette manche compte double.",
                "{S20} and {S22} are samurai, the highest cards. Touch ×2: this round will count double for you.",
            ),
            "double",
            then=((1, "play V15"), (2, "play V8")),
        ),
        LessonStep(
            T(
                "{1} a entamé d’un villageois : tout est permis. La plus haute prend le pli : {V17} suffit.",
                "{1} led a villager, so you may play anything. The highest takes the trick: {V17} will do.",
            ),
            "play-V17",
        ),
        LessonStep(
            T(
                "Pli gagné : vous entamez. Sur {S22}, ceux qui ont un samouraï ou un Fou doivent en jouer un.",
                "You took it, so you lead. On {S22}, all who have a samurai or a Fool must play one.",
            ),
            "play-S22",
            then=((1, "play S19"), (2, "play S18")),
        ),
        LessonStep(
            T(
                "Vous avez pris {S18} : son sceau vaut un point de plus. Gardez {S20}, entamez de {V6}.",
                "You took {S18}: its seal is worth one point more. Keep {S20} and lead {V6}.",
            ),
            "play-V6",
            then=((1, "play V13"), (2, "play V9"), (1, "play S21"), (2, "play F")),
        ),
        LessonStep(
            T(
                "{1} a entamé de {S21}. Un Fou seul vaut 0 ; à deux, le dernier joué prend le pli : jouez {F}.",
                "{1} led {S21}. A Fool alone is worth 0; of two, the one played last takes the trick: play {F}.",
            ),
            "play-F",
            then=((2, "none"),),
        ),
        LessonStep(
            T(
                "Quatre plis et le sceau : 5, doublés 10. {2} n’a aucun pli : sa bannière 0 lui évite −2.",
                "Four tricks and the seal: 5, doubled 10. {2} took none: the 0 banner spares the −2.",
            ),
        ),
        LessonStep(
            T(
                "Mauvaise main ! Les flèches l’échangent contre le Yomi, cinq cartes que personne n’a reçues.",
                "A bad hand! The arrows swap it for the Yomi, five cards that no one was dealt.",
            ),
            "swap",
        ),
        LessonStep(
            T(
                "Mieux ! Chaque bannière sert une fois : +2 paie quatre villageois pris, l’œil montre une main.",
                "Better! Each banner works once: +2 pays for four villagers taken, the eye shows you a hand.",
            ),
        ),
    ),
)
