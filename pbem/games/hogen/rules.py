"""The rules of Hogen, in the order of RULES.*.md: who is asked, what comes by itself, and all that describes it.

Which moves are legal, and why others are not, stands in `facts`.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from pbem.games.hogen import facts
from pbem.games.samurai import BOT_NAMES, CARDS, CLAN_MARKS, CLANS, LETTERS, MARKS, RANKS
from pbem.kit.assemble import kinds_in
from pbem.kit.chance import Chance, Luck
from pbem.kit.contract import Ask, Candidate, Cell, DrawKind, Outcome, Pad, Phrase
from pbem.kit.game.facts import Event
from pbem.kit.game.knowing import Knows
from pbem.kit.game.moves import Move, Question
from pbem.kit.game.rules import Game
from pbem.kit.texts import Lang, OptionText, Text
from pbem.kit.words import T, put_in, say, step

HAND = {3: 4, 4: 3}
"""How many cards each player is dealt, by the number of players (2.2)."""
EXCHANGE_CAP = 100  # R11


def open_palace(pile: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the four palace cards (2.1), and the remaining pile with the rejected cards under it.

    >>> open_palace(["M1", "M3", "F1", "F4", "T4", "T3", "B2", "B1"])
    (('M1', 'F4', 'T3', 'B2'), ('B1', 'M3', 'F1', 'T4'))
    """
    kept: list[str] = []
    under: list[str] = []
    for at, card in enumerate(pile):
        if any(card[0] == k[0] or card[1] == k[1] for k in kept):
            under.append(card)
        else:
            kept.append(card)
        if len(kept) == 4:
            return tuple(kept), (*pile[at + 1 :], *under)
    raise ValueError("the pile does not hold four clans of four ranks")


def prompt_with_call(s: facts.State, seat: int, lang: Lang) -> Phrase:
    """Names the call and the card that answers it; a player who is out is told that they still answer (6.4)."""
    assert s.call is not None, "an answer follows a call"
    calls = say(lang, f"{{{s.active}}} appelle ", f"{{{s.active}}} calls for ") + s.call.short(lang)
    fitting = [put_in(card) for card in s.hands[seat] if facts.answers_call(card, s.call)]
    card = fitting[0] if len(fitting) == 1 else say(lang, "une carte", "a card")
    if s.out[seat]:
        return calls + say(lang, f". Même hors jeu, vous posez {card}.", f". You are out, but you still lay {card}.")
    take = "prenez une carte" if len(fitting) == 1 else "prenez-en une"
    return calls + say(lang, f" : posez {card}, {take} au palais.", f": lay {card}, take one from the palace.")


_NOUNS = "(?: card| clan| rank)*"


def _parse_card(text: str) -> str:
    """Returns the card of a clan and a rank, in either order."""
    return "".join(sorted((word for word in text.split() if len(word) == 1), reverse=True)).upper()


def _call_in_short(call: facts.Call) -> Phrase:
    """Returns a clan, a card, or the number of a rank."""
    return put_in(call.clan_rank_or_card) if call.clan else call.clan_rank_or_card


