"""What a game says to somebody who does not know it is short and whole."""

from pbem.kit.contract import AnyGame, Intro
from pbem.kit.play import LawBroken
from pbem.kit.texts import LANGS

MOST_LETTERS = 90
"""Of the goal, and of what stands beside a picture of a turn."""
PICTURES = 3


def check_intro(game: AnyGame) -> None:
    """Checks the goal of a game and its introduction, which it need not have. Raises LawBroken.

    The goal and the sentences have at most 90 letters. A turn is three pictures or none, and a length is for a number
    of players that the game is offered for, one for each.
    """
    meta, intro = game.meta, game.intro or Intro()
    for text in (meta.blurb, *(picture.text for picture in intro.turn)):
        if too_long := [text[lang] for lang in LANGS if len(text[lang]) > MOST_LETTERS]:
            raise LawBroken(f"{meta.slug}: more than {MOST_LETTERS} letters: {too_long[0]}")
    if len(intro.turn) not in (0, PICTURES):
        raise LawBroken(f"{meta.slug}: a turn is {PICTURES} pictures, not {len(intro.turn)}")
    seats = [length.seats for length in intro.lengths]
    if len({*seats}) < len(seats) or not {*seats} <= {*meta.seats}:
        raise LawBroken(f"{meta.slug}: lengths are for {seats} players, the game for {list(meta.seats)}")
