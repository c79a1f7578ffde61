"""The few words on a board of Hagakure, short enough for their places."""

from dataclasses import dataclass

from pbem.kit.contract import Lang


@dataclass(frozen=True)
class BoardWords:
    """The words of one language. Of a pair the first is said to the viewer; * stands for another's name."""

    seen_by: str
    seen_by_all: str
    seen_by_public: str
    round: str
    extra_round: str
    trick: str
    last_trick: str
    choosing: str
    your_hand: str
    played: tuple[str, str]
    not_allowed: str
    free: str
    none: str
    ahead: str
    took: str
    to_look_at: str
    points: str
    total: str
    must_follow: str
    leads: tuple[str, str]
    plays: tuple[str, str]
    chooses: tuple[str, str]
    wins: tuple[str, str]
    shared: str
    counted: str
    to_come: str


_FRENCH = BoardWords(
    seen_by="Plateau de Hagakure vu par {viewer}",
    seen_by_all="Plateau de Hagakure, toutes les cartes ouvertes",
    seen_by_public="Plateau de Hagakure vu par un spectateur",
    round="Manche {} sur {}",
    extra_round="Manche de plus {}",
    trick="Pli {} sur {}",
    last_trick="Pli {} sur {}, à",
    choosing="Nobori de la manche",
    your_hand="Votre main",
    played=("est", "joué"),
    not_allowed="pas permis",
    free="choix libre",
    none="aucun",
    ahead="en tête",
    took="gagne",
    to_look_at="que regarder ?",
    points="Points",
    total="total",
    must_follow="samouraï demandé",
    leads=("à vous d’entamer", "* entame"),
    plays=("à vous de jouer", "à * de jouer"),
    chooses=("à vous de choisir", "* choisit"),
    wins=("vous gagnez", "* gagne"),
    shared="victoire partagée",
    counted="manche comptée",
    to_come="à venir",
)

_ENGLISH = BoardWords(
    seen_by="Hagakure board as {viewer} sees it",
    seen_by_all="Hagakure board, all cards open",
    seen_by_public="Hagakure board as a spectator sees it",
    round="Round {} of {}",
    extra_round="Extra round {}",
    trick="Trick {} of {}",
    last_trick="Trick {} of {}, to",
    choosing="Nobori of the round",
    your_hand="Your hand",
    played=("is", "played"),
    not_allowed="not allowed",
    free="free choice",
    none="none",
    ahead="ahead",
    took="wins",
    to_look_at="look at what?",
    points="Points",
    total="total",
    must_follow="samurai asked for",
    leads=("you lead", "* leads"),
    plays=("your turn", "* to play"),
    chooses=("you choose", "* chooses"),
    wins=("you win", "* wins"),
    shared="shared victory",
    counted="round counted",
    to_come="to come",
)


def words_for(lang: Lang) -> BoardWords:
    """The words of a language."""
    return _FRENCH if lang == "fr" else _ENGLISH
