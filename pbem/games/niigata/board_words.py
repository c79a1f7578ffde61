"""The few words on a board of Niigata, short enough for their places."""

from dataclasses import dataclass

from pbem.games.niigata.facts import State
from pbem.rules.contract import Lang, Viewer


@dataclass(frozen=True)
class BoardWords:
    """The words of one language. Of a pair the first is said to the viewer; * stands for another's name."""

    seen_by: str
    by_all: str
    east: tuple[str, str]
    """What follows a distance to the west and to the east."""
    south: tuple[str, str]
    points: str
    wasted: str
    stock: str
    turn: dict[str, tuple[str, str]]
    grab: str
    wins: tuple[str, str]
    several: str
    waiting: str

    def news(self, fold: State, viewer: Viewer) -> str:
        """Whose turn it is, or who won."""
        if fold.over:
            if len(fold.winners) != 1:
                return self.several
            return self._of(fold.winners[0], viewer, self.wins)
        if fold.active is not None:
            return self._of(fold.active, viewer, self.turn[fold.phase])
        return self.grab if fold.phase == "pick" else self.waiting

    def left_in_stock(self, tiles: int, round_: int) -> str:
        """The round, and how many tiles are in the stock.

        >>> words_for("en").left_in_stock(60, 3)
        'round 3, 60 in the stock'
        """
        return self.stock.format(round_, tiles)

    def _of(self, seat: int, viewer: Viewer, forms: tuple[str, str]) -> str:
        mine, others = forms
        return mine if seat == viewer else others.replace("*", f"{{{seat}:11}}")


_FRENCH = BoardWords(
    seen_by="Carte des bassins vue par {viewer}",
    by_all="Carte des bassins",
    east=("O", "E"),
    south=("N", "S"),
    points="{} pts",
    wasted="gâchis\u00a0: {}",
    stock="tour {}, {} dans la pioche",
    turn={
        "pick": ("prenez une tuile", "à * de prendre"),
        "place": ("posez une tuile", "à * de poser"),
        "claim": ("un éleveur\u00a0?", "un éleveur de *\u00a0?"),
    },
    grab="tous prennent à la fois",
    wins=("vous gagnez", "* gagne"),
    several="victoire partagée",
    waiting="le tour est fini",
)

_ENGLISH = BoardWords(
    seen_by="Map of the ponds as {viewer} sees it",
    by_all="Map of the ponds",
    east=("W", "E"),
    south=("N", "S"),
    points="{} pts",
    wasted="waste: {}",
    stock="round {}, {} in the stock",
    turn={
        "pick": ("take a tile", "* to take"),
        "place": ("lay a tile", "* to lay"),
        "claim": ("a breeder?", "a breeder of *?"),
    },
    grab="everybody grabs at once",
    wins=("you win", "* wins"),
    several="a shared victory",
    waiting="the round is over",
)


def words_for(lang: Lang) -> BoardWords:
    """The words of a language."""
    return _FRENCH if lang == "fr" else _ENGLISH
