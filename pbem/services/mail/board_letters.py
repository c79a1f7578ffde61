"""What several letters say of a match: the board and what has happened, the clock, the result."""

from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session

from pbem.kit.contract import Lang, Outcome
from pbem.mail import parts
from pbem.models.tables import AskRow, Match
from pbem.services.calendar import deadlines, player_calendars
from pbem.services.log import store
from pbem.services.mail.letter_context import Desk
from pbem.services.views import talk
from pbem.services.views.match_views import View

MOST_LINES = 12
MOST_SAID = 6


def with_board(desk: Desk, view: View) -> dict[str, Any]:
    """The fields that every letter with the board has, as the viewer sees it."""
    assert view.viewer is not None, "mails go to seats"
    lang = desk.reader.lang
    said = said_to(desk.session, view)
    return {
        **desk.about(view.sheet.names),
        "recap": recap(view, lang),
        "moved": moved(view),
        "said": said[-MOST_SAID:],
        "said_before": max(0, len(said) - MOST_SAID),
        "board": parts.seen(view.game, view.fold, view.viewer, lang, view.scene(lang).recent),
        "mute_url": desk.link("mute", "mute"),
    }


def recap(view: View, lang: Lang, most: int = MOST_LINES) -> parts.Recap:
    """The newest lines since the viewer's last move, numbered from the first one; the board's page has the rest."""
    return tuple((i, line.text) for i, line in enumerate(view.recap(lang), 1))[-most:]


def moved(view: View) -> bool:
    """Whether the viewer has made a move themselves."""
    return view.last_own() is not None


def said_to(session: Session, view: View) -> tuple[parts.Said, ...]:
    """What the others have said at the table since the viewer's own last move, oldest first."""
    own = view.last_own()
    found = talk.said_since(session, view.sheet.id, datetime.fromisoformat(own.at) if own else None)
    return tuple(parts.Said(message.seat, message.text) for message in found if message.seat != view.viewer)


def away(desk: Desk, view: View) -> tuple[parts.Away, ...]:
    """The others who are on holiday."""
    others = (seat for seat in view.sheet.seats if seat.seat != view.viewer)
    return tuple(parts.Away(seat.seat, last) for seat in others if (last := seat.away(desk.now.date())) is not None)


def start(desk: Desk) -> parts.Start:
    """How the match is played, for its first mail."""
    match, game = desk.match, store.game_of(desk.match)
    windows = any(kind.window for kind in game.meta.asks.values()) and match.window_s != match.turn_s
    turn, increment = turn_time(match)
    return parts.Start(
        turn,
        timedelta(seconds=match.window_s) if windows else None,
        desk.site.url(f"/rules/{game.meta.slug}"),
        increment,
    )


def turn_time(match: Match) -> tuple[timedelta, timedelta | None]:
    """The time for each turn; or for all together, with what each turn adds to it."""
    if match.bank_s is None:
        return timedelta(seconds=match.turn_s), None
    return timedelta(seconds=match.bank_s), timedelta(seconds=match.increment_s)


def deadline(desk: Desk, row: AskRow, view: View) -> datetime:
    """The deadline that will hold for the viewer's question if its mail leaves now."""
    holidays = view.sheet.seats[row.seat].holidays
    return deadlines.at_the_mail(row, desk.now, player_calendars.with_holidays(desk.reader.player, holidays)).deadline


def standings(outcome: Outcome, seats: int) -> tuple[parts.Standing, ...]:
    """How each seat came out of the match: winners first, then by score."""
    scores = outcome.scores or (None,) * seats
    rows = [parts.Standing(seat, seat in outcome.winners, score) for seat, score in enumerate(scores)]
    return tuple(sorted(rows, key=lambda row: (not row.won, -(row.score or 0))))


def replay_url(desk: Desk) -> str:
    """Where the match can be watched again: for everybody, or by this seat's link at a private table."""
    if desk.match.spectators:
        return desk.site.url(f"/replay/{desk.match.id}")
    return desk.link("play", "play") + "/replay"
