"""The few words on a board of Allégeance, short enough for their places."""

from dataclasses import dataclass

from pbem.rules.contract import Lang


@dataclass(frozen=True)
class BoardWords:
    """The words of one language."""

    seen_by: str
    seen_by_all: str
    seen_by_public: str
    door: str
    palace: str
    announcement: str
    left: str
    empty: str
    card: str
    cards: str
    by: str
    right: str
    your_turn: str
    turn_of: str
    banned: str
    below: str
    your_hand: str
    no_cards: str
    to_announce: str
    wins: str

    def count(self, number: int) -> str:
        """So many cards.

        >>> words_for("fr").count(1), words_for("en").count(5)
        ('1 carte', '5 cards')
        """
        return f"{number} {self.card if number == 1 else self.cards}"


_FRENCH = BoardWords(
    seen_by="Plateau d’Allégeance vu par {viewer}",
    seen_by_all="Plateau d’Allégeance, toutes les mains ouvertes",
    seen_by_public="Plateau d’Allégeance vu par un spectateur",
    door="Porte",
    palace="Palais",
    announcement="Annonce",
    left="reste {}",
    empty="vide",
    card="carte",
    cards="cartes",
    by="par {}",
    right="juste",
    your_turn="à vous",
    turn_of="à {}",
    banned="pas permis",
    below="Sous la carte du Palais, de haut en bas",
    your_hand="Votre main",
    no_cards="vide",
    to_announce="Qui entre ?",
    wins="gagne",
)

_ENGLISH = BoardWords(
    seen_by="Allégeance board as {viewer} sees it",
    seen_by_all="Allégeance board, all hands open",
    seen_by_public="Allégeance board as a spectator sees it",
    door="Door",
    palace="Palace",
    announcement="Announced",
    left="{} left",
    empty="empty",
    card="card",
    cards="cards",
    by="by {}",
    right="right",
    your_turn="your turn",
    turn_of="{} to play",
    banned="not allowed",
    below="Under the card of the Palace, from the top",
    your_hand="Your hand",
    no_cards="empty",
    to_announce="Who comes in?",
    wins="wins",
)


def words_for(lang: Lang) -> BoardWords:
    """The words of a language."""
    return _FRENCH if lang == "fr" else _ENGLISH
