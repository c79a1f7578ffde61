"""Whose eyes a board of Hagakure is drawn for, and where the numbers of the story belong on it."""

from dataclasses import dataclass

from pbem.games.hagakure import pieces
from pbem.games.hagakure.board_words import BoardWords, words_for
from pbem.games.hagakure.cards import Dealt, Looked, Played, Raised, State, Swapped, TrickWon
from pbem.rules.contract import Event, Lang, Link, Scene, Viewer

CURRENT = "c2"
"""The colour of the Nobori of this round; those that are left have another."""


@dataclass(frozen=True)
class Eyes:
    """What every part of the drawing needs to know."""

    fold: State
    viewer: Viewer
    lang: Lang
    words: BoardWords
    scene: Scene
    cards: dict[int, tuple[int, int]]
    """The newest card of a seat with its story number."""
    banners: dict[int, int]
    """The story number of a seat's Nobori."""

    @property
    def newest(self) -> int | None:
        """The story number that may fade in; none on a board that answers a click."""
        return None if self.scene.chosen or not self.scene.recent else self.scene.recent[-1][0]

    def link(self, step: str) -> Link | None:
        """Where touching this leads."""
        return self.scene.links.get(step)

    def chosen(self, step: str) -> bool:
        """Whether this is among what was chosen."""
        return step in self.scene.chosen

    def of(self, seat: int, forms: tuple[str, str]) -> str:
        """The form for the viewer himself or for somebody else, whose name has room for eleven letters."""
        mine, others = forms
        return mine if seat == self.viewer else others.replace("*", f"{{{seat}:11}}")

    def raised(self, seat: int, x: float, y: float, width: float = 32) -> str:
        """The Nobori that a seat played in this round, if it did."""
        nobori = self.fold.raised[seat]
        if nobori is None:
            return ""
        drawn = pieces.banner(nobori, x, y, width, CURRENT)
        story = self.banners.get(seat)
        if story is None:
            return drawn
        gold = pieces.wash(x, y, width, width * 1.69, 2)
        return gold + drawn + pieces.spot(story, x - 10, y + width * 1.1, 19, story == self.newest)


def eyes_of(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> Eyes:
    """What the parts of one drawing share."""
    return Eyes(fold, viewer, lang, words_for(lang), scene, *_spots(scene.recent))


def _spots(recent: tuple[tuple[int, Event], ...]) -> tuple[dict[int, tuple[int, int]], dict[int, int]]:
    """Where the numbers of the newest events belong: cards of the trick that is shown, Nobori of the round."""
    cards: dict[int, tuple[int, int]] = {}
    banners: dict[int, int] = {}
    complete = False
    for story, event in recent:
        match event:
            case Dealt():
                cards, banners = {}, {}
            case Raised(seat) | Swapped(seat) | Looked(seat):
                banners[seat] = story
            case TrickWon():
                complete = True
            case Played(seat, card):
                if complete:
                    cards, complete = {}, False
                cards[seat] = (card, story)
    return cards, banners
