"""The lesson of Hogen: a match of three that the reader wins by what two calls have told."""

from pbem.kit.contract import Lesson
from pbem.kit.words import T, lesson_step

LESSON = Lesson(
    # Dealt so that after one call and one answer a single card fits each of the calls that the others made.
    seed=f"{2452:064x}",
    seats=3,
    steps=(
        lesson_step(
            "Cachez une carte jusqu’à la fin : votre alliée. Pour gagner, nommez celles des autres.",
            "Hide one card until the end: your ally. To win, name the allies of the others.",
            "ally-M4",
            then=((1, "ally F3"), (2, "ally M1")),
        ),
        lesson_step(
            "Seize cartes : les clans F Fujiwara, M Minamoto, T Taira, B Tachibana, de rangs 1 à 4.",
            "Sixteen cards: the clans F Fujiwara, M Minamoto, T Taira and B Tachibana, with ranks 1 to 4.",
        ),
        lesson_step(
            "Appelez le rang 1 : un joueur répondra. Votre {M4} exclut le rang 4, le clan M et les cases à point.",
            "Call for rank 1: a player who has it answers. Your {M4} rules out rank 4, clan M and dotted cards.",
            "call-1",
            then=((1, "give T1 take F4"), (1, "call F2"), (2, "give F2 take B1"), (2, "call M2")),
        ),
        lesson_step(
            "{1} vous a répondu, puis a appelé {F2}. Maintenant, {2} appelle {M2}.",
            "{1} answered you, then called {F2}. Now {2} calls {M2}.",
        ),
        lesson_step(
            "Vous avez {M2} : vous devez répondre. Posez-la au palais.",
            "You hold {M2}, so you must answer: lay it in the palace.",
            "give-M2",
        ),
        lesson_step(
            "Prenez une autre carte au palais. Ensuite, c’est à vous.",
            "Take another card from the palace. Then it is your turn.",
            "take-T2",
        ),
        lesson_step(
            "Appeler une carte trahit : l’alliée a le même clan ou le même rang. Vous en savez assez.",
            "A call for a card tells: the caller’s ally has its clan or its rank. Now you know enough.",
            "declare",
        ),
        lesson_step(
            "{1} a appelé {F2}, et cache donc un F ou un 2. Touchez dans la grille {F3}, seule non visible.",
            "{1} called {F2}, and so hides an F or a 2. In the grid, tap {F3}, the only one not in sight.",
            "B=F3",
            tap=T("Dire que {1} cache {F3}", "Say that {1} hides {F3}"),
        ),
        lesson_step(
            "{2} a appelé {M2}, et cache donc un M ou un 2. Seule {M1} n’est pas visible.",
            "{2} called {M2}, and so hides an M or a 2. Only {M1} is not in sight.",
            "C=M1",
            tap=T("Dire que {2} cache {M1}", "Say that {2} hides {M1}"),
        ),
        lesson_step(
            "Tout est juste : vous gagnez. À la moindre erreur, vous étiez hors jeu.",
            "Both are right: you win. With a mistake you would have been out.",
        ),
    ),
)
