"""What the page of Hogen shows newcomers: a turn in pictures, who made it, and how long it takes."""

from pbem.games.samurai import draw_card_or_back, draw_clan_sign
from pbem.kit.contract import Intro, Length
from pbem.kit.drawing.figures import arrow, chosen, picture
from pbem.kit.drawing.svg import box, seat_mark, symbol, text, wash
from pbem.kit.texts import Lang
from pbem.kit.words import T, turn_picture

_MARK = 40


def draw_call(lang: Lang) -> str:
    """Draws a seat that calls for a clan, and the hands of the two others."""
    tongue = "M88,126 L100,148 L112,126"
    drawn = box("pa ol", 14, 18, 172, 110, 12, ' stroke-width="3"')
    drawn += f'<path class="pa ol" d="{tongue}" stroke-width="3" stroke-linejoin="round"/>'
    drawn += box("pa", 90, 122, 20, 4, 0)
    drawn += draw_clan_sign("T", 34, 32, 82) + text("in b m", 150, 98, "?", 72)
    drawn += seat_mark(0, 100 - _MARK / 2, 156, _MARK)
    for seat, y in ((1, 12), (2, 122)):
        drawn += "".join(symbol("back", 214 + 30 * at, y, 66, 92.4) for at in range(3))
        drawn += seat_mark(seat, 316, y + 26, _MARK)
    label = T(
        "A appelle un Taira. B et C ont chacun trois cartes.", "A calls for a Taira. B and C have three cards each."
    )
    return picture(drawn, label[lang])


def draw_answer(lang: Lang) -> str:
    """Draws the card that the seat that answers lays, and the one that it takes from the palace."""
    drawn = seat_mark(2, 18, 92, _MARK) + wash(76, 38, 104, 145.6, 6) + draw_card_or_back("T1", 76, 38, 1.04)
    drawn += draw_card_or_back("F4", 246, 38, 1.04)
    drawn += arrow((192, 84), (234, 84), classes="il") + arrow((234, 136), (192, 136), classes="il")
    label = T("C pose T1 au palais et prend F4.", "C lays T1 in the palace and takes F4.")
    return picture(drawn, label[lang])


def draw_declaration(lang: Lang) -> str:
    """Draws a declaration: the ally of each other seat is named."""
    drawn = ""
    for seat, card, x in ((1, "F3", 46), (2, "M1", 204)):
        drawn += chosen(draw_card_or_back(card, x, 18, 1.08), x, 18, 108, 151.2) + seat_mark(
            seat, x + 54 - _MARK / 2, 182, _MARK
        )
    label = T("A déclare : l’alliée de B est F3, celle de C est M1.", "A declares: B hides F3, C hides M1.")
    return picture(drawn, label[lang])


INTRO = Intro(
    designer="Jean-Denis Oste",
    year=2013,
    turn=(
        turn_picture(
            draw_call,
            "Appelez un clan, un rang ou une carte. Un appel trahit ce que vous cachez.",
            "Call for a clan, a rank or a card. What you call tells what you hide.",
        ),
        turn_picture(
            draw_answer,
            "Le premier joueur qui l’a la pose au palais, en prend une autre et appelle.",
            "The first player who has it lays it in the palace, takes another and calls next.",
        ),
        turn_picture(
            draw_declaration,
            "Déclarez l’alliée de chacun : vous gagnez, mais une erreur vous met hors jeu.",
            "Declare everyone’s ally: all right, and you win; one mistake, and you are out.",
        ),
    ),
    lengths=(
        Length(seats=3, turns=7, days=5),
        Length(seats=4, turns=6, days=6),
    ),
)
