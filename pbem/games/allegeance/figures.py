"""The drawn examples in the rules of Allégeance."""

from pbem.games.samurai import draw_card_or_back, draw_small_card
from pbem.kit.drawing.figures import arrow, cross, figure, panel, words
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.svg import box, dashes, seal, seat_mark, symbol, wash
from pbem.kit.texts import Lang
from pbem.kit.words import T

_WIDE, _HIGH, _TOP = 54, 75.6, 40
_PALACE = T("Palais", "Palace")
_ANNOUNCES = T("annonce", "announces")


def _draw_card_back(x: float, y: float, width: float) -> str:
    return symbol("back", x, y, width, width * 1.4)


def _draw_announcement_and_revealed_card(announced: str, revealed: str, lang: Lang) -> str:
    """Draws an announcement of seat A, and what the Door gives."""
    drawn = panel(Box(1, 1, 358, 130)) + seat_mark(0, 10, 8, 24) + words(40, 26, _ANNOUNCES[lang], "in b")
    drawn += draw_small_card(announced, 30, _TOP + 4, 46, piece=False)
    drawn += words(175, 26, T("la Porte", "the Door")[lang], "in b m")
    drawn += _draw_card_back(131, _TOP, _WIDE) + _draw_card_back(127, _TOP + 4, _WIDE)
    drawn += arrow((186, 82), (204, 82)) + wash(214, _TOP, _WIDE, _HIGH, 5)
    return drawn + draw_card_or_back(revealed, 214, _TOP, 0.54)


def draw_right_announcement(lang: Lang) -> str:
    """Draws a right announcement: the card is given away (4.1)."""
    drawn = _draw_announcement_and_revealed_card("B2", "B2", lang) + seal(86, 60, 26)
    drawn += seat_mark(0, 10, 150, 24) + words(40, 168, T("donne B2 à", "gives B2 to")[lang], "in b")
    drawn += seat_mark(2, 134, 150, 24) + words(164, 168, T("qui la cache.", "who hides it.")[lang], "in b")
    drawn += arrow((244, 122), (296, 138), -6) + _draw_card_back(284, 142, 34) + _draw_card_back(298, 142, 34)
    fr = "A annonce B2 et la Porte livre B2. A donne la carte à C, qui la garde cachée en main."
    en = "A announces B2 and the Door gives B2. A gives the card to C, who keeps it hidden in hand."
    return figure(drawn, 194, T(fr, en)[lang])


def _draw_challenge(palace: str, lang: Lang) -> str:
    drawn = _draw_announcement_and_revealed_card("F1", "T3", lang) + words(317, 26, _PALACE[lang], "in b m")
    drawn += draw_card_or_back(palace, 290, _TOP, 0.54)
    return drawn + seat_mark(1, 10, 142, 24) + words(40, 160, T("conteste :", "challenges:")[lang], "in b")


def draw_right_challenge(lang: Lang) -> str:
    """Draws a right challenge: the announced card is already out (5.4)."""
    drawn = _draw_challenge("F1", lang) + words(132, 160, T("F1 est déjà sortie", "F1 is already out")[lang])
    drawn += seal(270, 142, 24) + seat_mark(0, 10, 186, 24)
    drawn += words(40, 204, T("prend les deux.", "takes both.")[lang], "in b")
    drawn += draw_small_card("F1", 200, 174, 36, piece=False) + draw_small_card("T3", 244, 174, 36, piece=False)
    fr = "A annonce F1 et la Porte livre T3. B conteste : F1 est au Palais. A prend F1 et T3."
    en = "A announces F1 and the Door gives T3. B challenges: F1 is in the Palace. A takes F1 and T3."
    return figure(drawn, 232, T(fr, en)[lang])


def draw_wrong_challenge(lang: Lang) -> str:
    """Draws a wrong challenge: the announced card is still behind the Door (5.5)."""
    drawn = _draw_challenge("M4", lang) + words(132, 160, T("F1 est encore derrière", "F1 is still behind it")[lang])
    drawn += cross(318, 146, 16) + seat_mark(1, 10, 186, 24)
    drawn += words(40, 204, T("prend T3.", "takes T3.")[lang], "in b")
    drawn += draw_small_card("T3", 200, 174, 36, piece=False)
    fr = "A annonce F1 et la Porte livre T3. B conteste à tort : F1 est encore derrière la Porte. B prend T3."
    en = "A announces F1 and the Door gives T3. B is wrong to challenge: F1 is still behind the Door. B takes T3."
    return figure(drawn, 232, T(fr, en)[lang])


def draw_fewest_cards(lang: Lang) -> str:
    """Draws the end of a round: the fewest cards win a token (6.1)."""
    hands = (4, 2, 6)
    drawn = ""
    for seat, count in enumerate(hands):
        at = Box(1 + 121 * seat, 1, 116, 128)
        flat = box("sk", *at.frame, 6) + box("ln", *at.frame, 6, dashes(1.5, "5 4"))
        drawn += panel(at) if count == min(hands) else flat
        drawn += seat_mark(seat, at.x + 10, 10, 24) + words(
            at.x + 44, 28, T(f"{count} cartes", f"{count} cards")[lang], "in b"
        )
        drawn += "".join(_draw_card_back(at.x + 12 + 10 * n, 44, 34) for n in range(count))
        drawn += symbol("token", at.x + 74, 44, 34, 34, "c4") if count == min(hands) else ""
        said = T("un jeton", "a token") if count == min(hands) else T("rien", "nothing")
        drawn += words(at.x + 58, 116, said[lang], "in b m" if count == min(hands) else "i2 m")
    fr = "A a quatre cartes, B deux, C six. B, qui en a le moins, gagne un jeton."
    en = "A has four cards, B two, C six. B, who has the fewest, gets a token."
    return figure(drawn, 132, T(fr, en)[lang])


FIGURES = {
    "right": draw_right_announcement,
    "caught": draw_right_challenge,
    "mistaken": draw_wrong_challenge,
    "fewest": draw_fewest_cards,
}
