"""Whose eyes a board of Hagakure is drawn for, and where the numbers of the story belong on it."""

from dataclasses import dataclass

from pbem.games.hagakure import board_cards as pieces
from pbem.games.hagakure.board_words import BoardWords, words_for
from pbem.games.hagakure.facts import NOBORI, Dealt, Looked, Nobori, Played, Raised, State, Swapped, TrickWon
from pbem.kit.contract import Event, Lang, Link, Scene, Viewer

CURRENT, LEFT = "c2", "c1"
"""The colours of the Nobori of this round and of those that are left."""


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

    def to_act(self, seat: int) -> bool:
        """Whether the match waits for this seat."""
        return self.fold.phase in ("nobori", "play") and seat == self.fold.active

    def of(self, seat: int, forms: tuple[str, str]) -> str:
        """The form for the viewer himself or for somebody else, whose name has room for eleven letters."""
        mine, others = forms
        return mine if seat == self.viewer else others.replace("*", f"{{{seat}:11}}")

    def banner(self, seat: int, nobori: Nobori, x: float, foot: float, left: float, raised: float) -> str:
        """A seat's Nobori with its foot at this height: left, used, or larger and in gold where newly raised."""
        fold = self.fold
        if fold.raised[seat] != nobori:
            height = left / 0.6
            if nobori in fold.nobori[seat]:
                return pieces.owned(seat, nobori, x, foot - height, left, LEFT)
            return pieces.banner("used", x, foot - height, left, LEFT)
        height = raised / 0.6
        drawn = pieces.owned(seat, nobori, x, foot - height, raised, CURRENT)
        story = self.banners.get(seat)
        if story is None:
            return drawn
        gold = pieces.wash(x, foot - height, raised, height, 2)
        return gold + drawn + pieces.spot(story, x - 10, foot - 12, 19, story == self.newest)

    def banners_of(self, seat: int, x: float, foot: float, left: float, raised: float, gap: float = 3) -> str:
        """The five Nobori of a seat in a row: spent ones rolled up, that of the round larger and in another colour."""
        parts = []
        for nobori in NOBORI:
            parts.append(self.banner(seat, nobori, x, foot, left, raised))
            x += gap + (raised + 2 if self.fold.raised[seat] == nobori else left)
        return "".join(parts)


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
