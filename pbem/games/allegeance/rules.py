"""The rules of Allégeance, in the order of RULES.*.md: who is asked, what comes by itself, and what describes it.

Which moves are legal, and why others are not, stands in `facts`.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from pbem.games.allegeance import facts, notation
from pbem.games.allegeance.facts import (
    Announce,
    Challenge,
    LetPass,
    announcements_of_unseen_cards,
    gifts_to_seats_with_fewest_cards,
)
from pbem.games.allegeance.facts_state import (
    MOST_TIES,
    USUAL_TARGET,
    State,
    Table,
    match_winners_after_round,
    seats_clockwise_after_active,
)
from pbem.games.allegeance.orders import GUARDS, ORDERS, Next, follow, typical
from pbem.games.allegeance.words import NOT_NOW
from pbem.games.samurai import BOT_NAMES, CARDS, MARKS, names_of_known_cards
from pbem.kit.answers import rows_of
from pbem.kit.assemble import kinds_in
from pbem.kit.chance import Chance, Luck
from pbem.kit.contract import Ask, Candidate, Cell, DrawKind, Order, Outcome, Pad, Phrase
from pbem.kit.game.facts import Event
from pbem.kit.game.knowing import Knows
from pbem.kit.game.moves import Move, Question
from pbem.kit.game.rules import Game
from pbem.kit.orders.shapes import moves_of
from pbem.kit.texts import Lang, OptionText, Text
from pbem.kit.words import OR, T, joined, put_in, say


def prompt_with_banned_cards(s: State, seat: int, lang: Lang) -> Phrase:
    """Asks for an announcement, but not of what is banned (3.2)."""
    banned = [put_in(card) for card in s.banned if card is not None]
    but = say(lang, f", sauf {joined(banned, lang)}", f", but not {joined(banned, lang, OR)}") if banned else ""
    return say(lang, f"Nommez la prochaine carte de la Porte{but}.", f"Name the next card of the Door{but}.")


def prompt_with_announcement(s: State, seat: int, lang: Lang) -> Phrase:
    """Says which card was announced and which one came; of a card in the seat's own hand nothing needs to be asked."""
    fr = "{who} a annoncé {card}, la Porte a livré {revealed}. {card} est-elle déjà sortie ?"
    en = "{who} announced {card}, the Door gave {revealed}. Is {card} already out?"
    if s.announced in s.hands[seat]:
        fr = "{who} a annoncé {card}, qui est dans votre main ; la Porte a livré {revealed}."
        en = "{who} announced {card}, which is in your hand; the Door gave {revealed}."
    who, card, revealed = map(put_in, (s.active, s.announced, s.palace[-1]))
    return say(lang, fr, en).format(who=who, card=card, revealed=revealed)


_RIGHT = T(
    "C’est juste : donnez {card} à un autre joueur, qui la garde en main.",
    "You are right: give {card} to another player, who keeps it in hand.",
)
_PADS = {
    "announce": T("Qui est derrière la Porte ?", "Who is behind the Door?"),
    "give": T("Donnez {} à…", "Give {} to…"),
    "answer": T("{} est-elle déjà sortie ?", "Is {} already out?"),
}
_PHASES: dict[type[Event], str] = {
    facts.RoundBegan: "round", facts.TurnBegan: "turn", facts.Announced: "announce", facts.Hit: "reveal",
    facts.Missed: "reveal", facts.Given: "give", facts.Answered: "window", facts.Unchallenged: "window",
    facts.Caught: "window", facts.Mistaken: "window", facts.RoundEnded: "turn", facts.TargetRaised: "round",
    facts.MatchWon: "round",
}  # fmt: skip
"""The phase in which each event happens; any other order comes from a made-up log."""


