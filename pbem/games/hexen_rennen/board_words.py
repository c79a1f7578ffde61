"""The few words on a board of Hexen Rennen."""

from dataclasses import dataclass

from pbem.rules.contract import Lang


@dataclass(frozen=True)
class BoardWords:
    """The words of one language. * stands for the name of somebody other than the viewer."""

    seen_by: str
    seen_by_all: str
    start: str
    goal: str
    your_turn: str
    turn: str
    your_symbol: str
    symbol: str
    all_divide: str
    you_win: str
    wins: str
    win_together: str
    your_hand: str
    no_cards: str
    neutral: str
    your_tiles: str
    stage: str
    your_stages: str
    colon: str


_FRENCH = BoardWords(
    seen_by="Course de Hexen Rennen vue par *",
    seen_by_all="Course de Hexen Rennen",
    start="Départ",
    goal="Arrivée",
    your_turn="À vous de voler",
    turn="Tour de *",
    your_symbol="Sur votre symbole\u00a0: à vous de choisir",
    symbol="Sur le symbole de *",
    all_divide="Chacun répartit ses tuiles",
    you_win="Vous gagnez",
    wins="* gagne",
    win_together="Victoire partagée",
    your_hand="Votre main",
    no_cards="plus de cartes",
    neutral="clan neutre, cartes en pioche\u00a0: {}",
    your_tiles="Vos tuiles",
    stage="Étape {}",
    your_stages="Vos nombres",
    colon="\u00a0: ",
)

_ENGLISH = BoardWords(
    seen_by="Hexen Rennen race as * sees it",
    seen_by_all="Hexen Rennen race",
    start="Start",
    goal="Goal",
    your_turn="Your turn to fly",
    turn="*’s turn",
    your_symbol="On your symbol: you choose",
    symbol="On the symbol of *",
    all_divide="Everybody divides the tiles",
    you_win="You win",
    wins="* wins",
    win_together="The victory is shared",
    your_hand="Your hand",
    no_cards="no cards left",
    neutral="neutral clan, cards in its pile: {}",
    your_tiles="Your tiles",
    stage="Stage {}",
    your_stages="Your numbers",
    colon=": ",
)


def words_for(lang: Lang) -> BoardWords:
    """The words of a language."""
    return _FRENCH if lang == "fr" else _ENGLISH
