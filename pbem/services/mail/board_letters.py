"""The letters with a board: the match has begun, your turn, your turn is still open, the match is over."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import and_, or_
from sqlmodel import Session, col, select

from pbem.kit.choices import kinds_of
from pbem.kit.contract import AnyGame, Lang, Move, Outcome
from pbem.mail import letters as mail
from pbem.mail import parts
from pbem.models.tables import AskRow, Match, OutboxRow
from pbem.services.calendar import deadlines, player_calendars
from pbem.services.log import store
from pbem.services.mail import digests
from pbem.services.mail.letter_context import Desk
from pbem.services.views import match_views, talk
from pbem.services.views.match_views import View

MOST_LINES = 12
MOST_SAID = 6


def turn(desk: Desk) -> mail.AnyLetter | str:
    """The seat is asked something, unless it has answered or the day's mail will tell of it in time."""
    return _asked(desk, mail.YourTurn)


def reminder(desk: Desk) -> mail.AnyLetter | str:
    """The seat is still asked; of two that wait to be sent only the newer one leaves."""
    if newer(desk.session, desk.row):
        return "stale"
    return _asked(desk, mail.Reminder)


def newer(session: Session, row: OutboxRow) -> bool:
    """True if a later mail of the same kind for the same reader waits or was sent, which makes this one pointless.

    One that cannot be rendered tells nobody anything.
    """
    reader = (
        (col(OutboxRow.player_id) == row.player_id,)
        if row.match_id is None
        else (col(OutboxRow.match_id) == row.match_id, col(OutboxRow.seat) == row.seat)
    )
    waits = and_(col(OutboxRow.done_at).is_(None), col(OutboxRow.unrendered_since).is_(None))
    tells = or_(waits, col(OutboxRow.result) == "sent")
    later = (col(OutboxRow.kind) == row.kind, col(OutboxRow.id) > row.id, tells)
    return session.exec(select(OutboxRow.id).where(*later, *reader).limit(1)).first() is not None


def _asked(desk: Desk, kind: type[mail.YourTurn]) -> mail.AnyLetter | str:
    around = store.bundle_of(desk.session, desk.match.id)
    row = next((a for a in around.asks if a.seat == desk.seat.seat), None)
    if desk.match.status != "running" or row is None or row.origin != desk.row.key:
        return "stale"
    if digests.tells(desk.session, desk.reader.player, row.deadline, desk.now):
        return "digest"
    view = match_views.view(desk.session, desk.match, desk.seat.seat, around)
    assert view.ask is not None, "the question is open"
    lang, game, ask = desk.reader.lang, view.game, view.ask
    play_url = desk.link("play", "play")
    names = view.sheet.names
    return kind(
        **_with_board(desk, view), key=ask.key, title=game.meta.asks[ask.kind].title[lang],
        prompt=game.prompt(ask.ask, view.fold, lang), choices=choices(view, lang, play_url),
        deadline=deadline(desk, row, view), play_url=play_url,
        start=_start(desk) if _first(desk, view) else None,
        waiting=tuple(names[s.seat] for s in view.sheet.seats if not s.asked),
        asked=tuple(names[s.seat] for s in view.sheet.seats if s.asked and s.seat != desk.seat.seat),
        away=away(desk, view),
    )  # fmt: skip


def deadline(desk: Desk, row: AskRow, view: View) -> datetime:
    """The deadline that will hold for the viewer's question if its mail leaves now."""
    holidays = view.sheet.seats[row.seat].holidays
    return deadlines.at_the_mail(row, desk.now, player_calendars.with_holidays(desk.reader.player, holidays)).deadline


def started(desk: Desk) -> mail.AnyLetter | str:
    """Everybody has accepted; who is asked himself by now learns it from the mail that says so."""
    view = match_views.view(desk.session, desk.match, desk.seat.seat)
    if desk.match.status != "running" or view.ask is not None:
        return "stale"
    asked = tuple(seat.name for seat in view.sheet.seats if seat.asked)
    return mail.Started(
        **_with_board(desk, view), start=_start(desk), play_url=desk.link("play", "play"), asked=asked,
        away=away(desk, view),
    )  # fmt: skip


def away(desk: Desk, view: View) -> tuple[parts.Away, ...]:
    """The others who are on holiday."""
    others = (seat for seat in view.sheet.seats if seat.seat != view.viewer)
    return tuple(parts.Away(seat.seat, last) for seat in others if (last := seat.away(desk.now.date())) is not None)


