"""The few words on a board of Hexen Rennen."""

from dataclasses import dataclass

from pbem.kit.contract import Lang


@dataclass(frozen=True)
class BoardWords:
    """The words of one language. * stands for the name of somebody other than the viewer."""

    seen_by: str
    seen_by_all: str
    start: str
    goal: str
    your_turn: str
    turn: str
    you_fly: str
    flies: str
    your_symbol: str
    symbol: str
    all_divide: str
    you_win: str
    wins: str
    win_together: str
    your_hand: str
    none: str
    points: str
    cards: str
    tiles: str
    divided: str
    dividing: str
    your_duty: str
    duty: str
    neutral: str
    your_tiles: str
    stage: str
    your_stages: str


_FRENCH = BoardWords(
    seen_by="Course de Hexen Rennen vue par *",
    seen_by_all="Course de Hexen Rennen",
    start="Départ",
    goal="Arrivée",
    your_turn="À vous de voler",
    turn="À * de voler",
    you_fly="Votre sorcière vole",
    flies="* fait voler une sorcière",
    your_symbol="Sur votre symbole\u00a0: à vous de choisir",
    symbol="* peut jouer une carte",
    all_divide="Chacun répartit ses tuiles",
    you_win="Vous gagnez",
    wins="* gagne",
    win_together="Victoire partagée",
    your_hand="Quelle carte\u00a0?",
    none="aucune",
    points="points",
    cards="cartes restantes",
    tiles="tuiles {}-{}",
    divided="a réparti",
    dividing="répartit encore",
    your_duty="Sur votre symbole : une carte, il le faut",
    duty="* doit jouer une carte",
    neutral="neutre",
    your_tiles="Vos tuiles",
    stage="Étape {}",
    your_stages="Vos nombres",
)

_ENGLISH = BoardWords(
    seen_by="Hexen Rennen race as * sees it",
    seen_by_all="Hexen Rennen race",
    start="Start",
    goal="Goal",
    your_turn="Your turn to fly",
    turn="* to fly",
    you_fly="Your witch flies",
    flies="* flies a witch",
    your_symbol="On your symbol: you choose",
    symbol="* may play a card",
    all_divide="Everybody divides the tiles",
    you_win="You win",
    wins="* wins",
    win_together="The victory is shared",
    your_hand="Which card?",
    none="none",
    points="points",
    cards="cards left",
    tiles="tiles {}-{}",
    divided="has divided",
    dividing="still divides",
    your_duty="On your symbol: you must play a card",
    duty="* must play a card",
    neutral="neutral",
    your_tiles="Your tiles",
    stage="Stage {}",
    your_stages="Your numbers",
)


def words_for(lang: Lang) -> BoardWords:
    """The words of a language."""
    return _FRENCH if lang == "fr" else _ENGLISH
