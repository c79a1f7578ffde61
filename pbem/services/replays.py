"""A match step by step, as somebody may see it: each step is one line of the story and the board after it."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pbem.errors import N_, Forbidden, NotFound
from pbem.rules.contract import Event, Lang, Phrase, Scene, Viewer
from pbem.rules.replay import TableEvent, turn_of
from pbem.services import store, views
from pbem.services.site import Site
from pbem.services.views import Sheet

Eyes: TypeAlias = int | Literal["all"] | None
"""Whose eyes: a seat, a spectator (None), or everybody's together."""


@dataclass(frozen=True)
class Step:
    """One told entry. `n` counts the steps from 1; `opens` says that a turn begins with it."""

    n: int
    text: Phrase
    event: Event
    fold: Any
    opens: bool


@dataclass(frozen=True)
class Replay:
    """The steps that these eyes may see, told in one language."""

    sheet: Sheet
    eyes: Eyes
    lang: Lang
    steps: tuple[Step, ...]

    def board(self, step: Step) -> str:
        """The board after the step, what just happened marked with the step's number."""
        viewer: Viewer = None if self.eyes == "all" else self.eyes
        scene = Scene(recent=((step.n, step.event),))
        return self.sheet.game.draw(step.fold, viewer, self.lang, scene)


def choices(sheet: Sheet, seat: int | None) -> tuple[Eyes, ...]:
    """The eyes somebody may look through who holds this seat, or none; the first is what he sees unless he chooses.

    Once a match is over, these are all. Before, and after it was called off: his own seat, and the spectator where
    the table has some, which whoever holds a seat may show to others without showing his hand.
    """
    if not sheet.spectators and seat is None:
        return ()
    if sheet.over:
        return ("all", *range(len(sheet.seats)), None)
    return (seat, None) if seat is not None and sheet.spectators else (seat,)


def read_replay(site: Site, match_id: str, lang: Lang, seat: int | None = None, eyes: Eyes | str = "") -> Replay:
    """The match through these eyes, the caller's usual ones by default. `seat` is the one he holds a link to.

    Raises NotFound, Forbidden.
    """
    with site.reading() as session:
        match = store.get_match(session, match_id)
        sheet = views.sheet(session, match)
        allowed = choices(sheet, seat)
        if not allowed:
            raise Forbidden(N_("This table is private: only its players may look."))
        if eyes == "":
            eyes = allowed[0]
        if isinstance(eyes, int) and eyes >= len(sheet.seats):
            raise NotFound(N_("There is no such seat."))
        if eyes not in allowed:
            raise Forbidden(N_("As long as a match is not over, nobody may look through other eyes than his own."))
        if eyes == "all":
            entries = store.load_entries(session, match_id, sheet.game)
        else:
            assert not isinstance(eyes, str), "the only word among the allowed eyes is all"
            entries = list(views.view(session, match, eyes).entries)
    return Replay(sheet, eyes, lang, tuple(_steps(sheet, entries, lang)))


def _steps(sheet: Sheet, entries: list[Any], lang: Lang) -> list[Step]:
    game = sheet.game
    steps: list[Step] = []
    fold, turn = None, ""
    for entry in entries:
        if isinstance(entry.event, TableEvent):
            continue
        text = game.tell(entry.event, fold, lang)
        fold = game.evolve(fold, entry.event)
        if text:
            now = turn_of(entry.key) if entry.key else turn
            steps.append(Step(len(steps) + 1, text, entry.event, fold, opens=now != turn))
            turn = now
    return steps
