"""`Game`: what a game says of itself, and all faces of the contract that follow from it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from inspect import get_annotations
from types import MappingProxyType
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from pbem.kit import assemble as assembly
from pbem.kit import contract
from pbem.kit.answers import MOST_FIELDS, pad_of_first_steps, rows_of
from pbem.kit.assemble import kinds_in
from pbem.kit.chance import Chance, Luck
from pbem.kit.choices import Choices, Lazy, kinds_of
from pbem.kit.game.facts import Counting, Event, Turns, count_fact, fill_with_fields
from pbem.kit.game.knowing import Knows, Unforeseen, results_in_every_way
from pbem.kit.game.moves import (
    Kind,
    Move,
    Patterns,
    Question,
    item_type_of_field,
    parts_of_move_as_typed,
    patterns_of,
    within_bounds,
    write_notation_page,
)
from pbem.kit.game.parts import Board, Part
from pbem.kit.game.sayings import check_move, check_patterns_fit_fields, check_told, reasons_of
from pbem.kit.notation import seat_letter, understand
from pbem.kit.orders.shapes import moves_of
from pbem.kit.plans import MOST_FACTS
from pbem.kit.secrecy import check_visibility, marks_of, redact
from pbem.kit.texts import Lang, Text
from pbem.kit.words import T, step


class Game(assembly.NoOrders):
    """A game: subclass it, and call `assemble()`. A smallest one is in pbem/testing/starter/pig.

    What `Meta` has is said as attributes of the class, under the same names; `state`, `events` and `moves` are found in
    its module, unless they are given. A game says `begin`, `asks`, `next_fact` and `outcome`, and `board` or a board of
    its own. All other methods follow, and can be overridden.
    """

    slug: ClassVar[str]
    title: ClassVar[Text]
    blurb: ClassVar[Text]
    seats: ClassVar[tuple[int, ...]]
    minutes = 20
    bound = 5000
    questions: ClassVar[Mapping[str, Question]]
    endings: ClassVar[Mapping[str, Text]]
    draws: ClassVar[Mapping[str, contract.DrawKind]] = {}
    traits: ClassVar[frozenset[str]] = frozenset()
    """Those besides `hidden`, `luck` and `simultaneous`, which follow; the last one from windows."""
    foresees = True
    """Whether a preview goes on to what follows by itself; else it is the move's own fact alone."""
    state: type[msgspec.Struct]
    events: tuple[type[Event], ...]
    moves: tuple[type[Move], ...]
    kinds: ClassVar[Mapping[str, Kind]] = {}
    vocabulary: ClassVar[Mapping[str, str]] = {}
    fillers = ""
    """See `Patterns`."""
    hint: Text
    """What is said where a typed move cannot be read; by default the patterns of all moves."""

    # --- what a game says ------------------------------------------------------------------------------------

    def begin(self, seats: int, options: Any, luck: Luck) -> Event:
        """Returns the first fact of a match, which makes the state."""
        raise NotImplementedError

    def asks(self, s: Any) -> Iterable[Any]:
        """Yields the open questions, each as a seat and its kind; an `Ask` where keys do not follow from `Counting`.

        Questions to a seat belong to one turn, with one deadline and one mail, until another seat is asked or a fact
        `ends_turn`.
        """
        raise NotImplementedError

    def next_fact(self, s: Any, k: Knows, since: Sequence[Any]) -> Event | None:
        """Returns the fact that comes next without anybody's choice; None if somebody is to choose.

        `since`: the facts of this decision so far. Whatever may be hidden, and all luck, is asked of `k`.
        """
        return None

    def outcome(self, s: Any) -> contract.Outcome | None:
        """Returns how the match ended; None while it runs."""
        raise NotImplementedError

    def scores(self, s: Any) -> tuple[int, ...] | None:
        """Returns what each seat's score is, by default the field `scores`; None if there is none before the end."""
        found: tuple[int, ...] | None = getattr(s, "scores", None)
        return found

    def board(self, s: Any) -> Iterable[Part]:
        """Yields the parts of the board."""
        raise NotImplementedError

    def fallback(self, fold: Any, seat: int, chance: Chance) -> Any:
        """Returns what the clock plays for an absent seat: any legal move."""
        return chance.pick(self.legal(fold, seat))

    # --- the whole -------------------------------------------------------------------------------------------

    def __init__(self) -> None:
        """Reads what the class says. Raises TypeError, with one sentence, where something is missing or wrong."""
        self._need("slug", "seats", "questions")
        module = import_module(type(self).__module__)
        if not hasattr(self, "state"):
            self.state = module.State
        if not hasattr(self, "events"):
            self.events = kinds_in(module, Event)
        if not hasattr(self, "moves"):
            self.moves = kinds_in(module, Move)
        for kind in (self.state, *self.events):
            check_visibility(kind)
        given = {name for name in vars(Game) if getattr(type(self), name) is not getattr(Game, name)}
        for event in () if "tell" in given else self.events:
            check_told(event)
        if issubclass(self.state, Counting) and self.state is not Counting:
            for name in {*Counting.__struct_fields__} & get_annotations(self.state).keys():
                raise TypeError(f"State.{name}: facts are counted by this name; choose another")
        spelled: dict[str, type[Move]] = {}
        for move in self.moves:
            check_move(move, given)
            if "parse" not in given:
                free = move.read.__func__ is not Move.read.__func__  # type: ignore[attr-defined]  # class methods
                check_patterns_fit_fields(move, self.kinds, free=free)
            named = any(move in question.moves for question in self.questions.values())
            for typed in patterns_of(move):
                if (other := spelled.setdefault(typed, move)) is not move:
                    raise TypeError(f"{other.__name__} and {move.__name__} are both typed {typed!r}")
            if not named and move.asked not in self.questions:
                raise TypeError(f"{move.__name__} answers {move.asked!r}, which is no question of {self.slug}")
        if not hasattr(self, "hint"):
            patterns = " · ".join(patterns_of(move)[0] for move in self.moves)
            self.hint = T(f"Écrivez : {patterns}", f"Write: {patterns}")
        self.kinds_of_answers = {
            kind: question.moves or tuple(move for move in self.moves if move.asked == kind)
            for kind, question in self.questions.items()
        }
        for question, moves in self.kinds_of_answers.items():
            if not moves:
                raise TypeError(f"no move of {self.slug} answers {question!r}")
        self._reasons = reasons_of(self.moves)
        self._patterns = Patterns(self.moves, max(self.seats), self.kinds, self.vocabulary, self.fillers)
        self._counts, self._turns = issubclass(self.state, Counting), self._find_forced_and_window_facts()
        self._asked: tuple[Any, tuple[contract.Ask, ...]] = (None, ())
        self._allowed: tuple[Any, int, Sequence[Any]] = (None, 0, ())
        self._ahead: dict[int, tuple[Event, Any, Any]] = {}

    def _need(self, *names: str) -> None:
        """Raises TypeError where the class does not say one of these."""
        for name in names:
            if not hasattr(self, name):
                raise TypeError(f"{type(self).__name__} has no {name}")

    def _find_forced_and_window_facts(self) -> Turns:
        """Returns which facts no move makes, unless one of them keeps to itself what it makes; and which windows do."""
        made: dict[bool, set[type[Event] | None]] = {False: set(), True: set()}
        for kind, moves in self.kinds_of_answers.items():
            made[self.questions[kind].window] |= {getattr(move, "makes", None) for move in moves}
        known = made[False] | made[True]
        forced = frozenset[type[Event]]() if None in known else frozenset(self.events) - known
        return Turns(forced, frozenset(one for one in made[True] - made[False] if one is not None))

    def assemble(
        self, *, board: assembly.Board | None = None, describe: assembly.Describe | None = None,
        bots: Mapping[str, contract.Bot] = MappingProxyType({}), **faces: Any,
    ) -> contract.AnyGame:  # fmt: skip
        """Returns the game. `faces` are those that `pbem.kit.assemble.assemble` takes besides: a lesson, figures, …

        Without a `board` of its own, the parts are the board; without `describe`, they are the board in words. Where
        nothing is hidden, bots can think without `imagine`.
        """
        self._need("title", "blurb", "endings")
        hides = any(marks_of(event) for event in self.events)
        if not hides:
            faces.setdefault("imagine", imagine_nothing)
        windows = any(question.window for question in self.questions.values())
        follow = {name for name, holds in (("hidden", hides), ("luck", self.draws), ("simultaneous", windows)) if holds}
        said = {name: getattr(self, name) for name in contract.Meta.__struct_fields__ if hasattr(self, name)}
        meta = contract.Meta(
            **said
            | {
                "asks": {kind: replace(one, moves=self.kinds_of_answers[kind]) for kind, one in self.questions.items()},
                "refusals": {
                    code: contract.Refusal(reason.rule, reason.text) for code, reason in self._reasons.items()
                },
                "traits": self.traits | follow,
            }
        )
        faces.setdefault("notation_page", self.notation_page)
        parts = Board(self.title, self)
        return assembly.assemble(
            meta, self, self, self, self, self, describe or parts, board or parts, bots, pad=self.pad,
            scores=self.scores, candidates=self.candidates, supposable=self.supposable, orders=self, **faces,
        )  # fmt: skip

    # --- rules that follow -----------------------------------------------------------------------------------

    def setup(self, seats: int, options: Any, luck: Luck) -> list[Event]:
        """Returns the first fact and all that follows by itself."""
        return self._add_following_facts(None, [self.begin(seats, options, luck)], Knows(luck))

    def evolve(self, s: Any, event: Any) -> Any:
        """Returns the state after the event. What `decide` has applied is not applied again."""
        ahead = self._ahead.get(id(event))
        if ahead is not None and ahead[0] is event and ahead[1] is s:
            return ahead[2]
        self.check_event(s, event)
        after = event.apply(s)
        return count_fact(s, event, after, self._turns) if self._counts else after

    def check_event(self, s: Any, event: Any) -> None:
        """Raises ValueError for an event that no decision makes here, as in a made-up log."""
        if s is None and type(event) is not self.events[0]:
            raise ValueError(f"a log of {self.slug} begins with {self.events[0].__name__}")

    def pending(self, s: Any) -> tuple[contract.Ask, ...]:
        """Returns the open questions."""
        known, asks = self._asked
        if known is not s:
            found: tuple[Any, ...] = tuple(self.asks(s)) if self.outcome(s) is None else ()
            if self._counts:
                alone = len(found) == 1
                found = tuple(
                    [one if isinstance(one, contract.Ask) else self._ask(s, *one, alone=alone) for one in found]
                )
            asks = found
            self._asked = s, asks
        return asks

    def _ask(self, s: Any, seat: int, kind: str, *, alone: bool) -> contract.Ask:
        """Returns the question. Of a seat that answered last and is asked alone it belongs to the same turn."""
        acts = s.acts_of(seat)
        before = s.turn_began[1] if alone and s.turn_began is not None and s.turn_began[0] == seat else acts
        turn = f"{seat_letter(seat).lower()}{before + 1}"
        return contract.Ask(
            seat, f"{turn}.{kind[:12]}-{acts - before}" if acts > before else f"{turn}.{kind}", turn, kind
        )

    def legal(self, s: Any, seat: int) -> Sequence[Any]:
        """Returns the moves that answer the seat's question."""
        known, whose, moves = self._allowed
        if known is not s or whose != seat:
            moves = ()
            for ask in self.pending(s):
                if ask.seat == seat:
                    groups = [(kind, kind.legal(s, seat)) for kind in self.kinds_of_answers[ask.kind]]
                    listed = len(groups) == 1 and not isinstance(groups[0][1], Lazy)
                    moves = groups[0][1] if listed else Choices(*groups)
            self._allowed = s, seat, moves
        return moves

    def decide(self, s: Any, seat: int, move: Any, luck: Luck) -> list[Event]:
        """Returns the fact of the move and all that follows by itself. Raises IllegalMove."""
        known, whose, moves = self._allowed
        if known is not s or whose != seat or move not in moves:
            self._check(s, seat, move)
        return self._add_following_facts(s, [move.fact(s, seat)], Knows(luck))

    def _check(self, s: Any, seat: int, move: Any) -> None:
        """Raises IllegalMove with the first reason against the move."""
        for ask in self.pending(s):
            if ask.seat == seat:
                break
        else:
            raise contract.IllegalMove("not_asked")
        if type(move) not in self.kinds_of_answers[ask.kind] or not within_bounds(move):
            raise contract.IllegalMove("wrong_kind")
        for why in move.why_not(s, seat):
            raise why

    def preview(self, fold: Any, seat: int, move: Any) -> list[Event]:
        """Returns the fact of the move, and what follows by itself until it rests on luck or on something hidden."""
        if not isinstance(move, self.moves):
            raise contract.IllegalMove("wrong_kind")
        facts = [move.fact(fold, seat)]
        if self.foresees:
            with suppress(Unforeseen):
                self._add_following_facts(fold, facts, Knows())
        return facts

    def _add_following_facts(self, s: Any, facts: list[Event], k: Knows) -> list[Event]:
        """Adds what follows by itself to this one fact, and keeps the states that `evolve` will be asked for."""
        ahead, counts = {}, self._counts
        for fact in facts:  # which grows
            after = fact.apply(s)
            if counts:
                after = count_fact(s, fact, after, self._turns)
                k.count = after.count
            ahead[id(fact)] = fact, s, after
            s = after
            if self.outcome(s) is None and (following := self.next_fact(s, k, facts)) is not None:
                facts.append(following)
        self._ahead = ahead
        return facts

    # --- what may come ---------------------------------------------------------------------------------------

    def supposable(self, fold: Any, viewer: int, since: Sequence[Any]) -> Sequence[Event] | None:
        """Returns what is forced in every way it can come; then the facts of the seat that is asked, as far as listed.

        Of moves that are not listed, none is supposed: a single other one is then not certain, and so is none.
        """
        if self.outcome(fold) is not None:
            return ()
        try:
            ways = results_in_every_way(lambda k: self.next_fact(fold, k, since))
        except Unforeseen:
            return None
        found = dict.fromkeys(redact(event, viewer) for event in ways if event is not None)
        if None not in ways:
            return tuple(found)
        asks = [ask for ask in self.pending(fold) if not self.questions[ask.kind].public]
        if len(asks) != 1 or asks[0].seat == viewer:
            return tuple(found)
        (ask,), forced = asks, len(found)
        kinds, unlisted = self.kinds_of_answers[ask.kind], False
        for kind in kinds:
            every = kind.every(fold, ask.seat)
            unlisted = unlisted or (not every and bool(kind.legal(fold, ask.seat)))
            possible = (move for move in every if next(iter(move.why_not(fold, ask.seat)), None) is None)
            found |= dict.fromkeys(redact(move.fact(fold, ask.seat), viewer) for move in possible)
        if len(found) > MOST_FACTS or (unlisted and not forced and len(found) < 2):
            return None
        return tuple(found)

    # --- words -----------------------------------------------------------------------------------------------

    def parse(self, text: str, seat: int | None = None) -> Any:
        """Returns the move that the text means. Raises Unreadable with the hint."""
        return understand(text, lambda typed: self._patterns.read(self.plain(typed)), self.hint)

    def plain(self, text: str) -> str:
        """Returns what was typed, without what the patterns cannot know, such as an article that looks like a seat."""
        return text

    def format(self, move: Any) -> str:
        """Returns the move by its first pattern."""
        return " ".join(parts_of_move_as_typed(move))

    def notation_page(self, lang: Lang) -> str:
        """Returns what may be typed, in Markdown: the page of a game that has no file NOTATION of this language."""
        return write_notation_page(self.title, self.moves, self.vocabulary, lang)

    def tell(self, event: Event, before: Any, lang: Lang) -> contract.Phrase:
        """Narrates an event."""
        return event.tell(before, lang)

    def prompt(self, ask: contract.Ask, fold: Any, lang: Lang) -> contract.Phrase:
        """Returns what binds the seat that is asked."""
        prompt = self.questions[ask.kind].prompt
        if not isinstance(prompt, Text):
            return prompt(fold, ask.seat, lang)
        try:
            return prompt[lang].format(s=fold)
        except (AttributeError, LookupError) as error:
            raise ValueError(f"the prompt of {ask.kind!r} says {prompt[lang]!r}, but {error}") from None

    def label(self, move: Move, fold: Any, lang: Lang) -> contract.Phrase:
        """Returns the move in a sentence."""
        return move.tell(fold, lang)

    def path(self, move: Move, fold: Any, lang: Lang) -> tuple[contract.Step, ...]:
        """Returns the steps to the move: its own, or its typed parts, with hyphens for spaces."""
        return move.path(fold, lang) or _steps_of_typed_parts(move, lang)

    def name(self, move: Move, lang: Lang, /) -> contract.Phrase:
        """Returns what a move is called."""
        return move.short(lang)

    def pad(self, ask: contract.Ask, fold: Any, lang: Lang) -> contract.Pad:
        """Returns the legal moves in short, each below its heading, in rows of four; their first steps if too many."""
        question, legal = self.questions[ask.kind], self.legal(fold, ask.seat)
        title = (question.pad or question.title)[lang]
        if len(legal) > MOST_FIELDS:
            return pad_of_first_steps(title, (self.path(move, fold, lang) for move in legal))
        found: dict[str, list[contract.Cell]] = {}
        for moves in kinds_of(legal).values():
            for move in moves:
                path = self.path(move, fold, lang)
                head, last = (
                    "" if text is None else fill_with_fields(text[lang], move) for text in (move.head, move.last)
                )
                found.setdefault(head, []).append(contract.Cell(last or move.short(lang), path))
        if len(found) == 1:
            ((head, cells),) = found.items()
            return contract.Pad(head or title, rows_of(cells, 4))
        return contract.Pad(
            title, tuple(r for head, cells in found.items() for r in ((contract.Cell(head),), *rows_of(cells, 4)))
        )

    def candidates(self, ask: contract.Ask, fold: Any, lang: Lang) -> Iterable[contract.Candidate]:
        """Yields the answers that may be looked for, legal or not."""
        for kind in self.kinds_of_answers[ask.kind]:
            for move in kind.every(fold, ask.seat):
                yield contract.Candidate(move.short(lang), move)

    # --- orders ----------------------------------------------------------------------------------------------

    def check_order(self, order: contract.Order, fold: Any, seat: int, /) -> None:
        """Refuses moves against which there is a lasting reason."""
        for move in moves_of(order):
            for why in self._lasting_refusals(move, fold, seat):
                raise why

    def answers(self, kind: str, fold: Any, seat: int, /) -> Sequence[Any]:
        """Returns all answers that may be looked for, and against which there is no lasting reason."""
        moves = (move for one in self.kinds_of_answers[kind] for move in one.every(fold, seat))
        return [move for move in moves if not any(self._lasting_refusals(move, fold, seat))]

    def _lasting_refusals(self, move: Any, fold: Any, seat: int) -> Iterator[contract.IllegalMove]:
        return (why for why in move.why_not(fold, seat) if self._reasons[why.code].lasting)


def best(scores: Sequence[int]) -> tuple[int, ...]:
    """Returns the seats that have the most points."""
    return tuple(seat for seat, score in enumerate(scores) if score == max(scores))


def imagine_nothing(view: contract.PlayerView, seat: int, chance: Chance) -> Any:
    """Returns the fold: nothing is hidden."""
    return view.fold


@lru_cache(8192)
def _steps_of_typed_parts(move: Move, lang: Lang) -> tuple[contract.Step, ...]:
    """Returns the steps to a move: its typed parts with their labels, one for each or, of a list, one for all items."""
    typed = [part.replace(" ", "-") for part in parts_of_move_as_typed(move)]
    if move.steps is None:
        return (step("-".join(typed), fill_with_fields(move.does[lang], move, what=move.short(lang)), lang),)
    first, *others = move.steps[lang].split(" | ")
    listed = next((name for name in move.__struct_fields__ if item_type_of_field(type(move), name)), None)
    items = [move, *getattr(move, listed)] if listed else [move] * len(typed)
    labels = [first, *others * len(items)] if listed else [first, *others]
    return tuple(
        step(word, fill_with_fields(label, one), lang) for word, label, one in zip(typed, labels, items, strict=False)
    )
