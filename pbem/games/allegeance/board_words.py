"""The few words on a board of Allégeance, short enough for their places."""

from dataclasses import dataclass

from pbem.kit.contract import Lang, Viewer


@dataclass(frozen=True)
class BoardWords:
    """The words of one language. Of a pair the first is said to the viewer; * stands for another's name."""

    seen_by: str
    seen_by_all: str
    seen_by_public: str
    door: str
    palace: str
    announcement: str
    remaining: str
    empty: str
    card: str
    cards: str
    by: tuple[str, str]
    right: str
    match_begins: str
    round: str
    turn: str
    round_ended: str
    ended: str
    begins: tuple[str, str]
    announces: tuple[str, str]
    gives: tuple[str, str]
    challenge_or_not: str
    others_answer: str
    challenge: str
    leave_be: str
    has_answered: str
    has_challenged: str
    has_passed: str
    banned: str
    just_said: str
    why_one: str
    why_two: str
    both: str
    below: str
    your_hand: str
    your_tokens: str
    no_cards: str
    to_announce: str
    you_win: str
    wins: str
    win: str

    def count(self, number: int) -> str:
        """So many cards.

        >>> words_for("fr").count(1), words_for("en").count(5)
        ('1 carte', '5 cards')
        """
        return f"{number} {self.card if number == 1 else self.cards}"

    def hand_of(self, number: int) -> str:
        """How large a hand is."""
        return self.count(number) if number else self.empty

    def left(self, number: int) -> str:
        """How many cards are left behind the Door."""
        return self.remaining.format(number) if number else self.empty

    def why_not(self, number: int) -> str:
        """Why one announcement, or two, are not allowed."""
        return self.why_one if number == 1 else self.why_two

    def winners(self, seats: tuple[int, ...], viewer: Viewer) -> str:
        """Who has won, by name as long as there is room.

        >>> words_for("fr").winners((1,), 0), words_for("en").winners((0, 1), 0), words_for("en").winners((0,), 0)
        ('{1:12} gagne', '{0:8}, {1:8} win', 'you win')
        """
        if seats == (viewer,):
            return self.you_win
        room = {1: 12, 2: 8}.get(len(seats), 5)
        names = ", ".join(f"{{{seat}:{room}}}" for seat in seats)
        return f"{names} {self.wins if len(seats) == 1 else self.win}"


_FRENCH = BoardWords(
    seen_by="Plateau d’Allégeance vu par {viewer}",
    seen_by_all="Plateau d’Allégeance, toutes les mains ouvertes",
    seen_by_public="Plateau d’Allégeance vu par un spectateur",
    door="Porte",
    palace="Palais",
    announcement="Annonce",
    remaining="reste {}",
    empty="vide",
    card="carte",
    cards="cartes",
    by=("par vous", "par *"),
    right="c’est juste",
    match_begins="La partie commence",
    round="Manche {}",
    turn="Manche {}, tour {}/16",
    round_ended="Manche {} finie",
    ended="Partie finie",
    begins=("vous commencez", "* commence"),
    announces=("à vous d’annoncer", "à * d’annoncer"),
    gives=("à vous de donner", "à * de donner"),
    challenge_or_not="contester ou non ?",
    others_answer="les autres répondent",
    challenge="Contester",
    leave_be="Laisser passer",
    has_answered="Vous avez répondu.",
    has_challenged="Votre réponse, scellée : contester.",
    has_passed="Votre réponse, scellée : laisser passer.",
    banned="pas permis :",
    just_said="déjà annoncé",
    why_one="Pas permis : {}, qui vient d’être annoncée.",
    why_two="Pas permis : {}, qui viennent d’être annoncées.",
    both=" et ",
    below="Sous la carte du Palais, de haut en bas",
    your_hand="Votre main",
    your_tokens="vos jetons",
    no_cards="aucune carte",
    to_announce="Qui entre ?",
    you_win="vous gagnez",
    wins="gagne",
    win="gagnent",
)

_ENGLISH = BoardWords(
    seen_by="Allégeance board as {viewer} sees it",
    seen_by_all="Allégeance board, all hands open",
    seen_by_public="Allégeance board as a spectator sees it",
    door="Door",
    palace="Palace",
    announcement="Announced",
    remaining="{} left",
    empty="empty",
    card="card",
    cards="cards",
    by=("by you", "by *"),
    right="that is right",
    match_begins="The match begins",
    round="Round {}",
    turn="Round {}, turn {}/16",
    round_ended="Round {} is over",
    ended="The match is over",
    begins=("you begin", "* begins"),
    announces=("you announce", "* to announce"),
    gives=("you give it away", "* to give"),
    challenge_or_not="challenge or not?",
    others_answer="the others answer",
    challenge="Challenge",
    leave_be="Let it pass",
    has_answered="You have answered.",
    has_challenged="Your answer, sealed: challenge.",
    has_passed="Your answer, sealed: let it pass.",
    banned="not allowed:",
    just_said="just announced",
    why_one="Not allowed: {}, which has just been announced.",
    why_two="Not allowed: {}, which have just been announced.",
    both=" and ",
    below="Under the card of the Palace, from the top",
    your_hand="Your hand",
    your_tokens="your tokens",
    no_cards="no card",
    to_announce="Who comes in?",
    you_win="you win",
    wins="wins",
    win="win",
)


def words_for(lang: Lang) -> BoardWords:
    """The words of a language."""
    return _FRENCH if lang == "fr" else _ENGLISH
