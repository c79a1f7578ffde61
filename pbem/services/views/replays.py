"""A match step by step, as somebody may see it: each step is one line of the story and the board after it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from markupsafe import Markup

from pbem.errors import N_, Forbidden, NotFound
from pbem.kit.contract import AnyGame, Event, Lang, Phrase, Scene, Viewer
from pbem.kit.replay import AnyEntry, TableEvent, turn_of
from pbem.render import phrases, pictures
from pbem.render.table_story import Narrator
from pbem.services.log import store
from pbem.services.site import Site
from pbem.services.views import match_views
from pbem.services.views.match_views import Sheet

Eyes: TypeAlias = int | Literal["all"] | None
"""Whose eyes: a seat, a spectator (None), or everybody's together."""

_ROUND = re.compile(r"r(\d{1,4})\.")


@dataclass(frozen=True)
class Step:
    """One told entry. `n` counts the steps from 1, `entry` is its number in the log; the fold is the one after it."""

    n: int
    entry: int
    text: Phrase
    event: Event
    fold: Any
    turn: str
    """The turn it belongs to, as the keys of questions name it; "" before the first one."""
    seat: int | None
    """Whose decision it follows from; None where luck or the table decided."""
    opens: bool
    """Whether a turn begins with it."""


@dataclass(frozen=True)
class Turn:
    """Where a turn begins: the step, the round that its key names, and whose it is."""

    step: int
    round: int | None
    seat: int | None


@dataclass(frozen=True)
class Replay:
    """The steps that these eyes may see, told in one language."""

    game: AnyGame
    names: Sequence[str]
    eyes: Eyes
    lang: Lang
    steps: tuple[Step, ...]

    def board(self, step: Step) -> str:
        """The board after the step, what just happened marked with the step's number."""
        viewer: Viewer = None if self.eyes == "all" else self.eyes
        scene = Scene() if isinstance(step.event, TableEvent) else Scene(recent=((step.n, step.event),))
        return self.game.draw(step.fold, viewer, self.lang, scene)

    def picture(self, step: Step) -> Markup:
        """The board as a page shows it, with names."""
        return pictures.page_svg(self.board(step), self.names)

    def line(self, step: Step) -> Markup:
        """The step's line of the story, with names and marks."""
        return phrases.html(step.text, self.names, self.game.meta)

    def turns(self) -> list[Turn]:
        """Where turns begin, in order."""
        return [_turn(step) for step in self.steps if step.opens]


@dataclass(frozen=True)
class MatchReplay(Replay):
    """The replay of a match that is played here."""

    sheet: Sheet


def choices(sheet: Sheet, seat: int | None) -> tuple[Eyes, ...]:
    """The eyes somebody may look through who holds this seat, or none; the first is what he sees unless he chooses.

    Once a match is over, these are all. Before, and after it was called off: his own seat, and the spectator where
    the table has some, which whoever holds a seat may show to others without showing his hand.
    """
    if not sheet.spectators and seat is None:
        return ()
    if sheet.over:
        return all_eyes(len(sheet.seats))
    return (seat, None) if seat is not None and sheet.spectators else (seat,)


def all_eyes(seats: int) -> tuple[Eyes, ...]:
    """All that a match can be seen with when nothing in it is secret any more."""
    return ("all", *range(seats), None)


def read_replay(site: Site, match_id: str, viewer: Viewer, lang: Lang, eyes: Eyes | str = "") -> MatchReplay:
    """The match through these eyes, the viewer's usual ones by default.

    Raises NotFound, Forbidden.
    """
    with site.reading() as session:
        match = store.get_match(session, match_id)
        sheet = match_views.sheet(session, match)
        allowed = choices(sheet, viewer)
        if not allowed:
            raise Forbidden(N_("This match is private: only its players may watch."))
        if eyes == "":
            eyes = allowed[0]
        if isinstance(eyes, int) and eyes >= len(sheet.seats):
            raise NotFound(N_("There is no such seat."))
        if eyes not in allowed:
            raise Forbidden(N_("Until a match is over, players see it from their own seat only."))
        if eyes == "all":
            entries = store.load_entries(session, match_id, sheet.game)
        else:
            assert not isinstance(eyes, str), "the only word among the allowed eyes is all"
            entries = list(match_views.view(session, match, eyes).entries)
    return MatchReplay(sheet.game, sheet.names, eyes, lang, tuple(steps_of(sheet.game, entries, lang)), sheet)


def steps_of(game: AnyGame, entries: Iterable[AnyEntry], lang: Lang) -> Iterator[Step]:
    """The steps that these entries make, as they are seen; entry by entry, none is looked at before it is needed."""
    fold, n, turn, narrator = None, 0, "", Narrator(lang)
    began: str | None = None
    for entry in entries:
        of_game = not isinstance(entry.event, TableEvent)
        text = narrator.line(entry, game.tell(entry.event, fold, lang) if of_game else "")
        fold = game.evolve(fold, entry.event) if of_game else fold
        if fold is None:
            continue  # nothing is seen before the game has begun
        turn = turn_of(entry.key) if entry.key else turn
        if text:
            n += 1
            yield Step(n, entry.n, text, entry.event, fold, turn, entry.by.answers_for, opens=turn != began)
            began = turn


def _turn(step: Step) -> Turn:
    found = _ROUND.match(step.turn)
    return Turn(step.n, int(found[1]) if found else None, step.seat)
