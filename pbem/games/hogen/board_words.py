"""The few words on a board of Hogen, short enough for their places."""

from dataclasses import dataclass

from pbem.games.hogen.cards import Call
from pbem.games.hogen.words import CLAN_NAMES
from pbem.kit.contract import Lang


@dataclass(frozen=True)
class BoardWords:
    """The words of one language. Of a pair the first is said to the viewer; * stands for another's name,
    ... for what is called."""

    seen_by: str
    seen_by_all: str
    seen_by_public: str
    palace: str
    hand: str
    ally: str
    out: str
    choosing: str
    your_hand: str
    your_hand_out: str
    your_ally: str
    hidden: tuple[str, ...]
    revealed: tuple[str, ...]
    to_choose: tuple[str, ...]
    all_choose: str
    plays: tuple[str, str]
    calls: tuple[str, str]
    answers: tuple[str, str]
    wins: tuple[str, str]
    nobody_wins: str
    won: str
    passes: str
    calling: str
    is_asked: str
    is_answering: str
    unanswered: str
    what_to_call: str
    what_hides: str
    not_allowed: str
    flat: str
    the_clan: str
    the_rank: str
    clan_names = CLAN_NAMES

    def wanted(self, call: Call) -> str:
        """What is called: a clan, a rank, or the card of both.

        >>> words_for("fr").wanted(Call(rank=4)), words_for("en").wanted(Call("M", 1))
        ('le rang 4', 'M1')
        """
        if call.clan is None:
            return self.the_rank.format(call.rank)
        return self.the_clan.format(CLAN_NAMES[call.clan]) if call.rank is None else f"{call.clan}{call.rank}"


_FRENCH = BoardWords(
    seen_by="Plateau de Hogen vu par {viewer}",
    seen_by_all="Plateau de Hogen, toutes les cartes ouvertes",
    seen_by_public="Plateau de Hogen vu par un spectateur",
    palace="Palais",
    hand="main",
    ally="alliée",
    out="hors jeu",
    choosing="choisit encore",
    your_hand="Votre main",
    your_hand_out="Votre main (hors jeu)",
    your_ally="Votre alliée",
    hidden=("cachée", "aux", "autres"),
    revealed=("montrée", "à tous"),
    to_choose=("à", "choisir"),
    all_choose="chacun choisit son alliée",
    plays=("à vous de jouer", "à * de jouer"),
    calls=("vous appelez …", "* appelle …"),
    answers=("à vous de répondre", "à * de répondre"),
    wins=("vous gagnez", "* gagne"),
    nobody_wins="personne ne gagne",
    won="gagne",
    passes="passe",
    calling="appelle",
    is_asked="joue",
    is_answering="répond",
    unanswered="sans réponse",
    what_to_call="Qu’appelez-vous ?",
    what_hides="Que cache * ?",
    not_allowed="Pas permis : {0} ou rang {1}, comme votre alliée.",
    flat="À plat, pas permis : déjà resté sans réponse.",
    the_clan="les {}",
    the_rank="le rang {}",
)

_ENGLISH = BoardWords(
    seen_by="Hogen board as {viewer} sees it",
    seen_by_all="Hogen board, all cards open",
    seen_by_public="Hogen board as a spectator sees it",
    palace="Palace",
    hand="hand",
    ally="ally",
    out="out",
    choosing="still choosing",
    your_hand="Your hand",
    your_hand_out="Your hand (out)",
    your_ally="Your ally",
    hidden=("hidden", "from", "others"),
    revealed=("shown", "to all"),
    to_choose=("to be", "chosen"),
    all_choose="everybody chooses an ally",
    plays=("your turn", "* to play"),
    calls=("you call …", "* calls …"),
    answers=("you must answer", "* must answer"),
    wins=("you win", "* wins"),
    nobody_wins="nobody wins",
    won="wins",
    passes="passes",
    calling="calls",
    is_asked="to play",
    is_answering="answers",
    unanswered="unanswered",
    what_to_call="What do you call for?",
    what_hides="What does * hide?",
    not_allowed="Not allowed: {0} or rank {1}, as your ally.",
    flat="Flat, not allowed: already left unanswered.",
    the_clan="the {}",
    the_rank="rank {}",
)


def words_for(lang: Lang) -> BoardWords:
    """The words of a language."""
    return _FRENCH if lang == "fr" else _ENGLISH