def over(desk: Desk) -> mail.AnyLetter | str:
    """The match was played to its end; who has one mail a day reads it there."""
    view = match_views.view(desk.session, desk.match, desk.seat.seat)
    outcome = view.sheet.outcome
    if outcome is None or desk.seat.status != "accepted":
        return "stale"
    if desk.reader.player.digest_hour is not None:
        return "digest"
    game, lang = view.game, desk.reader.lang
    final = store.load_state(desk.session, desk.match, game)  # the match is over: nothing is secret any more
    return mail.MatchOver(
        **_with_board(desk, replace(view, fold=final)), outcome=game.meta.endings[outcome.reason][lang],
        standings=standings(outcome, len(view.sheet.seats)), play_url=desk.link("play", "play"),
        replay_url=replay_url(desk),
    )  # fmt: skip


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


# --- what these letters share ------------------------------------------------------------------------------


def _with_board(desk: Desk, view: View) -> dict[str, Any]:
    """The fields of a letter with the board, as the viewer sees it."""
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


def _start(desk: Desk) -> parts.Start:
    match, game = desk.match, store.game_of(desk.match)
    windows = any(kind.window for kind in game.meta.asks.values()) and match.window_s != match.turn_s
    turn, increment = turn_time(match)
    return parts.Start(
        turn, timedelta(seconds=match.window_s) if windows else None, desk.site.url(f"/rules/{game.meta.slug}"),
        increment,
    )  # fmt: skip


def turn_time(match: Match) -> tuple[timedelta, timedelta | None]:
    """The time for each turn; or for all together, with what each turn adds to it."""
    if match.bank_s is None:
        return timedelta(seconds=match.turn_s), None
    return timedelta(seconds=match.bank_s), timedelta(seconds=match.increment_s)


def _first(desk: Desk, view: View) -> bool:
    """Whether this is the first that the reader hears of the match since it began."""
    if moved(view):
        return False
    told = select(OutboxRow.id).where(
        col(OutboxRow.match_id) == desk.match.id,
        col(OutboxRow.seat) == desk.seat.seat,
        col(OutboxRow.kind).in_(("started", "turn", "reminder")),
        col(OutboxRow.result) == "sent",
        col(OutboxRow.id) != desk.row.id,
    )
    return desk.session.exec(told.limit(1)).first() is None


def moved(view: View) -> bool:
    """Whether the viewer has made a move himself."""
    return view.last_own() is not None


def recap(view: View, lang: Lang, most: int = MOST_LINES) -> parts.Recap:
    """The newest lines since the viewer's last move, numbered from the first one; the board's page has the rest."""
    return tuple((i, line.text) for i, line in enumerate(view.recap(lang), 1))[-most:]


def said_to(session: Session, view: View) -> tuple[parts.Said, ...]:
    """What the others have said at the table since the viewer's own last move, oldest first."""
    own = view.last_own()
    found = talk.said_since(session, view.sheet.id, datetime.fromisoformat(own.at) if own else None)
    return tuple(parts.Said(message.seat, message.text) for message in found if message.seat != view.viewer)


def choices(view: View, lang: Lang, play_url: str) -> tuple[parts.Choice, ...]:
    """Links to single moves where there are few of a kind, else one link a kind; at most `mail.MOST_CHOICES`."""
    assert view.ask is not None
    groups = sorted(kinds_of(view.legal()).values(), key=len)
    room = mail.MOST_CHOICES
    out: list[parts.Choice] = []
    for left, moves in zip(range(len(groups) - 1, -1, -1), groups, strict=True):
        if len(moves) <= room - left:
            out += [_single(view, move, lang, play_url) for move in moves]
            room -= len(moves)
        else:
            out.append(_of_kind(view, moves[0], lang, play_url))
            room -= 1
    return tuple(out)


def _single(view: View, move: Move, lang: Lang, play_url: str) -> parts.Choice:
    game: AnyGame = view.game
    picks = ",".join(step.text for step in game.path(move, view.fold, lang))
    return parts.Choice(game.label(move, view.fold, lang), game.format(move), _picked(view, play_url, picks))


def _of_kind(view: View, example: Move, lang: Lang, play_url: str) -> parts.Choice:
    step = view.game.path(example, view.fold, lang)[0]
    return parts.Choice(step.label, "", _picked(view, play_url, step.text))


def _picked(view: View, play_url: str, picks: str) -> str:
    assert view.ask is not None
    return f"{play_url}?{urlencode({'ask': view.ask.key, 'pick': picks})}"
