"""Replies of real shape, each with what is expected of it: the commands that it gives, or the doubt that it leaves."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from pbem.features.inbox.incoming.commands import Command, Move
from pbem.games.allegeance import GAME as ALLEGEANCE
from pbem.games.hagakure import GAME as HAGAKURE
from pbem.games.hexen_rennen import GAME as HEXEN_RENNEN
from pbem.games.hogen import GAME as HOGEN
from pbem.games.niigata import GAME as NIIGATA
from pbem.kit.contract import AnyGame, Unreadable
from tests.features.inbox.incoming.programs import ORIGINAL, PROGRAMS

SEAT = 0
NAMES = ("Alice",)


@dataclass(frozen=True)
class Case:
    """A reply. `plain`: a move, with nothing around it but greeting, courtesy, signature, device line and quote."""

    title: str
    game: AnyGame
    raw: bytes
    commands: tuple[Command, ...]
    doubts: tuple[str, ...] = ()
    plain: bool = False


def reader_of_game(game: AnyGame) -> Callable[[str], bool]:
    """Returns what the service hands in."""

    def read(text: str) -> bool:
        try:
            game.parse(text, SEAT)
        except Unreadable:
            return False
        return True

    return read


def read_moves(game: AnyGame, commands: tuple[Command, ...]) -> tuple[Any, ...]:
    """Returns the commands with the moves as the game reads them, so that a full stop behind one does not matter."""
    return tuple(
        tuple(game.parse(part, SEAT) for part in one.parts) if isinstance(one, Move) else one for one in commands
    )


MOVES: tuple[tuple[AnyGame, str, tuple[str, ...]], ...] = (
    (HOGEN, "call M1", ("call M1",)),
    (HOGEN, "j'appelle un samouraï de rang 4", ("j'appelle un samouraï de rang 4",)),
    (HOGEN, "give F4 take T1", ("give F4 take T1",)),
    (HOGEN, "declare B=F1 C=B1 D=B3", ("declare B=F1 C=B1 D=B3",)),
    (NIIGATA, "N38; N38 1N.2E r1", ("N38", "N38 1N.2E r1")),
    (NIIGATA, "prends N20", ("prends N20",)),
    (NIIGATA, "joue N20 -3,1 r1", ("N20 -3,1 r1",)),
    (NIIGATA, "passe", ("passe",)),
    (HAGAKURE, "19", ("19",)),
    (HAGAKURE, "play the Old Fool", ("play the Old Fool",)),
    (HAGAKURE, "aucun Nobori", ("aucun Nobori",)),
    (HEXEN_RENNEN, "divide 2 3 4 / 5 6 7 / 8 9 10", ("divide 2 3 4 / 5 6 7 / 8 9 10",)),
    (
        HEXEN_RENNEN,
        "stage 1: 2 3 4, stage 2: 5 6 7, stage 3: 8 9 10",
        ("stage 1: 2 3 4, stage 2: 5 6 7, stage 3: 8 9 10",),
    ),
    (HEXEN_RENNEN, "play S", ("play S",)),
    (ALLEGEANCE, "F1", ("F1",)),
    (ALLEGEANCE, "je ne conteste pas", ("je ne conteste pas",)),
    (ALLEGEANCE, "I play give B", ("give B",)),
)
AROUND: dict[str, tuple[str, ...]] = {
    "en": (
        "{}",
        "Hi,\n\n{}\n\nThanks,\nAlice",
        "{}\n\nCheers\nAlice Martin\nExample Ltd, 12 High Street\n+44 20 7946 0958",
        "{}!",
        "Hello Bob,\n{}\nGood luck!",
        "{}\n-- \nAlice Martin\nCEO of nothing, call me: 555 0199",
        "Hi Bob, {}, thanks",
        "{}\nAlice",
        "   {}   \n\n\n",
    ),
    "fr": (
        "{}",
        "Bonjour,\n\n{}\n\nMerci,\nAlice",
        "{}\n\nBien cordialement\nAlice MARTIN\n12 rue de la Paix, 75002 Paris\n01 23 45 67 89",
        "{}.",
        "Salut Bob !\n{}\nBonne chance",
        "{}\n--\nAlice Martin\nTél. : 06 12 34 56 78",
        "Bonsoir, {}, merci !",
        "{}\nAlice",
        "Coucou,\n{}\nBises\nAlice",
    ),
    "de": (
        "{}",
        "Hallo,\n\n{}\n\nViele Grüße\nAlice",
        "{}\n\nMit freundlichen Grüßen\nAlice Martin\nHauptstraße 12, 10115 Berlin",
        "Hallo zusammen,\n{}\nViel Erfolg!",
        "{}\nLG Alice",
        "{}\n-- \nAlice",
        "Moin, {}",
    ),
    "es": (
        "{}",
        "Hola,\n\n{}\n\nGracias,\nAlice",
        "{}\n\nUn saludo\nAlice Martín\nCalle Mayor 12, 28013 Madrid",
        "Buenos días:\n{}\nSuerte",
        "{}\nAlice",
        "{}\n--\nAlice Martín",
        "Hola Bob, {}",
    ),
}
"""What people write around a move."""


def plain_answers() -> Iterator[Case]:
    """Yields every program in each of its languages, with and without our delimiter line in what it quotes."""
    moves = cycle(MOVES)
    around = {lang: cycle(forms) for lang, forms in AROUND.items()}
    for reply, langs in PROGRAMS.items():
        for lang in langs:
            line, text = ORIGINAL["fr" if lang == "fr" else "en"]
            for original in (f"{line}\n\n{text}", text):
                game, typed, parts = next(moves)
                form = next(around[lang])
                delimited = "delimiter" if original != text else "none"
                title = f"{reply.__name__}-{lang}-{delimited}-{' '.join(form.split())}-{typed}"
                raw = reply(form.format(typed), lang, original)
                yield Case(title, game, raw, (Move(parts),), plain=True)
