"""The rules of Hagakure, in the order of RULES.*.md: who is asked, what comes by itself, and all that describes it.

Which moves are legal, and why others are not, stands in `facts`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace

from pbem.games.hagakure import facts, words
from pbem.games.hagakure import facts_cards as deck
from pbem.games.hagakure.facts import Keep, Look, Play, Raise, Swap
from pbem.games.hagakure.facts_state import (
    State,
    Terms,
    cards_seat_may_hold,
    is_tie_break_round,
    playable_cards,
    players_of_round,
    round_points_of_seat,
    seat_taking_trick,
)
from pbem.games.hagakure.orders import GUARDS, ORDERS, follow, typical
from pbem.games.hagakure.words import card_placeholder
from pbem.games.samurai import BOT_NAMES
from pbem.kit.answers import rows_of
from pbem.kit.assemble import kinds_in
from pbem.kit.chance import Chance, Luck
from pbem.kit.contract import Ask, Candidate, Cell, Deal, DrawKind, Mark, Order, Outcome, Pad, Phrase, Step
from pbem.kit.game.facts import Event
from pbem.kit.game.knowing import Knows
from pbem.kit.game.moves import Move, Question
from pbem.kit.game.rules import Game
from pbem.kit.notation import plain_text
from pbem.kit.orders.shapes import Always
from pbem.kit.texts import Lang, OptionText
from pbem.kit.words import T, put_in, say, step

ROUNDS = {3: 9, 4: 8, 5: 5}  # R2


def prompt_with_playable_cards(s: State, seat: int, lang: Lang) -> Phrase:
    """Returns which cards may be played, and why (3.2, 3.3)."""
    if not s.trick:
        which = words.trick_name(s, lang)
        return say(lang, f"Vous entamez le {which} : jouez ce que vous voulez.", f"You lead {which}: play any card.")
    if not deck.is_warrior(s.trick[0]):
        fr = "{leader} a entamé d’un villageois, {led} : jouez ce que vous voulez."
        en = "{leader} led a villager, {led}: play any card."
    elif not any(map(deck.is_warrior, playable_cards(s, seat))):
        fr = "{leader} a entamé avec {led}. Ni samouraï ni Vieux Fou : carte au choix."
        en = "{leader} led {led}. You have no samurai or Old Fool: play any card."
    else:
        fr = "{leader} a entamé avec {led} : jouez un samouraï ou un Vieux Fou."
        en = "{leader} led {led}: play a samurai or an Old Fool."
    return say(lang, fr, en).format(leader=put_in(s.leader), led=card_placeholder(s.trick[0]))


def _step_of_nobori(nobori: deck.Nobori, s: State, lang: Lang) -> Step:
    name, does = words.NOBORI_NAMES[nobori][lang], words.effect_of_nobori(nobori, s, lang)
    return step(nobori, say(lang, f"{name} : {does}", f"{name}: {does}"), lang)


def deal_for_luck_statistics(seats: int) -> Deal:
    """Returns what is dealt, for the statistics of luck."""
    title = T("Rang des cartes reçues (un Vieux Fou : 0)", "Rank of the cards dealt (an Old Fool: 0)")
    return Deal(title, deck.hand_size(seats), deck.cards_in_play(seats))


_MARKS = {"V": Mark("villager", "c4"), "S": Mark("samurai", "c1"), "F": Mark("fool", "c2")}
_PHASES: dict[type[Event], str] = {
    facts.Dealt: "scored", facts.Played: "play", facts.TrickWon: "play", facts.Scored: "play", facts.Ended: "scored",
}  # fmt: skip
"""The phase in which an event happens, if that is not the choice of Nobori."""

_TYPED = dict.fromkeys((" double", " times 2", " 2 times"), "double") | {" zero": "zero"}
_TYPED |= dict.fromkeys((" villager", " plus 2", " plus 2 villager", " villager plus 2"), "villagers")
_TO_SEAT = re.compile(r"[àÀ] +(?=[a-eA-E]\b)")
"""The French preposition before a seat; alone it is the letter, with an accent added by a phone."""
_BETWEEN = re.compile(r"\ba (?=(?:card|hand|player)s?\b)|\b(?:d|j|l|m|n|qu)'(?!s\b)|'(?:s|d|ll)\b")
"""The English article, which is no seat, and what an apostrophe cuts off."""


def _parse_card(text: str) -> int | None:
    """Returns the card of a number or of a fool, unless there is none or its letter names another kind.

    >>> _parse_card(" samurai 19"), _parse_card(" 7"), _parse_card(" fool"), _parse_card(" s 7"), _parse_card(" 0")
    (19, 7, 0, None, None)
    """
    digits, letter = "".join(filter(str.isdigit, text)), "".join(filter(str.isalpha, text))[:1].upper()
    name = deck.card_in_notation(int(digits)) if digits.strip("0") else "F" * (letter == "F")
    return int(digits or deck.FOOL) if name in deck.CARDS and name.startswith(letter) else None


class Hagakure(Game):
    """What `Meta` and the layer are told; the methods below are the rules."""

    slug, title, seats, minutes, ease = "hagakure", T("Hagakure", "Hagakure"), (3, 4, 5), 30, 1
    blurb = T(
        "Prenez des plis, et sortez vos cinq bannières au bon moment.",
        "Win tricks, and play your five banners at the right time.",
    )
    state, moves, events = State, kinds_in(facts, Move), kinds_in(facts, Event)
    questions = {
        "nobori": Question(
            T("À vous : une bannière ?", "Your turn: a banner?"),
            prompt=T("Jouez une bannière pour cette manche, ou aucune.", "Play one banner for this round, or none."),
            public=True,
            hint=T(
                "Chaque bannière ne sert qu’une fois : gardez-les pour une main très bonne ou très mauvaise.",
                "Each banner works only once: keep them for a very good hand or a very bad one.",
            ),
        ),
        "card": Question(
            T("À vous de jouer une carte", "Your turn to play a card"),
            prompt=prompt_with_playable_cards,
            hint=T(
                "La plus haute carte gagne le pli et un point, mais finir la manche sans aucun pli en coûte deux.",
                "The highest card takes the trick and a point, but ending the round without any trick costs two.",
            ),
        ),
    }
    endings = {"points": T("le plus de points", "most points"), "shared": T("victoire partagée", "a shared victory")}
    draws = {
        "dealer": DrawKind(T("Qui donne en premier", "Who deals first"), chooses_seat=True),
        "deal": DrawKind(T("Donne", "Deal"), deal=deal_for_luck_statistics),
        "tie": DrawKind(T("Donne d’un départage", "Deal of a tie-break")),
    }
    orders, guards, sittings = ORDERS, GUARDS, (("nobori", "card"),)
    # At most 30 rounds; with five players each has 5 Nobori decisions and 20 cards, with fewer there are less.
    bound = 750
    options = Terms
    option_texts = {
        "rounds": OptionText(
            T("Manches", "Rounds"),
            T(
                "D’habitude 9 à trois joueurs, 8 à quatre, 5 à cinq.",
                "Usually 9 with three players, 8 with four, 5 with five.",
            ),
            {"null": T("Comme d’habitude", "As usual")},
        ),
        "extra_rounds": OptionText(
            T("Manches de plus, au plus", "Extra rounds at most"),
            T(
                "Pour départager les premiers ; après, la victoire est partagée. Moins de 10 est une variante maison.",
                "To break a tie between the leaders; then they share the victory. Less than 10 is a house variant.",
            ),
        ),
        "villagers": OptionText(
            T("Bannière Villageois", "Villagers banner"),
            T(
                "Le nombre de villageois qu’elle demande dans vos plis : 4, ou 5 à cinq joueurs.",
                "The number of villagers it asks for in your tricks: 4, or 5 with five players.",
            ),
            {"least": T("Ce nombre ou plus", "That many or more"), "exact": T("Ce nombre exact", "Exactly that many")},
        ),
        "tie_break": OptionText(
            T("Départage", "Tie-break"),
            T(
                "Qui joue une manche de plus quand les premiers sont à égalité.",
                "Who plays an extra round when the leaders are tied.",
            ),
            {"all": T("Tout le monde", "Everyone"), "leaders": T("Les premiers seulement", "The leaders alone")},
        ),
    }
    samples = (Terms(1, 0), Terms(1, 1), Terms(3), Terms(7, 2), Terms(2, 1, "exact"), Terms(1, 3, "least", "leaders"))
    fold = 2
    foresees = False  # the board shows what was done, and the label what follows
    marks, bot_names = {card: _MARKS[card[0]] for card in deck.CARDS}, BOT_NAMES
    shapes = ("portrait", "landscape", "low", "pad")
    _made: ClassVar[dict[Any, Sequence[Any]]] = {}

    # --- the rules, by the numbers of RULES.*.md -------------------------------------------------------------

    def begin(self, seats: int, options: Terms, luck: Luck) -> facts.Dealt:
        """Draws the first dealer by lot, and deals (2.1)."""
        rounds = options.rounds or ROUNDS[seats]
        dealer = luck.named("dealer").below(seats)
        hands, yomi = self._deal_hands_and_yomi(seats, range(seats), luck.named("deal:r1"))
        exact, among_leaders = options.villagers == "exact", options.tie_break == "leaders"
        return facts.Dealt(1, rounds, rounds + options.extra_rounds, dealer, hands, yomi, exact, among_leaders)

    def _deal_hands_and_yomi(
        self, seats: int, players: Sequence[int], chance: Chance
    ) -> tuple[tuple[deck.Hand, ...], deck.Hand]:
        """Returns the hands of a round, empty for those who sit out, and its Yomi; other cards are put away unseen."""
        cards, size = chance.shuffled(deck.cards_in_play(seats)), deck.hand_size(seats)
        piles = iter([cards[at : at + size] for at in range(0, len(cards), size)])
        return tuple(next(piles) if seat in players else () for seat in range(seats)), next(piles)

    def asks(self, s: State) -> Sequence[Ask]:
        """Asks for a Nobori or none (2.2), or for a card (3.1), one seat at a time.

        A key ends in the round, and for a card in the trick; it begins with the stretch of questions that one seat
        answers in a row.
        """
        if s.phase == "nobori":
            kind, what = "nobori", f"nobori{s.number}"
        elif s.phase == "play":
            kind, what = "card", f"card{s.number}-{sum(s.tricks) + 1}"
        else:
            return ()
        turn = f"t{s.stretch + (s.active != s.answered)}"
        return (Ask(s.active, f"{turn}.{what}", turn, kind),)

    def next_fact(self, s: State, k: Knows, since: Sequence[Event]) -> Event | None:
        """Returns that a seat has no Nobori, who takes a trick, the last cards, the score, the next deal or the end."""
        seat = s.active
        if s.phase == "nobori":
            return None if s.nobori[seat] else facts.Skipped(seat)  # 2.6
        if s.phase == "play":
            if len(s.trick) == len(s.players):
                return facts.TrickWon(seat_taking_trick(s, s.trick))  # 3.4
            hand = s.hands[seat]
            if len(hand) > 1:
                return None
            if not hand:
                return facts.Scored(tuple(round_points_of_seat(s, one) for one in range(s.seats)))  # 4
            return facts.Played(seat, k.value(hand[0], cards_seat_may_hold(s, seat)))  # 3.5
        if ended := facts.end_after_round(s):
            return ended  # 5
        number, dealer = s.number + 1, (s.dealer + 1) % s.seats
        kind = "tie" if is_tie_break_round(s, number) else "deal"
        hands, yomi = self._deal_hands_and_yomi(s.seats, players_of_round(s, number), k.named(f"{kind}:r{number}"))
        return facts.Dealt(number, s.rounds, s.last, dealer, hands, yomi, s.exact, s.among_leaders)  # 2.1

    def legal(self, s: State, seat: int) -> Sequence[Any]:
        """Returns the moves of the seat that is asked; those with the same Nobori left are made once."""
        if s.phase != "nobori" or seat != s.active:
            return super().legal(s, seat)
        key = s.players, seat, s.nobori[seat]
        if key not in self._made:
            self._made[key] = super().legal(s, seat)
        return self._made[key]

    def check_event(self, s: State | None, event: Any) -> None:
        """Refuses what comes at another time, and a deal that is not the next one."""
        if isinstance(event, facts.Dealt) and len(event.players) < 2:
            raise ValueError("a round has two players at least")
        if s is None:
            if not isinstance(event, facts.Dealt):
                raise ValueError("a log of Hagakure begins with the deal")
        elif s.phase != _PHASES.get(type(event), "nobori"):
            raise ValueError(f"{type(event).__name__} does not happen while the phase is {s.phase}")
        elif isinstance(event, facts.Dealt) and (len(event.hands), event.number) != (s.seats, s.number + 1):
            raise ValueError("this is not the deal that follows")
        elif isinstance(event, facts.TrickWon) and event.seat not in s.players:
            raise ValueError("this seat does not play in this round")

    def outcome(self, s: State) -> Outcome | None:
        """Returns who has most points; several if the rounds to break the tie are used up (R16)."""
        return None if s.over is None else Outcome(s.over, s.winners, s.totals)

    def scores(self, s: State) -> tuple[int, ...]:
        """Returns the points of each seat after the rounds that are over."""
        return s.totals

    def round_of(self, fold: State, /) -> int:
        """Returns the number of the round."""
        return fold.number

    def fallback(self, fold: State, seat: int, chance: Chance) -> Move:
        """Returns no Nobori, or any playable card, each as likely: a fixed order would reveal what the seat lacks."""
        return Keep() if fold.phase == "nobori" else Play(chance.pick(playable_cards(fold, seat)))

    # --- orders ----------------------------------------------------------------------------------------------

    follow, typical = staticmethod(follow), staticmethod(typical)

    def check_order(self, order: Order, fold: State, seat: int, /) -> None:
        """Refuses what the seat can never play. A list for longer than a question passes over a Nobori that is used."""
        once = isinstance(order, Always) or order.scope == "question"
        super().check_order(order, fold if once else replace(fold, nobori=(deck.NOBORI,) * fold.seats), seat)

    # --- moves as they are typed (8): seats A to E -----------------------------------------------------------

    hint = T(
        "Écrivez par exemple : none (aucune bannière) · double · zero · villageois · échange · regarde yomi ou "
        "regarde B (une place) · joue 19, joue V7 ou joue F (Vieux Fou). V : villageois, 1 à 17 ; S : samouraï, 18 à "
        "27.",
        "Write for example: none (no banner) · double · zero · villagers · swap · look yomi or look B (a seat) · "
        "play 19, play V7 or play F (Old Fool). V: villager, 1 to 17; S: samurai, 18 to 27.",
    )
    kinds = {
        "nobori": ("|".join(_TYPED), _TYPED.get),
        # "4 villagers" may be a Nobori.
        "card": (" fool|(?: villager| v| samurai| s)? [0-9]{1,2}| [0-9]{1,2} (?:v|samurai|s)", _parse_card),
    }
    vocabulary = {
        "none": "none no non rien aucun aucune sans pas keep garde garder pass passe passer skip nothing without",
        "double": "double doubler doubles doubled twice",
        "zero": "zero null nul cancel annule annuler",
        "villager": "villager villagers villageois villageoise",
        "samurai": "samurai samourai samurais samourais",
        "fool": "fool fools fou fous f oldfool vieuxfou",
        "swap": "swap swaps echange echanger echanges exchange troque troquer troc change changer",
        "look": "look looks regarde regarder regard see sees peek spy vois voir espionne espionner observe observer",
        "yomi": "yomi",
        "play": "play plays joue jouer pose poser mets mettre entame entamer lay lays put lead leads",
        "times": "x",
    }
    fillers = (
        "against all an and at avec banner banniere card cards carte cartes ce cette chez contre de des du et fois "
        "for from hand her his i il in into je jeton jetons joueur la le les let leur like m ma main manche me mes "
        "mon my n ne nobori number numero of old on place player please point points pour round sa seat ses son svp "
        "the their this to token tokens tour tout toute toutes turn un une use utilise vais veux vieille vieux "
        "voudrais want will with would your"
    )

    def plain(self, text: str) -> str:
        """Returns what was typed, without what a seat or a letter of a card could be mistaken for.

        >>> RULES.plain("Je regarde la main à B"), RULES.plain("J’échange !"), RULES.plain("×2")
        ('je regarde la main b', ' echange !', 'x2')
        """
        return _BETWEEN.sub(" ", plain_text(_TO_SEAT.sub(" ", text).replace("×", "x").replace("+", " plus ")))

    def format(self, move: Move) -> str:
        """Returns the move in short notation: `none`, `double`, `swap`, `look yomi`, `look B`, `play S19`, `play F`."""
        match move:
            case Look(None):
                return "look yomi"
            case Play(number):
                return f"play {deck.card_in_notation(number)}"
        return super().format(move)

    # --- offered ---------------------------------------------------------------------------------------------

    def path(self, move: Move, fold: State, lang: Lang) -> tuple[Step, ...]:
        """Returns the steps to a move: one, and for a look a second one that names its target."""
        word = self.format(move).replace(" ", "-")
        match move:
            case Raise(nobori):
                return (_step_of_nobori(nobori, fold, lang),)
            case Swap():
                return (_step_of_nobori("swap", fold, lang),)
            case Look(target):
                what = words.look_target_in_words(target, lang)
                return (_step_of_nobori("look", fold, lang), step(word, what[:1].upper() + what[1:], lang))
            case Play(number):
                return (step(word, say(lang, "Jouer ", "Play ") + words.card_in_words(number, lang), lang),)
        return super().path(move, fold, lang)

    def candidates(self, ask: Ask, fold: State, lang: Lang) -> Iterator[Candidate]:
        """Yields all five Nobori, or every card of the hand."""
        if ask.kind == "nobori":
            moves = (*map(Raise, deck.SIGNS), Swap(), Look(None))
            yield from (
                Candidate(words.NOBORI_NAMES[nobori][lang], move)
                for nobori, move in zip(deck.NOBORI, moves, strict=True)
            )
        else:
            yield from super().candidates(ask, fold, lang)

    def pad(self, ask: Ask, fold: State, lang: Lang) -> Pad:
        """Returns the answers in short: the names of the Nobori that are left; the cards of the hand."""
        title = say(lang, "Jouez…", "Play…")
        if ask.kind == "nobori":
            left = fold.nobori[ask.seat]
            names = (Cell(words.NOBORI_NAMES[nobori][lang], (_step_of_nobori(nobori, fold, lang),)) for nobori in left)
            return Pad(title, (*rows_of(names, 2), (Cell(words.NO_BANNER[lang], self.path(Keep(), fold, lang)),)))
        may, every = Play.legal(fold, ask.seat), Play.every(fold, ask.seat)
        cells = (Cell(move.short(lang), self.path(move, fold, lang) if move in may else None) for move in every)
        return Pad(
            title, rows_of(cells, 4), "" if len(may) == len(every) else prompt_with_playable_cards(fold, ask.seat, lang)
        )


RULES = Hagakure()
