"""What the page of Hogen: Allégeance shows newcomers: a turn in pictures, who made it, and how long it takes."""

from pbem.games.samurai import draw_card_or_back, draw_clan_letters, draw_clan_sign
from pbem.kit.contract import Intro, Length
from pbem.kit.drawing.figures import arrow, picture
from pbem.kit.drawing.svg import box, number, seal, seat_mark, symbol, text, wash
from pbem.kit.texts import Lang
from pbem.kit.words import T, turn_picture


def _draw_speech_bubble(x: float, y: float, width: float, height: float, seat: int, inside: str) -> str:
    """Draws what a seat says: its tongue points down at the seat's mark."""
    middle, bottom = x + width / 2, y + height
    tongue = f"M{number(middle - 12)},{number(bottom - 1)} L{number(middle)},{number(bottom + 16)} "
    tongue += f"L{number(middle + 12)},{number(bottom - 1)}"
    drawn = box("pa ol", x, y, width, height, 10, ' stroke-width="2.5"')
    drawn += f'<path class="pa ol" d="{tongue}" stroke-width="2.5" stroke-linejoin="round"/>'
    drawn += box("pa", middle - 11, bottom - 4, 22, 3, 0)
    return drawn + inside + seat_mark(seat, middle - 17, bottom + 20, 34)


def _draw_seat_naming_card(card: str, x: float, y: float, seat: int) -> str:
    """Draws a seat that names a card, 92 units wide."""
    name = draw_clan_letters(card, x + 46, y + 40, 38) + draw_clan_sign(card[0], x + 21, y + 50, 50)
    return _draw_speech_bubble(x, y, 92, 110, seat, name)


def _draw_card_back(x: float, y: float, scale: float) -> str:
    return symbol("back", x, y, 100 * scale, 140 * scale)


def _draw_pile(x: float, y: float, scale: float) -> str:
    return _draw_card_back(x + 10, y - 8, scale) + _draw_card_back(x + 5, y - 4, scale) + _draw_card_back(x, y, scale)


def draw_announcement(lang: Lang) -> str:
    """Draws an announcement, and the Door that gives that card."""
    drawn = _draw_seat_naming_card("M4", 16, 28, 0) + _draw_pile(134, 42, 0.92)
    drawn += (
        arrow((242, 106), (262, 106))
        + wash(266, 50, 84, 117.6, 5)
        + draw_card_or_back("M4", 266, 50, 0.84)
        + seal(322, 142, 36)
    )
    label = T("A annonce M4, et la Porte livre M4.", "A announces M4, and the Door gives M4.")
    return picture(drawn, label[lang])


def draw_challenge(lang: Lang) -> str:
    """Draws a card that lies in the Palace, under another one, a seat that announces it, and one that challenges."""
    drawn = (
        _draw_seat_naming_card("T1", 10, 28, 1)
        + draw_card_or_back("T1", 118, 28, 0.96)
        + draw_card_or_back("F3", 148, 72, 0.96)
    )
    shout = box("se", 268, 32, 76, 102, 6) + text("os b m", 306, 106, "!", 72)
    drawn += _draw_speech_bubble(264, 28, 84, 110, 0, shout)
    fr = "B annonce T1, qui est déjà au Palais, sous F3. A conteste."
    en = "B announces T1, which is already in the Palace, under F3. A challenges."
    return picture(drawn, T(fr, en)[lang])


def draw_smallest_hand_with_token(lang: Lang) -> str:
    """Draws three hands: one has just got two cards, and the smallest one has the token."""
    drawn = ""
    for seat, cards in enumerate((1, 4, 2)):
        x, new = 10 + 116 * seat, 2 if seat == 1 else 0
        best = cards == 1
        drawn += box("pa", x, 8, 108, 212, 8)
        drawn += box("il" if best else "ln", x, 8, 108, 212, 8, f' stroke-width="{4 if best else 1.5}"')
        drawn += seat_mark(seat, x + 10, 16, 34) + text("in b e", x + 96, 46, str(cards), 34)
        left = x + 54 - (60 + 12 * (cards - 1)) / 2
        for at in range(cards):
            if at >= cards - new:
                drawn += wash(left + 12 * at, 66 + 8 * at, 60, 84, 3)
            drawn += _draw_card_back(left + 12 * at, 66 + 8 * at, 0.6)
        drawn += symbol("token", x + 29, 160, 50, 50, "c4") if best else ""
    fr = "A a une carte, B quatre, dont deux nouvelles, C deux. A gagne le jeton."
    en = "A has one card, B four, two of them new, C two. A wins the token."
    return picture(drawn, T(fr, en)[lang])


INTRO = Intro(
    designer="Jean-Denis Oste",
    turn=(
        turn_picture(
            draw_announcement,
            "Annoncez la prochaine carte de la Porte ; si c’est juste, donnez-la à un autre.",
            "Announce the next card of the Door. If you are right, give it to another player.",
        ),
        turn_picture(
            draw_challenge,
            "Contestez quand un autre joueur annonce une carte qui est déjà sortie.",
            "Challenge when another player announces a card that is already out.",
        ),
        turn_picture(
            draw_smallest_hand_with_token,
            "Évitez les cartes : une erreur en coûte. Le moins de cartes gagne la manche.",
            "Avoid cards: a mistake costs you some. The fewest cards win the round.",
        ),
    ),
    lengths=(
        Length(seats=2, turns=98, days=52),
        Length(seats=3, turns=87, days=85),
        Length(seats=4, turns=56, days=66),
    ),
)
