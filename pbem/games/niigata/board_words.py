"""The few words on a board of Niigata, short enough for their places."""

from dataclasses import dataclass

from pbem.games.niigata.facts import State
from pbem.games.niigata.meta import META
from pbem.kit.contract import Lang, Viewer


@dataclass(frozen=True)
class BoardWords:
    """The words of one language. Of a pair the first is said to the viewer; * stands for another's name."""

    seen_by: str
    by_all: str
    east: tuple[str, str]
    """What follows a distance to the west and to the east."""
    south: tuple[str, str]
    larger: str
    zoom: tuple[str, str, str, str]
    """What the buttons of the map do, and what the map is called when it has the focus."""
    points: str
    wasted: str
    none_left: str
    stopped: str
    winner: str
    round: str
    dice: dict[str, str]
    most: str
    turn: dict[str, tuple[str, str]]
    grab: str
    wins: tuple[str, str]
    several: str
    waiting: str
    trays: dict[str, str]
    turning: str

    def news(self, fold: State, viewer: Viewer, phase: str, active: int | None) -> str:
        """Whose turn it is in this phase, or who won."""
        if fold.over:
            if len(fold.winners) != 1:
                return self.several
            return self._of(fold.winners[0], viewer, self.wins)
        if active is not None:
            return self._of(active, viewer, self.turn[phase])
        return self.grab if phase == "pick" else self.waiting

    def below(self, fold: State, lang: Lang) -> str:
        """What the dice ask for, or why the match is over.

        >>> from pbem.games.niigata.history import evolve
        >>> from pbem.games.niigata.facts import LaidOut, Thrown
        >>> state = evolve(None, LaidOut(2, "turns", 0, ("N01",), ()))
        >>> words_for("en").below(evolve(state, Thrown(0, "Y", 3, ("N01",))), "en")
        'yellow carp, 3 animals at most'
        """
        if fold.over:
            return META.endings[fold.over][lang]
        if fold.colour is None:
            return ""
        return f"{self.dice[fold.colour]}, {self.most.format(fold.number)}"

    def tray(self, phase: str, turned: str | None) -> str:
        """What the tiles below the map are there for."""
        return self.turning.format(turned) if turned else self.trays.get(phase, "")

    def _of(self, seat: int, viewer: Viewer, forms: tuple[str, str]) -> str:
        mine, others = forms
        return mine if seat == viewer else others.replace("*", f"{{{seat}:11}}")


_FRENCH = BoardWords(
    seen_by="Carte des bassins vue par {viewer}",
    by_all="Carte des bassins",
    east=("O", "E"),
    south=("N", "S"),
    larger="Agrandir",
    zoom=("Agrandir la carte", "Réduire la carte", "Voir toute la carte", "Carte\u00a0: les flèches la déplacent"),
    points="{} pts",
    wasted="gâchis\u00a0: {}",
    none_left="plus d’éleveur",
    stopped="a fini",
    winner="gagne",
    round="tour {}",
    dice={"R": "carpe rouge", "W": "carpe blanche", "Y": "carpe jaune"},
    most="{} animaux au plus",
    turn={
        "pick": ("prenez une tuile", "à * de prendre"),
        "place": ("posez une tuile", "à * de poser"),
        "claim": ("un éleveur\u00a0?", "un éleveur de *\u00a0?"),
    },
    grab="tous prennent à la fois",
    wins=("vous gagnez", "* gagne"),
    several="victoire partagée",
    waiting="le tour est fini",
    trays={"pick": "À prendre", "place": "À poser", "claim": "À poser ensuite", "over": "À la fin"},
    turning="Dans quel sens poser {}\u00a0?",
)

_ENGLISH = BoardWords(
    seen_by="Map of the ponds as {viewer} sees it",
    by_all="Map of the ponds",
    east=("W", "E"),
    south=("N", "S"),
    larger="Enlarge",
    zoom=("Enlarge the map", "Reduce the map", "See the whole map", "Map: the arrow keys move it"),
    points="{} pts",
    wasted="waste: {}",
    none_left="no breeder left",
    stopped="has done",
    winner="wins",
    round="round {}",
    dice={"R": "red carp", "W": "white carp", "Y": "yellow carp"},
    most="{} animals at most",
    turn={
        "pick": ("take a tile", "* to take"),
        "place": ("lay a tile", "* to lay"),
        "claim": ("a breeder?", "a breeder of *?"),
    },
    grab="everybody grabs at once",
    wins=("you win", "* wins"),
    several="a shared victory",
    waiting="the round is over",
    trays={"pick": "To take", "place": "To lay", "claim": "To lay next", "over": "At the end"},
    turning="Which way shall {} lie?",
)


def words_for(lang: Lang) -> BoardWords:
    """The words of a language."""
    return _FRENCH if lang == "fr" else _ENGLISH