class Hogen(Game):
    """What `Meta` and the layer are told; the methods below are the rules."""

    slug, title, seats, minutes, ease = "hogen", T("Hogen", "Hogen"), (3, 4), 20, 3
    blurb = T(
        "Chacun cache un samouraï : nommez avant tout le monde ceux des autres.",
        "Everybody hides one samurai: name all the others’ before anyone else does.",
    )
    state, moves, events = facts.State, kinds_in(facts, Move), kinds_in(facts, Event)
    questions = {
        "ally": Question(
            T("Choisissez votre alliée", "Choose your ally"),
            prompt=T(
                "Cachez une carte jusqu’à la fin. Les autres chercheront à la nommer.",
                "Hide one card until the end. The others will try to name it.",
            ),
            hint=T(
                "Elle ne répond à aucun appel, et décide de ce que vous pourrez appeler. Pour une première partie, "
                "n’importe quelle carte convient.",
                "It never answers a call, and it decides what you may call for. In a first match any card will do.",
            ),
            pad=T("Cachez…", "Hide…"),
        ),
        "act": Question(
            T("À vous d’appeler", "Your turn to call"),
            prompt=T(
                "Appelez un clan, un rang ou une carte, ou déclarez les alliées.",
                "Call for a clan, a rank or a card, or declare everyone’s ally.",
            ),
            hint=T(
                "Un clan ou un rang ne doit pas être celui de votre alliée ; une carte a l’un des deux, pas les deux. "
                "Ne déclarez qu’à coup sûr.",
                "A clan or a rank must not be your ally’s; a card has one of the two, not both. Declare only when you "
                "are sure.",
            ),
        ),
        "answer": Question(
            T("À vous de répondre", "Your turn to answer"),
            prompt=prompt_with_call,
            hint=T(
                "Touchez la carte que vous posez, puis celle que vous prenez au palais. Tout le monde voit les deux.",
                "Touch the card you lay, then the one you take from the palace. Everybody sees both.",
            ),
            pad=T("Votre réponse", "Your answer"),
        ),
    }
    endings = {
        "found": T("toutes les alliées sont trouvées", "all allies were found"),
        "all_wrong": T("tout le monde s’est trompé", "everybody was wrong"),
        "cap": T("cent échanges sans gagnant", "a hundred exchanges without a winner"),
    }
    draws = {
        "palace": DrawKind(T("Cartes du palais", "Cards of the palace")),
        "deal": DrawKind(T("Donne", "Deal")),
        "first": DrawKind(T("Qui commence", "Who begins"), chooses_seat=True),
    }
    options, samples = facts.HogenOptions, (facts.HogenOptions(memory="closed"),)
    option_texts = {
        "memory": OptionText(
            T("Mémoire", "Memory"),
            T(
                "Les cartes vues puis cachées à nouveau : toujours lisibles, ou à retenir de mémoire (8.7). La boîte "
                "parle d’un jeu de mémoire ; en plusieurs jours, on oublie vite.",
                "Whether cards that were seen and then hidden again can be read again (8.7). The box calls this a game "
                "of memory; over several days they are quickly forgotten.",
            ),
            {
                "open": T("Ouverte : tout peut être relu", "Open: everything can be read again"),
                "closed": T("Fermée : chacun retient ce qu’il peut", "Closed: everybody remembers what they can"),
            },
        )
    }
    traits, has_rounds, fold = frozenset({"simultaneous"}), False, 2
    foresees = False  # the board shows what was done, and the label what follows
    # At most 100 exchanges and 4 declarations, each after at most 7 failed calls and one that is answered (R4).
    bound = 1000
    marks, bot_names = MARKS | CLAN_MARKS, BOT_NAMES
    shapes, weights = ("portrait", "landscape", "low", "pad"), {"Call": 20, "Declare": 1}

    def silence(self, options: Any) -> Text:
        """What the rules forbid to tell (8.5)."""
        return T(
            "La règle demande le silence : ne dites ni ce que vous tenez en main ou cachez, ni, après une déclaration "
            "fausse, les alliées que vous avez vues (8.5).",
            "The rules ask for silence: say neither what you hold or hide nor, after a wrong declaration, which allies "
            "you have seen (8.5).",
        )

    # --- the rules, by the numbers of RULES.*.md -------------------------------------------------------------

    def begin(self, seats: int, options: Any, luck: Luck) -> facts.Dealt:
        """Opens the palace and deals the rest (2.1, 2.2)."""
        palace, pile = open_palace(luck.named("palace").shuffled(CARDS))
        pile, size = luck.named("deal").shuffled(pile), HAND[seats]
        hands = tuple(pile[at * size : (at + 1) * size] for at in range(seats))
        return facts.Dealt(palace, hands, options.memory == "open")

    def asks(self, s: facts.State) -> Sequence[Ask]:
        """Asks at first for everybody's ally (2.3), then for an answer (5.1), a call or a declaration (3.1)."""
        if s.active is None:
            return [Ask(seat, f"t0.ally{seat}", "t0", "ally") for seat in range(s.seats) if not s.chosen[seat]]
        if s.answering is not None:
            turn = f"t{s.turn + 1}"
            return (Ask(s.answering, f"{turn}.answer", turn, "answer"),)
        turn = f"t{s.turn}"
        return (Ask(s.active, f"{turn}.act{len(s.failed)}", turn, "act"),)

    def next_fact(self, s: facts.State, k: Knows, since: Sequence[Event]) -> Event | None:
        """Returns who begins, passes, what a declaration was worth, and the ends without a winner.

        With closed memory, what was shown is covered before anything else comes (8.7).
        """
        if since and isinstance(since[-1], facts.Dealt | facts.Exchanged) and not s.has_open_memory:
            return facts.Covered(s.palace, s.hands)
        if s.active is None:
            if all(s.out):
                return facts.Stopped("all_wrong")  # 7.1
            return facts.Began(k.named("first").below(s.seats)) if all(s.chosen) else None  # 2.4, R13
        if s.call is not None:
            seat = s.answering
            assert seat is not None, "somebody answers a call"
            if k.any(
                s.hands[seat],
                facts.all_cards_answering_call(s.call).__contains__,
                facts.cards_that_may_hide_in_hand(s, seat),
            ):
                return None
            return facts.Passed(seat)  # 5.1
        if s.exchanges >= EXCHANGE_CAP:
            return facts.Stopped("cap")  # 7.2
        if s.named[s.active] and not s.out[s.active]:
            truth = k.need(tuple([s.allies[other] for other in facts.opponents_in_seat_order(s, s.active)]))
            right = truth == tuple([guess.card for guess in s.named[s.active]])
            if right:
                return facts.Unmasked(s.active, s.named[s.active])  # 6.3
            return facts.Refuted(s.active, truth, s.has_open_memory)  # 6.4
        return None

    def check_event(self, s: facts.State | None, event: Any) -> None:
        """Refuses what comes before everybody has an ally, or after the end."""
        super().check_event(s, event)
        first = facts.AllyChosen | facts.Began | facts.Covered | facts.Stopped
        if s is not None and (s.over or (s.active is None and not isinstance(event, first))):
            raise ValueError("nothing can happen before everybody has an ally, nor after the end")

    def outcome(self, s: facts.State) -> Outcome | None:
        """Returns who found all allies (6.3); nobody if all were wrong or the match was stopped (7)."""
        return None if s.over is None else Outcome(s.over, () if s.winner is None else (s.winner,))

    def fallback(self, fold: facts.State, seat: int, chance: Chance) -> Any:
        """Returns any ally or answer, or a call for a clan or a rank: one for a card reveals more (8.4).

        Never a declaration, and never "the first one": a fixed order would reveal what the seat does not hold.
        """
        moves = self.legal(fold, seat)
        if fold.active is None or fold.call is not None:
            return chance.pick(moves)
        return chance.pick([move for move in moves if isinstance(move, facts.Call) and move.is_for_clan_or_rank_alone])

    # --- moves as they are typed (9): clans F, M, T, B; seats A to D -----------------------------------------

    hint = T(
        "Écrivez par exemple : ally F1 (votre alliée) · call M, call 4 ou call M1 (un clan, un rang, une carte) · "
        "give F4 take T1 (donner, prendre) · declare B=F1 C=B1 D=B3 (l’alliée de chaque autre place). "
        "Clans : F, M, T, B ; rangs : 1 à 4.",
        "Write for example: ally F1 (your ally) · call M, call 4 or call M1 (a clan, a rank, a card) · "
        "give F4 take T1 · declare B=F1 C=B1 D=B3 (the ally of every other seat). "
        "Clans: F, M, T, B; ranks: 1 to 4.",
    )
    kinds = {
        "clan": (" [fmtb]", lambda text: text.strip().upper()),
        "card": (f"{_NOUNS} [fmtb]{_NOUNS} [1-4]{_NOUNS}|{_NOUNS} [1-4]{_NOUNS} [fmtb]{_NOUNS}", _parse_card),
        **dict.fromkeys(("give", "take"), (f" [fmtb]{_NOUNS} [1-4]{_NOUNS}", _parse_card)),
    }
    vocabulary = {
        "ally": "ally allie alliee cache cacher hide choisis choisir choose",
        "call": "call calls appel appelle appeler",
        "give": "give gives donne donner pose poser lay",
        "take": "take takes prend prends prendre",
        "declare": "declare declares declarer declaration",
        "clan": "clan",
        "rank": "rank rang",
        "card": "card carte",
        "exchange": "exchange echange echanger swap",
        **{letter: " ".join(word for word, meant in LETTERS.items() if meant == letter) for letter in "fmtb"},
    }
    fillers = (
        "an and at avec cache contre de des du est et for from has hides i il is j je l la le les ma mon my of on "
        "par pour s samourai samurai seat the un une with"
    )

    # --- offered ---------------------------------------------------------------------------------------------

    def candidates(self, ask: Ask, fold: facts.State, lang: Lang) -> Iterator[Candidate]:
        """Yields every call; for an answer, every card of the hand, and taking back the one that was laid."""
        if ask.kind == "act":
            for call in facts.EVERY_CALL:
                rank = say(lang, "rang ", "rank ") if call.clan is None else ""
                yield Candidate(rank + _call_in_short(call), call)
        if ask.kind == "answer" and fold.call is not None:
            for card in filter(None, fold.hands[ask.seat]):
                if facts.answers_call(card, fold.call):
                    yield Candidate(
                        say(lang, f"reprendre {{{card}}}", f"take {{{card}}} back"), facts.Exchange(card, card)
                    )
                elif (take := fold.palace[0]) is not None:
                    yield Candidate(put_in(card), facts.Exchange(card, take))

    def pad(self, ask: Ask, fold: facts.State, lang: Lang) -> Pad:
        """Returns the calls, a row a clan and a column a rank, each after that for all of it; then the declaration."""
        if ask.kind != "act":
            return super().pad(ask, fold, lang)
        ally = fold.allies[ask.seat]
        allowed = {call: self.path(call, fold, lang) for call in facts.Call.legal(fold, ask.seat)} if ally else {}
        table = [[facts.Call(clan, rank) for rank in (None, *RANKS)] for clan in (None, *CLANS)]
        rows = (tuple(Cell(_call_in_short(call), allowed.get(call)) for call in row) for row in table)
        declare = (step("declare", say(lang, "Déclarer", "Declare"), lang),)
        last = Cell(say(lang, "Déclarer l’alliée de chacun", "Declare everyone’s ally"), declare)
        fr = f"Non proposé : ce qu’interdit votre alliée {{{ally}}}"
        note = say(lang, fr, f"Not offered: what your ally {{{ally}}} forbids")
        if fold.failed:
            note += say(lang, ", et les appels restés sans réponse", ", and calls that no one answered")
        return Pad(say(lang, "Appelez…", "Call for…"), (*rows, (last,)), f"{note}.")


RULES = Hogen()
