"""A match step by step, as a viewer may see it: each step is one line of the story and the board after it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from markupsafe import Markup

from pbem.errors import N_, Forbidden, NotFound
from pbem.kit.contract import AnyGame, Event, Phrase, Scene, Shape, Viewer
from pbem.kit.replay import (
    AnyEntry,
    TableEvent,
    Undone,
    does_end_match,
    entries_not_taken_back,
    evolve_all,
    turn_of_key,
)
from pbem.kit.texts import Lang
from pbem.render import phrases, pictures
from pbem.render.table_story import Narrator
from pbem.services.log.store import Table
from pbem.services.site import Site
from pbem.services.views import match_views
from pbem.services.views.match_views import Sheet

Eyes: TypeAlias = int | Literal["all"] | None
"""The perspective of a replay: a seat's, a spectator's (None), or everybody's combined ("all")."""

_ROUND = re.compile(r"r(\d{1,4})\.")


@dataclass(frozen=True)
class Step:
    """One entry with a line in the story.

    `n` counts the steps from 1, `entry` is its number in the log, and `fold` is the one after it.
    """

    n: int
    entry: int
    text: Phrase
    event: Event
    fold: Any
    turn: str
    """The turn it belongs to, as named in the keys of asks; "" before the first one."""
    seat: int | None
    """The seat whose decision caused it; None if chance or the table did."""
    opens: bool
    """True if a turn begins with this step."""


@dataclass(frozen=True)
class Turn:
    """The beginning of a turn: its step, the round named in its key, and its seat."""

    step: int
    round: int | None
    seat: int | None


@dataclass(frozen=True)
class Replay:
    """The steps visible from this perspective, told in one language."""

    game: AnyGame
    names: Sequence[str]
    eyes: Eyes
    lang: Lang
    steps: tuple[Step, ...]
    resigned: bool = field(default=False, kw_only=True)
    """True for a viewer who has resigned: their boards do not say what they were to do."""
    bots: frozenset[int] = field(default=frozenset(), kw_only=True)
    """The seats that bots play, as far as they are known."""

    def board(self, step: Step, shape: Shape = "portrait", counted_from: int = 0) -> str:
        """Returns the board after the step, its event marked with the step's number, less the number counted from."""
        viewer: Viewer = None if self.eyes == "all" else self.eyes
        recent = () if isinstance(step.event, TableEvent) else ((step.n - counted_from, step.event),)
        over = does_end_match(step.event)
        scene = Scene(recent=recent, shape=shape, resigned=self.resigned, over=over, bots=self.bots)
        return self.game.draw(step.fold, viewer, self.lang, scene)

    def picture(self, step: Step, shape: Shape = "portrait", counted_from: int = 0) -> Markup:
        """Returns the board as a page shows it, with names."""
        return pictures.svg_with_names(self.board(step, shape, counted_from), self.names)

    def line(self, step: Step) -> Markup:
        """Returns the step's line of the story, with names and marks."""
        return phrases.phrase_html(step.text, self.names, self.game.meta)

    def turns(self) -> list[Turn]:
        """Returns where turns begin, in order."""
        return [Turn(step.n, round_in_key(step.turn), step.seat) for step in self.steps if step.opens]


@dataclass(frozen=True)
class Perspective:
    """The log of a match as these eyes see it."""

    sheet: Sheet
    eyes: Eyes
    entries: tuple[AnyEntry, ...]


@dataclass(frozen=True)
class MatchReplay(Replay):
    """The replay of a match played on this site."""

    sheet: Sheet
    entries: tuple[AnyEntry, ...]
    """The log that this perspective sees, from which the steps are."""


def perspectives_of_reader(sheet: Sheet, seat: int | None) -> tuple[Eyes, ...]:
    """Returns the perspectives available to the holder of this seat, or to a spectator; the first is the default.

    Once a match is open, these are all. Before that, and after a cancellation: the player's own seat, and the
    spectator's if the match admits spectators, which players can use to show the match to others without revealing
    their hand.
    """
    if not sheet.spectators and seat is None:
        return ()
    if sheet.open:
        return perspectives_of_open_match(len(sheet.seats))
    return (seat, None) if seat is not None and sheet.spectators else (seat,)


def perspectives_of_open_match(seats: int) -> tuple[Eyes, ...]:
    """Returns all perspectives of a match in which nothing is secret any more."""
    return ("all", *range(seats), None)


def read_replay(site: Site, match_id: str, viewer: Viewer, lang: Lang, eyes: Eyes | str = "") -> MatchReplay:
    """Returns the match from this perspective, by default the viewer's usual one. Raises NotFound, Forbidden."""
    seen = read_perspective(site, match_id, viewer, eyes)
    sheet, steps = seen.sheet, tuple(steps_of(seen.sheet.game, seen.entries, lang))
    return MatchReplay(sheet.game, sheet.names, seen.eyes, lang, steps, sheet, seen.entries, bots=sheet.bots)


def read_perspective(site: Site, match_id: str, viewer: Viewer, eyes: Eyes | str) -> Perspective:
    """Returns what these eyes see of the match; no story is told. Raises NotFound, Forbidden.

    "" stands for the viewer's usual eyes, the first of their `perspectives_of_reader`.
    """
    with site.reading() as session:
        table = Table(session, match_views.visible_match(session, match_id, viewer))
        sheet = match_views.sheet(table, viewer)
        allowed = perspectives_of_reader(sheet, viewer)
        if eyes == "":
            eyes = allowed[0]
        if isinstance(eyes, int) and eyes >= len(sheet.seats):
            raise NotFound(N_("There is no such seat."))
        if eyes not in allowed:
            raise Forbidden(N_("Until a match is over, players see it from their own seat only."))
        if eyes == "all":
            return Perspective(sheet, eyes, tuple(table.entries))
        assert not isinstance(eyes, str), "the only word among the allowed eyes is all"
        return Perspective(sheet, eyes, tuple(match_views.view(table, eyes).entries))


def steps_of(game: AnyGame, entries: Iterable[AnyEntry], lang: Lang) -> Iterator[Step]:
    """Yields the steps for these entries; lazy, so no entry is read before it is needed."""
    fold, n, turn, narrator = None, 0, "", Narrator(game, lang)
    began: str | None = None
    before: list[AnyEntry] = []
    for entry in entries:
        of_game = not isinstance(entry.event, TableEvent)
        text = narrator.line(entry, game.tell(entry.event, fold, lang) if of_game else "")
        fold = game.evolve(fold, entry.event) if of_game else fold
        before.append(entry)
        if isinstance(entry.event, Undone):
            fold = evolve_all(game, None, (one.event for one in entries_not_taken_back(before)))
        if fold is None:
            continue  # there is nothing to see before the game has begun
        turn = turn_of_key(entry.key) if entry.key else turn
        if text:
            n += 1
            yield Step(n, entry.n, text, entry.event, fold, turn, entry.seat_answered_for, opens=turn != began)
            began = turn


def round_in_key(key: str) -> int | None:
    """Returns the round that the key of an ask, or of a turn, names; None if its game has no rounds.

    >>> round_in_key("r2.t5.call"), round_in_key("t5"), round_in_key("")
    (2, None, None)
    """
    found = _ROUND.match(key)
    return int(found[1]) if found else None
