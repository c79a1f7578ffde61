"""What a game declares, and whether it comes up: questions, orders, moves, facts, endings, draws, refusals, options.

What never comes up is a fault where no line of the game's code names it: nothing can bring it about. Where one does, it
may be rare, which is a hint. So is a question that has a single answer each time: what is forced needs no question.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from pbem.kit.choices import kinds_of
from pbem.kit.contract import AnyGame, Ask, Link, Scene
from pbem.kit.laws.imagined import view_of
from pbem.kit.options import options_of
from pbem.kit.play import LawBroken, Sample, Table, random_decisions
from pbem.testing.faults import Fault
from pbem.testing.naming import Names
from pbem.testing.records import LIKELY

ORDERS, DECLARED = "orders", "declared"
NOW_AND_THEN = 3
"""At every this many decisions it is looked at what can be touched."""
MOST_MOVES = 300
"""Of this many legal moves, the steps are noted."""
ENOUGH = 5
"""After fewer matches with a number of seats, nothing is said of a seat that nobody has asked."""
OFTEN = 20
"""Of a question that was put less often, nothing is said."""


class Occurring:
    """What has come up in the matches that it has looked at; in `sample` also what the laws have found in theirs."""

    def __init__(self, game: AnyGame) -> None:
        self.game, self.matches, self.sample = game, 0, Sample()
        self.asked, self.answered, self.chosen = Counter[str](), set[str](), set[str]()
        """How often each question was put; the orders that were followed; the questions with several answers."""
        self.seats, self.tables = defaultdict[int, set[int]](set), Counter[int]()
        """The seats that were asked, by how many there are; and how many matches had that number."""
        self.offered, self.touched = set[str](), dict[str, str]()
        """The forms of the steps that were offered; and those that boards have looked up, each with one of them."""
        self.allowed, self.working, self.idle = set[str](), set[str](), Counter[str]()
        """The steps that were allowed; those that were when a board looked them up; and how often boards have looked up
        others that are about nothing in particular, such as "roll"."""

    def play_and_note_what_occurs(self, game: AnyGame, seats: int, options: Any, seed: bytes) -> None:
        """Plays one random match."""
        self.matches += 1
        self.tables[seats] += 1
        table = Table(game, seats, options, seed)
        for at, (ask, _) in enumerate(random_decisions(table)):
            legal = game.legal(table.state, ask.seat)
            self.asked[ask.kind] += 1
            self.seats[seats].update(one.seat for one in game.pending(table.state))
            if len(legal) > 1:
                self.chosen.add(ask.kind)
            self.sample.moves.update(kinds_of(legal).keys())
            self._note_orders_that_answer(table, ask)
            if at % NOW_AND_THEN == 0:
                self._note_steps_touched_on_board(table, ask)
        self.sample.events.update(type(entry.event).__name__ for entry in table.entries)
        self.sample.draws.update(name.partition(":")[0] for name in table.drawn)
        if (outcome := game.outcome(table.state)) is not None:
            self.sample.endings[outcome.reason] += 1

    def _note_orders_that_answer(self, table: Table, ask: Ask) -> None:
        """Notes which orders answer the question: one of their samples, or what a typical person leaves here."""
        game, seat = self.game, ask.seat
        new = [kind for kind in game.meta.orders if kind.word not in self.answered and ask.kind in kind.asks]
        luck = table.luck.bot(table.next_entry_number, f"{ask.key}:order", seat)
        left = game.typical(view_of(table, seat), seat, luck) if new else ()
        for kind in new:
            some = (*kind.samples, *(order for order in left if isinstance(order, kind.order)))
            if any(game.follow(one, table.folds[seat], ask, luck) is not None for one in some):
                self.answered.add(kind.word)

    def _note_steps_touched_on_board(self, table: Table, ask: Ask) -> None:
        game, own = self.game, table.folds[ask.seat]
        legal, links = game.legal(own, ask.seat), Links()
        some = legal[:: max(1, len(legal) // MOST_MOVES)]
        allowed = {step.text for move in some for step in game.path(move, own, "en")}
        looked_for = {step.text for one in game.candidates(ask, own, "en") for step in game.path(one.move, own, "en")}
        self.offered |= {*map(_form_of_step, allowed | looked_for)}
        for shape in game.meta.shapes:
            game.draw(own, ask.seat, "en", Scene(links=links, shape=shape))
        for text in links.looked_up:
            self.touched.setdefault(_form_of_step(text), text)
        self.allowed |= allowed
        self.working |= allowed & links.looked_up.keys()
        self.idle.update(text for text in links.looked_up if text == _form_of_step(text) and text not in allowed)

    def check_orders_are_followed(self, game: AnyGame) -> None:
        """Checks that each order answers a question, where those that it is for come up often. Raises LawBroken."""
        for kind in game.meta.orders:
            if not kind.asks:
                raise LawBroken(f"the order {kind.word!r} is never asked: it is for no question")
            if kind.word not in self.answered and sum(self.asked[asked] for asked in kind.asks) >= OFTEN:
                raise LawBroken(f"the order {kind.word!r} is never followed: no sample or typical one answers")

    def faults(self, names: Names) -> Iterator[Fault]:
        """Yields what cannot come up."""
        for option in options_of(self.game.meta):
            if not names.uses_name(option.name):
                said = f"no code reads the option {option.name!r}"
                yield Fault(DECLARED, said, "Let `begin` put it into the first fact, or take it away.")
        for name in sorted(self.game.meta.weights.keys() - {kind.__name__ for kind in self.game.meta.moves}):
            yield Fault(DECLARED, f"`weights` names {name!r}, which is no move", "Name the classes of moves.")
        if self.matches < LIKELY:
            return
        for what, name in self._things_that_never_came_up():
            if not self._may_come(names, what, name):
                todo = "Take it away, or let it come: nothing in the code names it."
                yield Fault(DECLARED, f"{what} {name!r} never comes, and no code brings it about", todo)
        for count, asked in self.seats.items():
            for seat in sorted({*range(count)} - asked) if self.tables[count] >= ENOUGH else ():
                todo = "Look at how the turn passes on: by the number of seats at this table."
                yield Fault(DECLARED, f"seat {seat} of {count} is never asked anything", todo)
        all_came = self.sample.moves.keys() >= {kind.__name__ for kind in self.game.meta.moves}
        for form in sorted(self.touched.keys() - self.offered) if all_came else ():
            said = f"the board offers to touch {self.touched[form]!r}, which is a step of no move"
            todo = "`move` of a part is the text of a step as links have it: the typed parts with hyphens, `lay-3`."
            yield Fault(DECLARED, said, todo)
        for text, count in self.idle.items():
            if count >= OFTEN and text in self.allowed - self.working:
                said = f"the board offers to touch {text!r} only where that is not allowed, {count} times"
                yield Fault(DECLARED, said, "Say `move` of the part that shows what is touched when it is allowed.")

    def possible_but_never_seen(self, names: Names) -> Iterator[Fault]:
        """Yields what did not come up, but may."""
        if self.matches < LIKELY:
            return
        todo = "If it is rare, give `samples` options or `weights` moves by which it comes; or `pbem check --matches`."
        for what, name in self._things_that_never_came_up():
            if self._may_come(names, what, name):
                yield Fault(DECLARED, f"{what} {name!r} did not come in {self.matches} matches", todo)
        for kind, count in self.asked.items():
            if kind not in self.chosen and count >= OFTEN:
                said = f"the question {kind!r} had a single answer each of the {count} times that it was put"
                yield Fault(DECLARED, said, "Let `next_fact` go on by itself: nobody then has to wait for an answer.")

    def _may_come(self, names: Names, what: str, name: str) -> bool:
        """Returns whether code can bring it about; of a question, code that says more than what may answer it."""
        if what != "the question":
            return names.can_bring_about(what, name)
        meta = self.game.meta
        answers = [getattr(move, "asked", "") for move in meta.moves]
        told = [*answers, *(kind for order in meta.orders for kind in order.asks), *chain(*meta.sittings)]
        return names.uses_name(name, beside=told.count(name))

    def _things_that_never_came_up(self) -> Iterator[tuple[str, str]]:
        """Yields what never came up: what it is, and its name."""
        meta, missing, enough = self.game.meta, {*self.sample.missing(self.game)}, self.sample.matches >= LIKELY
        found: Sequence[tuple[str, Sequence[str]]] = (
            ("the question", [kind for kind in meta.asks if kind not in self.asked]),
            ("the fact", [kind.__name__ for kind in meta.events if kind.__name__ in missing]),
            ("the ending", [reason for reason in meta.endings if reason in missing]),
            ("the draw", [kind for kind in meta.draws if kind in missing]),
            ("the move", [kind.__name__ for kind in meta.moves if not self.sample.moves[kind.__name__]]),
            ("the refusal", [code for code in meta.refusals if enough and not self.sample.refusals[code]]),
        )
        yield from ((what, name) for what, names in found for name in names)


class Links(Mapping[str, Link]):
    """The links of a board on which nothing can be touched, which notes what is looked up."""

    def __init__(self) -> None:
        self.looked_up: dict[str, None] = {}

    def __getitem__(self, text: str) -> Link:
        self.looked_up[text] = None
        raise KeyError(text)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def _form_of_step(step: str) -> str:
    """Returns a step without what it is about: the same for all cards that can be laid."""
    word, *rest = re.split(r"(?=[^a-z])", step, maxsplit=1)
    return word + re.sub(r"\w+", "x", "".join(rest))
