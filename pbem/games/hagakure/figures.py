"""The drawn examples in the rules of Hagakure."""

from pbem.games.hagakure.board.view import draw_card_without_seal
from pbem.games.hagakure.facts_cards import BONUS, FOOL, NOBORI, is_warrior
from pbem.games.hagakure.facts_state import winner_of_trick
from pbem.games.hagakure.words import NOBORI_NAMES
from pbem.kit.drawing.figures import cross, figure, panel, words
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.svg import moved, number, seal, seat_mark, symbol, text, wash
from pbem.kit.texts import Lang
from pbem.kit.words import T

_EFFECTS = {
    "double": T("vos points comptent deux fois", "your points count twice"),
    "zero": T("la manche compte 0", "the round counts 0"),
    "villagers": T("+2 avec assez de villageois", "+2 with enough villagers"),
    "swap": T("toute la main contre le Yomi", "your whole hand for the Yomi"),
    "look": T("voir le Yomi ou une main", "see the Yomi or a hand"),
}


def draw_card_face(card: int, x: float, y: float, scale: float, lang: Lang) -> str:
    """Draws a card of 100 by 140 units times the scale."""
    drawn = draw_card_without_seal(card, lang)
    if card == BONUS:
        drawn += symbol("seal18", 66, 104, 30, 30) + text("os b m", 81, 125, "+1", 18)
    return moved(drawn, x, y, number(scale))


def draw_kinds_of_cards(lang: Lang) -> str:
    """Draws the three kinds of cards (1.1)."""
    drawn = "".join(draw_card_face(card, 2 + 92 * at, 4, 0.8, lang) for at, card in enumerate((7, 21, BONUS, FOOL)))
    for x, name, which in (
        (42, T("villageois", "villager"), T("1 à 17", "1 to 17")),
        (180, T("samouraï", "samurai"), T("18 à 27", "18 to 27")),
        (318, T("Vieux Fou", "Old Fool"), T("sans nombre", "no number")),
    ):
        drawn += words(x, 138, name[lang], "in b m") + words(x, 157, which[lang], "i2 m", 14)
    fr = "Un villageois, le 7 ; deux samouraïs, 21 et 18, qui porte un sceau +1 ; un Vieux Fou, sans nombre."
    en = "A villager, the 7; two samurai, 21 and 18, which bears a seal +1; an Old Fool without a number."
    return figure(drawn, 164, T(fr, en)[lang])


def draw_nobori_effects(lang: Lang) -> str:
    """Draws the five Nobori with what they do (1.3)."""
    drawn = ""
    for row, nobori in enumerate(NOBORI):
        y = 4 + 56 * row
        drawn += symbol(f"nobori-{nobori}", 10, y, 30, 50, "c2")
        drawn += words(56, y + 22, NOBORI_NAMES[nobori][lang], "in b") + words(56, y + 42, _EFFECTS[nobori][lang], "i2")
    label = T("Les cinq Nobori et ce qu’ils font.", "The five Nobori and what each of them does.")
    return figure(drawn, 284, label[lang])


def draw_cards_that_follow_samurai(lang: Lang) -> str:
    """Draws what may be played when a samurai was led (3.3)."""
    led, hand, scale = 21, (7, 12, 19, FOOL), 0.6
    drawn = panel(Box(1, 1, 358, 106)) + draw_card_face(led, 12, 12, scale, lang)
    drawn += seat_mark(0, 88, 20, 24) + words(120, 38, T("entame avec S21,", "leads S21,")[lang], "in b")
    drawn += words(120, 58, T("un samouraï.", "a samurai.")[lang])
    drawn += words(88, 88, T("Samouraï ou Vieux Fou demandé.", "A samurai or an Old Fool is due.")[lang], "i2")
    drawn += words(2, 136, T("Votre main", "Your hand")[lang], "in b")
    for at, card in enumerate(hand):
        x = 14 + 92 * at
        drawn += draw_card_face(card, x, 148, scale, lang)
        drawn += seal(x + 18, 240, 24) if is_warrior(card) else cross(x + 22, 244, 16)
    fr = "La place A entame avec S21. De votre main, S19 et le Vieux Fou sont permis, V7 et V12 ne le sont pas."
    en = "Seat A leads S21. Of your hand, S19 and the Old Fool are allowed, V7 and V12 are not."
    return figure(drawn, 270, T(fr, en)[lang])


def draw_tricks_with_fools(lang: Lang) -> str:
    """Draws who takes a trick with one Old Fool, and one with two (3.4)."""
    drawn = ""
    for row, (trick, said) in enumerate(
        (
            ((20, FOOL, 9), T("Un Fou seul vaut 0.", "A Fool alone is worth 0.")),
            ((FOOL, 22, FOOL), T("De deux Fous, le dernier gagne.", "Of two Fools the last one wins.")),
        )
    ):
        y, won = 4 + 158 * row, winner_of_trick(trick, 0)
        for seat, card in enumerate(trick):
            x = 8 + 84 * seat
            drawn += wash(x, y + 33, 60, 84, 5) if seat == won else ""
            drawn += seat_mark(seat, x + 18, y, 24) + draw_card_face(card, x, y + 33, 0.6, lang)
        drawn += seat_mark(won, 268, y + 62, 24) + words(298, y + 80, T("gagne", "wins")[lang], "in b")
        drawn += words(2, y + 143, said[lang], "i2")
    fr = "Premier pli : S20, Vieux Fou, V9, la place A gagne. Second pli : Vieux Fou, S22, Vieux Fou, la place C gagne."
    en = "First trick: S20, an Old Fool, V9; seat A wins. Second trick: an Old Fool, S22, an Old Fool; seat C wins."
    return figure(drawn, 312, T(fr, en)[lang])


FIGURES = {
    "cards": draw_kinds_of_cards,
    "banners": draw_nobori_effects,
    "follow": draw_cards_that_follow_samurai,
    "fools": draw_tricks_with_fools,
}
