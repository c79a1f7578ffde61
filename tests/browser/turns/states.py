"""The states of the page of a seat, each in a match of its own that stands still in it, for tests and pictures.

A state is plain data: what looks at it does not know how it came about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from flask import Flask

from pbem import create_app
from pbem.games import all_games
from pbem.kit.codec import plain
from pbem.kit.orders.typed import format_order
from pbem.models.engine import migrate
from pbem.models.tables import Match, SeatRow
from pbem.services.lobby import matches
from pbem.services.play import ordering, presence, takeback, timeouts
from pbem.services.views import replays, seats, talk
from pbem.services.views.match_views import OpenAsk
from tests.browser.stage.playing import path_to
from tests.docs.gallery import END, GALLERY, advance_match
from tests.table import House, claim_of, open_house

MOST = 160
"""How many decisions are played until a state is given up."""
FEW = 40
"""After how many, where a match shows it early or never."""
HOLD_S = 90
"""How long mails are held back, so that a move can be taken back unseen."""
Where = tuple[str, int]
"""A match and a seat."""


@dataclass(frozen=True)
class State:
    """A state of the page of a seat: its name, such as "ask-card", and its address below that of the site.

    `asks`: a question stands open, and nothing is chosen or half chosen yet.
    """

    name: str
    game: str
    seats: int
    path: str
    asks: bool = False

    @property
    def id(self) -> str:
        """What tells it from all others."""
        return f"{self.game}-{self.seats}-{self.name}"

    def address(self, base: str, lang: str = "en") -> str:
        """Returns its address in this language."""
        return f"{base}{self.path}{'&' if '?' in self.path else '?'}lang={lang}"


@contextmanager
def open_stage() -> Iterator[tuple[House, Flask]]:
    """Yields a new house, in which mails are held for a while, and its pages."""
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/pbem.db"
        migrate(url)
        for home in open_house(url, Path(folder), mail_hold_s=HOLD_S):
            yield home, create_app(site=home.site)


def few_and_many(slug: str) -> tuple[int, int]:
    """Returns the fewest and the most seats of the game."""
    numbers = all_games()[slug].meta.seats
    return min(numbers), max(numbers)


def play_states(home: House, app: Flask, slug: str, count: int, only: Collection[str] = ()) -> Iterator[State]:
    """Yields the states of a game with this number of seats, or those of these names; some cannot come about.

    A name may be that of a family: "ask" for "ask-card" and the others.
    """
    stage = Stage(home, app, slug, count)
    for name, play in stage.plays().items():
        if only and name not in only and name.partition("-")[0] not in only:
            continue
        if (path := play()) is not None:
            yield State(name, slug, count, path, asks=name.startswith("ask-"))


@dataclass(frozen=True)
class Stage:
    """Plays matches of a game with `count` seats to the states of a page; each method returns an address, or None."""

    home: House
    app: Flask
    slug: str
    count: int
    never: set[str] = field(default_factory=set)
    """The kinds of questions that do not come with this number of seats."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of questions of the game."""
        return tuple(all_games()[self.slug].meta.asks)

    def plays(self) -> dict[str, Callable[[], str | None]]:
        """Returns what plays to each state, by its name."""
        # First what sends mails, while there are few.
        found: dict[str, Callable[[], str | None]] = {"late": self.vote_on_late}
        for kind in self.kinds:
            found[f"ask-{kind}"] = partial(self.at_question, kind)
            found[f"half-{kind}"] = partial(self.at_half, kind)
            found[f"chosen-{kind}"] = partial(self.at_choice, kind)
            found[f"refused-{kind}"] = partial(self.at_refusal, kind)
        for state in ("held", "free", "consent", "asked", "no"):
            found[f"played-{state}"] = partial(self.after_move, state)
        return found | {
            "asked-back": self.at_request,
            "waiting": self.waiting,
            "sealed": self.in_window,
            "absent": self.absent,
            "resigned": self.after_resigning,
            "orders": self.orders_answered,
            "unread-one": partial(self.read_until, 1),
            "read": partial(self.read_until, 0),
            "card": self.card,
            "message": self.message,
            "paused": partial(self.at_stop, "paused"),
            "over": self.over,
            "off": self.at_cancelling,
            "inviting": self.inviting,
            "unconfirmed": lambda: path_to(self.home, self.home.create(self.count, self.slug), 0),
        }

    # --- questions ------------------------------------------------------------------------------------------------

    def at_question(self, kind: str) -> str | None:
        """The first question of this kind."""
        found = self.find_asked(kind)
        return found and path_to(self.home, *found)

    def at_choice(self, kind: str) -> str | None:
        """The same with a move chosen."""
        found = self.find_asked(kind)
        return found and self._link(found, f"move={self._first_move(found)}")

    def at_half(self, kind: str) -> str | None:
        """The same with the first of several steps chosen."""
        found = self.find_asked(kind, self._has_steps, most=FEW)
        if found is None:
            return None
        view = self.home.view(*found)
        steps = next(steps for move in view.legal() if len(steps := view.game.path(move, view.fold, "en")) > 1)
        return self._link(found, f"pick={steps[0].text}")

    def at_refusal(self, kind: str) -> str | None:
        """The same after a touch of what cannot be chosen."""
        found = self.find_asked(kind)
        if found is None:
            return None
        page = self.app.test_client().get(path_to(self.home, *found)).text
        refused = re.search(r'href="(/play/[^"]*[?&;]no=[^"]*)"', page)
        return refused and unescape(refused[1])

    # --- after a move ---------------------------------------------------------------------------------------------

    def after_move(self, state: str) -> str | None:
        """Just played: what can be taken back at once (held, free), what others must agree to or were asked, or not."""
        found = self._until_reversible("consent" if state == "asked" else state)
        if found is None:
            return None
        if state == "asked":
            claim = claim_of(self.home.site, *found)
            takeback.take_back(self.home.site, claim, takeback.read_takeback(self.home.site, claim).reversible.to or 0)
        return path_to(self.home, *found) + ("?done=1" if state in ("held", "free", "no") else "")

    def at_request(self) -> str | None:
        """Somebody asks to take back a move."""
        if (found := self._until_reversible("consent")) is None:
            return None
        claim = claim_of(self.home.site, *found)
        can = takeback.read_takeback(self.home.site, claim).reversible
        if not can.needed:
            return None
        takeback.take_back(self.home.site, claim, can.to or 0)
        return path_to(self.home, found[0], can.needed[0])

    def in_window(self) -> str | None:
        """An answer in a silent window, sealed until it closes."""
        windows = [kind for kind, ask in all_games()[self.slug].meta.asks.items() if ask.window]
        for kind in windows:
            if found := self.find_asked(kind, self._answers_beside_others, windows="silent"):
                self.home.play(*found)
                return f"{path_to(self.home, *found)}?done=sealed"
        return None

    # --- while one waits ------------------------------------------------------------------------------------------

    def waiting(self) -> str | None:
        """Others are asked."""
        found = self._until(self._is_idle)
        return found and path_to(self.home, *found)

    def vote_on_late(self) -> str | None:
        """The time of somebody is up, and the reader has a vote. The clock is set back: other matches are not late."""
        found, now = self._until(self._is_idle, late="vote"), self.home.clock.at
        if found is None:
            return None
        self.home.clock.forward(seconds=HOLD_S + 1)  # mails that are held back are sent before time is up
        self.home.time_is_up(found[0])
        timeouts.sweep_deadlines(self.home.site)
        self.home.clock.at = now
        return path_to(self.home, *found)

    def absent(self) -> str | None:
        """The reader has missed two turns."""
        found = self._until(self._is_idle)
        if found is None:
            return None
        with self.home.site.writing() as work:
            row = work.get_one(SeatRow, found)
            row.absent, row.misses = True, 2
        return path_to(self.home, *found)

    def after_resigning(self) -> str | None:
        """The reader has resigned, and the others play on."""
        found = self._until(self._is_idle)
        if found is None or self.count < 3:
            return None
        presence.resign(self.home.site, claim_of(self.home.site, *found))
        return path_to(self.home, *found)

    def orders_answered(self) -> str | None:
        """What the reader's orders have answered since they looked last."""
        game = all_games()[self.slug]
        typed = [format_order(one, game) for kind in game.meta.orders for one in kind.samples[:1]]
        match_id = self._begin()
        for seat in range(self.count):
            for text in typed:
                claim, version = claim_of(self.home.site, match_id, seat), self.home.view(match_id, seat).sheet.version
                ordering.save_orders(self.home.site, claim, version, [text], "web")
        for n in range(MOST):
            if not self.home.asks(match_id):
                return None
            for seat in range(self.count):
                if self._seat((match_id, seat)).orders_news:
                    return path_to(self.home, match_id, seat)
            self._decide(match_id, n)
        return None

    # --- what happened, and what was said -------------------------------------------------------------------------

    def read_until(self, left: int) -> str | None:
        """A question, with all that happened before read but for the newest lines, as many as are left."""
        found = self._until(lambda where: self._is_asked(where) and self._length(where) > 3)
        if found is None:
            return None
        steps = replays.read_replay(self.home.site, *found, "en", found[1]).steps
        presence.mark_entries_seen(self.home.site, claim_of(self.home.site, *found), steps[-1 - left].entry)
        return path_to(self.home, *found)

    def card(self, before: int = 0) -> str | None:
        """A question, with important news that are not read, after `before` other lines."""
        found = self._until(lambda where: self._is_asked(where) and bool(self._cards(where)))
        if found is None:
            return None
        told = [line.n for line in self.home.view(*found).news("en").lines]
        first = told[max(0, told.index(self._cards(found)[0]) - before)]
        presence.mark_entries_seen(self.home.site, claim_of(self.home.site, *found), first - 1)
        return path_to(self.home, *found)

    def message(self) -> str | None:
        """A long message from another, and a note of one's own."""
        found = self._until(self._is_asked)
        if found is None:
            return None
        match_id, seat = found
        other = claim_of(self.home.site, match_id, (seat + 1) % self.count)
        talk.post_message(self.home.site, other, "A long word to the whole table. " * 9)
        talk.write_note(self.home.site, claim_of(self.home.site, *found), "Remember this.")
        return path_to(self.home, *found)

    # --- matches that stand still ---------------------------------------------------------------------------------

    def at_stop(self, status: str) -> str | None:
        """The match does not go on for the time being."""
        found = self._until(self._is_asked)
        if found is None:
            return None
        with self.home.site.writing() as work:
            work.get_one(Match, found[0]).status = status
        return path_to(self.home, *found)

    def over(self) -> str:
        """The match has come to its end."""
        match_id = self._begin()
        advance_match(self.home, match_id, END)
        return path_to(self.home, match_id, 1)

    def at_cancelling(self) -> str:
        """The organiser has called the match off before it began."""
        match_id = self._invite()
        matches.cancel_or_leave_match(self.home.site, self.home.claim("play", match_id, 0))
        return path_to(self.home, match_id, 0)

    def inviting(self) -> str:
        """Not everybody has accepted."""
        return path_to(self.home, self._invite(), 0)

    # --- how to get there -----------------------------------------------------------------------------------------

    def _link(self, where: Where, choice: str) -> str:
        ask = self._ask(where)
        return f"{path_to(self.home, *where)}?ask={ask.key}&{choice}"

    def _begin(self, **wanted: Any) -> str:
        return self.home.begin(self.count, self.slug, **wanted)

    def _invite(self) -> str:
        match_id = self.home.create(self.count, self.slug)
        matches.confirm_match(self.home.site, self.home.claim("confirm", match_id, 0), "en", "Europe/Paris")
        return match_id

    def _decide(self, match_id: str, n: int) -> None:
        asks = self.home.asks(match_id)
        self.home.bot_plays(match_id, asks[n % len(asks)].seat, n, GALLERY)

    def _until(self, is_so: Callable[[Where], bool], **wanted: str) -> Where | None:
        """Plays a new match until something is so for a seat, not at once at the start; None if it never is."""
        match_id = self._begin(**wanted)
        for n in range(MOST):
            if not self.home.asks(match_id):
                return None
            if n >= 2 * self.count:
                for seat in reversed(range(self.count)):
                    if is_so((match_id, seat)):
                        return match_id, seat
            self._decide(match_id, n)
        return None

    def find_asked(
        self, kind: str, is_so: Callable[[Where], bool] = lambda _where: True, most: int = MOST, **wanted: str
    ) -> Where | None:
        """Plays a new match until somebody is asked a question of this kind for which it is so.

        Where no such question comes, as in a race that the table has not chosen, the game's own samples of options are
        tried.
        """
        if kind in self.never:
            return None
        came = False
        for options in ({}, *(plain(one) for one in all_games()[self.slug].meta.samples)):
            match_id = self._begin(options=options, **wanted)
            for n in range(most):
                asks = self.home.asks(match_id)
                if not asks:
                    break
                for ask in reversed(asks):
                    came = came or ask.kind == kind
                    if ask.kind == kind and is_so((match_id, ask.seat)):
                        return match_id, ask.seat
                self._decide(match_id, n)
            if came:
                return None
        self.never.add(kind)
        return None

    def _until_reversible(self, state: str) -> Where | None:
        """Plays new matches until somebody who has just decided, or before, can take it back in this way."""
        for _ in range(2):
            match_id = self._begin()
            for n in range(FEW):
                asks = self.home.asks(match_id)
                if not asks:
                    break
                mover = asks[n % len(asks)].seat
                self._decide(match_id, n)
                if not self.home.asks(match_id):
                    break
                movers = range(self.count) if state == "consent" else (mover,)
                for seat in movers:
                    if self._can(match_id, seat, state):
                        return match_id, seat
        return None

    def _can(self, match_id: str, seat: int, state: str) -> bool:
        claim = claim_of(self.home.site, match_id, seat)
        found = takeback.read_takeback(self.home.site, claim).reversible.state
        if found == "held" and state == "free":
            self.home.clock.forward(seconds=HOLD_S + 1)
            found = takeback.read_takeback(self.home.site, claim).reversible.state
        return found == state

    def _ask(self, where: Where) -> OpenAsk:
        ask = self.home.view(*where).ask
        assert ask is not None
        return ask

    def _seat(self, where: Where) -> seats.Seated:
        return seats.read_play(self.home.site, claim_of(self.home.site, *where))[0]

    def _first_move(self, where: Where) -> str:
        view = self.home.view(*where)
        return view.game.format(view.legal()[0])

    def _length(self, where: Where) -> int:
        return len(replays.read_replay(self.home.site, *where, "en", where[1]).steps)

    def _cards(self, where: Where) -> list[int]:
        """The entries that important news tell."""
        return [line.n for line in self.home.view(*where).news("en").lines if line.card is not None]

    def _is_asked(self, where: Where) -> bool:
        return any(ask.seat == where[1] for ask in self.home.asks(where[0]))

    def _is_idle(self, where: Where) -> bool:
        return not self._is_asked(where)

    def _has_steps(self, where: Where) -> bool:
        view = self.home.view(*where)
        return any(len(view.game.path(move, view.fold, "en")) > 1 for move in view.legal())

    def _answers_beside_others(self, where: Where) -> bool:
        return len(self.home.asks(where[0])) > 1
