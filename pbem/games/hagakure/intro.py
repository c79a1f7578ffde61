"""What the page of Hagakure shows newcomers: a round in pictures, who made it, and how long it takes."""

from pbem.games.hagakure.facts_cards import NOBORI
from pbem.games.hagakure.figures import draw_card_face
from pbem.games.hagakure.words import NOBORI_NAMES
from pbem.kit.contract import Intro, Length
from pbem.kit.drawing.figures import chosen, gone, picture, words
from pbem.kit.drawing.svg import box, seal, symbol, text
from pbem.kit.texts import Lang
from pbem.kit.words import T, turn_picture


def draw_raising_banner(lang: Lang) -> str:
    """Draws the five banners with their names, the first one chosen."""
    drawn = ""
    for at, nobori in enumerate(NOBORI):
        x, y = 10 + 70 * at, 40
        banner = symbol(f"nobori-{nobori}", x, y, 60, 100, "c1")
        drawn += chosen(banner, x, y, 60, 100) if not at else banner
        drawn += words(x + 30, 184, NOBORI_NAMES[nobori][lang], "in b m" if not at else "in m", 13.5)
    label = T("Cinq bannières ; Double est choisie.", "Five banners; Double is chosen.")
    return picture(drawn, label[lang])


def draw_trick(lang: Lang) -> str:
    """Draws a trick, of which the highest card is marked."""
    drawn = ""
    for at, card in enumerate((19, 22, 20)):
        x, y, high = 16 + 116 * at, 30, card == 22
        drawn += box("se", x - 6, y - 6, 108, 152, 10) if high else ""
        drawn += draw_card_face(card, x, y, 0.96, lang)
        drawn += seal(x + 76, y + 112, 34) if high else ""
    drawn += words(180, 206, T("prend le pli", "takes the trick")[lang], "in b m", 18)
    return picture(drawn, T("De 19, 22 et 20, le 22 prend le pli.", "Of 19, 22 and 20, the 22 takes the trick.")[lang])


def draw_point_count(lang: Lang) -> str:
    """Draws what no trick, two tricks, and two tricks under the banner Double are worth."""
    drawn = gone(28, 30, 64, 90) + words(60, 146, T("aucun pli", "no trick")[lang], "in m", 16)
    for x in (142, 244):
        drawn += "".join(symbol("back", x + 18 * at, 30 + 8 * at, 58, 82) for at in range(2))
        drawn += words(x + 38, 146, T("2 plis", "2 tricks")[lang], "in m", 16)
    drawn += symbol("nobori-double", 306, 24, 36, 60, "c2")
    for x, points, classes in ((60, "−2", "se b m"), (180, "2", "in b m"), (282, "4", "in b m")):
        drawn += text(classes, x, 204, points, 48)
    fr = "Aucun pli : −2 points. Deux plis : 2 points, et 4 avec la bannière Double."
    en = "No trick: −2 points. Two tricks: 2 points, and 4 with the Double banner."
    return picture(drawn, T(fr, en)[lang])


INTRO = Intro(
    designer="Frank Crittin, Grégoire Largey",
    year=2019,
    turn=(
        turn_picture(
            draw_raising_banner,
            "Jouez une bannière pour toute la manche, ou gardez-les pour plus tard.",
            "Play one banner for the whole round, or keep them for later.",
        ),
        turn_picture(
            draw_trick,
            "Jouez une carte : la plus haute prend le pli ; un samouraï en demande un autre.",
            "Play a card: the highest takes the trick; a samurai calls for a samurai.",
        ),
        turn_picture(
            draw_point_count,
            "Marquez un point par pli ; sans aucun pli, vous en perdez deux.",
            "Score a point for each trick; without any trick, lose two.",
        ),
    ),
    lengths=(
        Length(seats=3, turns=45, days=46),
        Length(seats=4, turns=32, days=60),
        Length(seats=5, turns=25, days=52),
    ),
)