class Allegeance(Game):
    """What `Meta` and the layer are told; the methods below are the rules."""

    slug, title, seats, minutes, ease = "allegeance", T("Hogen : Allégeance", "Hogen: Allégeance"), (2, 3, 4), 10, 1
    blurb = T(
        "Retenez qui est sorti, annoncez qui sort, et prenez le moins de cartes.",
        "Remember who came out, announce who comes next, and take the fewest cards.",
    )
    state, moves, events = State, kinds_in(facts, Move), kinds_in(facts, Event)
    questions = {
        "announce": Question(
            T("À vous d’annoncer", "Your turn to announce"),
            prompt=prompt_with_banned_cards,
            hint=T(
                "Devinez la carte du dessus de la Porte. Mieux vaut en nommer une que vous n’avez pas encore "
                "vue sortir.",
                "Guess the top card of the Door. It is best to name one that you have not seen come out yet.",
            ),
        ),
        "give": Question(
            T("À vous de donner la carte", "Your turn: give it away"),
            prompt=lambda s, seat, lang: _RIGHT[lang].format(card=put_in(s.drawn)),
            hint=T(
                "Choisissez qui prend la carte : le joueur qui en a le moins gagne la manche.",
                "Choose who gets the card: the player with the fewest cards wins the round.",
            ),
        ),
        "answer": Question(
            T("À vous : contester ?", "Your turn: challenge?"),
            prompt=prompt_with_announcement,
            window=True,
            always=(Challenge(), LetPass()),
            hint=T(
                "Contestez si la carte annoncée est déjà sortie, au Palais ou dans une main : l’autre joueur la prend "
                "avec la carte révélée. Si vous avez tort, c’est vous qui prenez la carte révélée.",
                "Challenge if the announced card is already out, in the Palace or in a hand: the announcer takes it "
                "and the revealed card. If you are wrong, you take the revealed card.",
            ),
        ),
    }
    endings = {
        "won": T("un joueur a réuni les jetons nécessaires", "one player has the tokens needed to win"),
        "shared": T("victoire partagée", "shared victory"),
    }
    draws = {
        "first": DrawKind(T("Qui commence", "Who begins"), chooses_seat=True),
        "door": DrawKind(T("Ordre de la Porte", "Order of the Door")),
    }
    traits, orders, guards = frozenset({"simultaneous"}), ORDERS, GUARDS
    sittings = (("announce", "give"), ("answer", "announce"))
    # At most 4 x (5 + 5 - 1) + 1 rounds of 16 turns, each with an announcement and three answers.
    bound = 2368
    options = Table
    option_texts = {
        "target": OptionText(
            T("Jetons pour gagner", "Tokens to win"),
            T(
                "La règle dit 5 à deux joueurs, 4 à trois, 3 à quatre. Un autre nombre est une variante maison ; avec "
                "moins, la partie est plus courte.",
                "By the rules 5 with two players, 4 with three, 3 with four. Another number is a house variant; fewer "
                "make a shorter match.",
            ),
            {"null": T("Comme dans la règle", "As in the rules")},
        ),
        "memory": OptionText(
            T("Mémoire", "Memory"),
            T(
                "Les cartes vues puis recouvertes : à retenir de mémoire, ou toujours visibles. En plusieurs jours, on "
                "oublie vite.",
                "Whether cards that were shown and then covered can be read again. Over several days they are quickly "
                "forgotten.",
            ),
            {
                "closed": T("Fermée : chacun retient ce qu’il peut", "Closed: everybody remembers what they can"),
                "open": T(
                    "Ouverte, une variante maison : tout peut être relu",
                    "Open, a house variant: everything can be read again",
                ),
            },
        ),
        "ties": OptionText(
            T("Égalité à la fin", "A tie at the end"),
            T(
                "Quand plusieurs joueurs ont les jetons pour gagner après la même manche. La règle n’en dit rien : ils "
                "gagnent ensemble. Une manche de plus allonge la partie.",
                "When several players have the tokens to win after the same round. The rules say nothing, so they win "
                "together. Another round makes the match longer.",
            ),
            {
                "shared": T("Victoire partagée", "Shared victory"),
                "round": T(
                    "Une variante maison : il faut un jeton de plus, on joue une autre manche",
                    "A house variant: one more token is needed, another round is played",
                ),
            },
        ),
    }
    samples = (
        Table(target=1), Table(target=2, memory="open"), Table(target=5), Table(target=1, ties="round"),
        Table(memory="open", ties="round"),
    )  # fmt: skip
    marks, bot_names, bot_version, fold = MARKS, BOT_NAMES, 2, 2
    shapes, weights = ("portrait", "landscape", "low", "pad"), {"Challenge": 1, "LetPass": 2}
    foresees = False  # the board shows what was done, and the label what follows
    hint, parse = notation.HINT, staticmethod(notation.parse)

    def hides_in_windows(self, options: Table) -> bool:
        """With closed memory an answer tells what the seat remembers (8.2)."""
        return options.memory == "closed"

    def silence(self, options: Table) -> Text | None:
        """What the rules forbid to tell (8.6)."""
        if options.memory == "open":
            return None
        return T(
            "La règle demande le silence : regardez la carte qu’on vous donne, mais ne la montrez pas et ne dites pas "
            "laquelle c’est (8.6).",
            "The rules ask for silence: look at a card that you are given, but do not show it or say which one it is "
            "(8.6).",
        )

    # --- the rules, by the numbers of RULES.*.md -------------------------------------------------------------

    def begin(self, seats: int, options: Table, luck: Luck) -> facts.MatchBegan:
        """Says how many tokens win (1.3), and how often a tie is broken (7.3)."""
        target, ties = options.target or USUAL_TARGET[seats], MOST_TIES if options.ties == "round" else 0
        return facts.MatchBegan(seats, target, options.memory == "open", ties)

    def asks(self, s: State) -> Sequence[Ask]:
        """Asks the active seat; in a window, all others who have not answered (5.2)."""
        phase, turn = s.phase, f"r{s.round}.t{s.turn}"
        if phase == "window":
            return [
                Ask(one, f"{turn}.answer{one}", turn, "answer")
                for one in seats_clockwise_after_active(s)
                if not s.answered[one]
            ]
        return (Ask(s.active, f"{turn}.{phase}", turn, phase),) if phase in ("announce", "give") else ()

    def next_fact(self, s: State, k: Knows, since: Sequence[Event]) -> Event | None:
        """Returns a round or a turn, what the Door gives, the only gift, how a window closes, and both ends."""
        match s.phase:
            case "reveal":
                drawn = k.uncover(s.door[0], ())  # 3.1
                return facts.Hit(s.open, drawn) if drawn == s.announced else facts.Missed(s.open, drawn, s.palace[-1:])
            case "window":
                return _end_of_window_once_certain(s, k)
            case "give":
                return facts.Given(s.active, 1 - s.active, s.open, s.drawn) if s.seats == 2 else None  # 4.2
            case "turn" if not s.door:
                fewest = min(map(len, s.hands))
                return facts.RoundEnded(tuple(seat for seat, hand in enumerate(s.hands) if len(hand) == fewest))  # 6.1
            case "turn" if len(s.door) == len(CARDS):
                return facts.TurnBegan(s.first, s.open, (), (), s.hands)  # 2.2, R11
            case "turn":
                banned = (*s.banned, s.announced)[-2:] if s.seats == 2 else (s.announced,)  # 3.2
                return facts.TurnBegan((s.active + 1) % s.seats, s.open, s.palace[-1:], banned, s.hands)
            case "round":
                won = match_winners_after_round(s)
                if won:
                    return facts.MatchWon(won)  # 7.1, 7.2
                if max(s.tokens) >= s.target:
                    return facts.TargetRaised()  # 7.3
                first = (s.first + 1) % s.seats if s.round else k.named("first").below(s.seats)  # 2.3, R6
                return facts.RoundBegan(first, k.named(f"door:r{s.round + 1}").shuffled(CARDS))
        return None

    def check_event(self, s: State | None, event: Any) -> None:
        """Refuses what comes at another time."""
        if s is None and not isinstance(event, facts.MatchBegan):
            raise ValueError("a log of Allégeance begins with the match")
        if s is not None and _PHASES.get(type(event)) != s.phase:
            raise ValueError(f"{type(event).__name__} cannot happen now")

    def outcome(self, s: State) -> Outcome | None:
        """Returns who has the tokens to win; several at once share the victory (R8), unless a tie is broken (R18)."""
        if s.phase != "over":
            return None
        return Outcome("won" if len(s.winners) == 1 else "shared", s.winners, s.tokens)

    def scores(self, s: State) -> tuple[int, ...]:
        """Returns the tokens of each seat."""
        return s.tokens

    def round_of(self, fold: State, /) -> int:
        """Returns the number of the round."""
        return fold.round

    def fallback(self, fold: State, seat: int, chance: Chance) -> Move:
        """Returns the announcement of a card not seen to be out, a gift to the poorest, or a pass (R17)."""
        if fold.phase == "window":
            return LetPass()
        return chance.pick(
            gifts_to_seats_with_fewest_cards(fold, seat)
            if fold.phase == "give"
            else announcements_of_unseen_cards(fold, seat)
        )

    def supposable(self, fold: State, viewer: int, since: Sequence[Any]) -> Sequence[Event] | None:
        """Returns () where somebody is asked; None where the Door, the only gift (4.2) or a turn comes first.

        After an answer it may be certain who challenges: then the window is over, but who knows?
        """
        if since and isinstance(since[-1], facts.Answered):
            return None
        asked = fold.phase in ("announce", "window", "over") or (fold.phase == "give" and fold.seats > 2)
        return () if asked else None

    # --- orders ----------------------------------------------------------------------------------------------

    follow, typical = staticmethod(follow), staticmethod(typical)

    def check_order(self, order: Order, fold: State, seat: int, /) -> None:
        """Refuses gifts to nobody, and announcements beyond the next one, unless everything can be read again anyway.

        A list from which banned and useless cards fall out by themselves would remember for its owner.
        """
        super().check_order(order, fold, seat)
        announces = isinstance(order, Next) or any(isinstance(move, Announce) for move in moves_of(order))
        if announces and not fold.open and order.scope != "question":
            raise Announce.next_only()

    def answers(self, kind: str, fold: State, seat: int, /) -> Sequence[Any]:
        """Returns the announcement of each card, each other seat to give a card to, or both ways to react."""
        return [LetPass(), Challenge()] if kind == "answer" else super().answers(kind, fold, seat)

    # --- offered ---------------------------------------------------------------------------------------------

    def candidates(self, ask: Ask, fold: State, lang: Lang) -> Iterator[Candidate]:
        """Yields all sixteen announcements, or giving the card to anybody; both ways to react are always legal."""
        if ask.kind != "answer":
            yield from super().candidates(ask, fold, lang)

    def pad(self, ask: Ask, fold: State, lang: Lang) -> Pad:
        """Returns the answers in short: all cards, a row a clan; the others; to challenge or not."""
        title, announces = _PADS[ask.kind][lang].format(put_in(fold.drawn or fold.announced)), ask.kind == "announce"
        may = self.legal(fold, ask.seat)
        every = Announce.every(fold, ask.seat) if announces else may
        paths = (self.path(move, fold, lang) if move in may else None for move in every)
        texts = (move.last[lang] if move.last else move.short(lang) for move in every)
        cells = map(Cell, texts, paths)
        banned = names_of_known_cards(fold.banned, lang) if announces else ""
        return Pad(title, rows_of(cells, 4 if announces else 2), NOT_NOW[lang].format(banned) if banned else "")


def _end_of_window_once_certain(s: State, k: Knows) -> Event | None:
    """Returns how a window ends once it is certain who challenges: the nearest seat clockwise, or nobody (R5)."""
    for seat in seats_clockwise_after_active(s):
        if not s.answered[seat]:
            return None
        if k.value(s.wishes[seat], (True, False)):
            # The announced card is out if it is in the Palace or in any hand (R3).
            card, revealed = s.announced, s.palace[-1]
            holder = next((other for other, hand in enumerate(s.hands) if card in k.need(hand)), None)
            if holder is None and card not in k.need(s.palace):
                return facts.Mistaken(seat, s.open, revealed)  # 5.5
            return facts.Caught(s.active, seat, holder, s.open, card, revealed)  # 5.4
    return facts.Unchallenged()  # 5.6


RULES = Allegeance()
