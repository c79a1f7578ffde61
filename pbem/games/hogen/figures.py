"""The drawn examples in the rules of Hogen."""

from pbem.games.hogen.facts import Call, calls_allowed_with_ally
from pbem.games.samurai import CLAN_NAMES, CLANS, COLOURS, RANKS, draw_card_or_back, draw_small_card
from pbem.kit.drawing.figures import arrow, chosen, figure, gone, panel, verdict, words
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.svg import box, coloured, seat_mark, symbol, text
from pbem.kit.texts import Lang
from pbem.kit.words import T

ALLY = "M3"


def draw_all_samurai(lang: Lang) -> str:
    """Draws the sixteen samurai (1.1)."""
    drawn = ""
    for row, clan in enumerate(CLANS):
        y = 6 + 52 * row
        drawn += symbol(f"mon-{clan.lower()}", 8, y + 6, 34, 34, COLOURS[clan])
        drawn += words(52, y + 28, CLAN_NAMES[clan], "in b")
        drawn += "".join(draw_small_card(f"{clan}{rank}", 150 + 53 * at, y, 33) for at, rank in enumerate(RANKS))
    return figure(
        drawn, 212, T("Seize cartes : quatre clans, quatre rangs.", "Sixteen cards: four clans in four ranks.")[lang]
    )


def draw_calls_allowed(lang: Lang) -> str:
    """Draws which calls a player may make whose ally is M3 (4.2, 4.3)."""
    cases = (
        (Call(clan="T"), T("un Taira", "a Taira")[lang], T("rien", "nothing")[lang]),
        (Call(clan="M"), T("un Minamoto", "a Minamoto")[lang], T("le clan", "the clan")[lang]),
        (Call(rank=1), T("le rang 1", "rank 1")[lang], T("rien", "nothing")[lang]),
        (Call(rank=3), T("le rang 3", "rank 3")[lang], T("le rang", "the rank")[lang]),
        (Call("T", 3), "T3", T("le rang seul", "just the rank")[lang]),
        (Call("T", 4), "T4", T("rien", "nothing")[lang]),
    )
    drawn = draw_card_or_back(ALLY, 4, 4, 0.66)
    drawn += words(84, 40, T("Votre alliée est M3.", "Your ally is M3.")[lang], "in b", 17)
    drawn += words(84, 64, T("Ce que chaque appel a de commun :", "What each call shares with it:")[lang], "i2")
    for at, (called, name, shared) in enumerate(cases):
        case = Box(2 + 180 * (at % 2), 108 + 78 * (at // 2), 176, 70)
        drawn += verdict(case, called in calls_allowed_with_ally(ALLY)) + _draw_call(called, case)
        drawn += words(case.x + 54, case.y + 31, name, "in b") + words(case.x + 54, case.y + 53, shared, "i2")
    label = T(
        "Votre alliée est M3. Permis : un Taira, le rang 1, T3. Pas permis : un Minamoto, le rang 3, T4.",
        "Your ally is M3. Allowed: a Taira, rank 1, T3. Not allowed: a Minamoto, rank 3, T4.",
    )[lang]
    return figure(drawn, 336, label)


def _draw_call(called: Call, case: Box) -> str:
    x, y = case.x + 8, case.y + 14
    if called.clan and called.rank:
        return draw_small_card(f"{called.clan}{called.rank}", x + 3, y - 5, 37, piece=False)
    if called.clan:
        return symbol(f"mon-{called.clan.lower()}", x, y, 42, 42, COLOURS[called.clan])
    digit = text("om b m", x + 21, y + 30, str(called.rank), 25)
    return coloured(box("cu", x + 4, y + 3, 34, 36, 4), "c6") + digit


def draw_exchange(lang: Lang) -> str:
    """Draws an answer: a card of the hand goes into the palace, another comes out of it (5.2, 5.3)."""
    scale, wide, high = 0.5, 50, 70
    drawn = box("sk", 0, 0, 360, 292, 0) + panel(Box(8, 8, 344, 124))
    drawn += words(18, 31, T("Palais", "Palace")[lang], "in b")
    drawn += seat_mark(0, 200 if lang == "en" else 192, 14, 24)
    drawn += words(344, 31, T("appelle le rang 4", "calls for rank 4")[lang], "i2 e")
    drawn += "".join(draw_card_or_back(card, 18 + 62 * at, 46, scale) for at, card in enumerate(("B4", "T2", "B3")))
    drawn += gone(205, 47, wide - 2, high - 2) + chosen(draw_card_or_back("F4", 290, 46, scale), 290, 46, wide, high)
    drawn += words(18, 178, T("Votre main", "Your hand")[lang], "in b")
    drawn += draw_card_or_back("F3", 18, 196, scale) + gone(86, 197, wide - 2, high - 2)
    drawn += chosen(draw_card_or_back("T1", 154, 196, scale), 154, 196, wide, high)
    drawn += arrow((112, 192), (314, 131), 10) + arrow((229, 120), (188, 187), 6)
    drawn += words(226, 224, T("1. Posez", "1. Lay a card")[lang], "in b")
    drawn += words(226, 243, T("une carte qui va.", "that fits.")[lang])
    drawn += words(226, 265, T("2. Prenez-en", "2. Take")[lang], "in b")
    drawn += words(226, 284, T("une autre.", "another one.")[lang])
    label = T(
        "La place A appelle le rang 4. Vous posez F4 de votre main au palais et prenez T1.",
        "Seat A calls for rank 4. You lay F4 of your hand into the palace and take T1.",
    )[lang]
    return figure(drawn, 292, label)


FIGURES = {"clans": draw_all_samurai, "call": draw_calls_allowed, "exchange": draw_exchange}
