"""Pictures of replays: a GIF of a stretch, a PNG of a step, all boards for a page that somebody saves. A worker draws
them (`drawing`).

    request_picture              a row, unless there is one for the same picture
    draw_frames_of_next_picture  a worker claims the picture that has waited longest, with a lease, and draws for a
                                 moment; again and again, after mails and clocks had their turn, until the file is whole
    read_file                    the file, for a day

1. A picture is made of `replays.read_replay`, each time its worker draws, so it shows what the page of the replay shows
   this viewer. Which entries it shows is fixed when it is requested.
2. Its row has a hash of what the viewer saw then. If that changes, because a fact has faded, a seat was taken over or
   the match has ended, what is drawn is shown to nobody, and the picture has to be requested again. If a player is
   erased, the pictures of their matches are deleted.
3. Anyone who wants to see it must be allowed to see this replay at that moment.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection, Row, delete, func, select, update
from sqlmodel import Session

from pbem.errors import N_, Gone, Invalid, NotFound, TooMany
from pbem.features.pictures import boards
from pbem.features.pictures.tables import ReplayPicture
from pbem.kit.codec import encode
from pbem.kit.contract import AnyGame, Viewer
from pbem.kit.replay import AnyEntry
from pbem.kit.texts import Lang
from pbem.models.tables import SeatRow, table
from pbem.render.pictures import Theme
from pbem.services.findings import Due, count_due
from pbem.services.log.outbox import insert_row_unless_key_exists
from pbem.services.players import first_names
from pbem.services.site import Site, Work
from pbem.services.statements import sweep_of_table
from pbem.services.views import match_views, replays
from pbem.services.views.replays import Eyes, MatchReplay, Perspective, Step

Kind = Literal["gif", "png", "htm"]
Pace = Literal["slow", "normal", "fast"]
PACES: dict[Pace, int] = {"slow": 3000, "normal": 1500, "fast": 700}
"""The milliseconds for which a frame stands; *normal* is as long as on the page of the replay."""
MOST = 120
"""The most steps of a GIF."""
LARGEST = 8_000_000
"""The most bytes of a file."""
KEPT = timedelta(days=1)
OPEN_EACH = 3
"""How many unfinished pictures a seat may have, or all spectators of a match together."""
OPEN_ALL = 60
SPACE = 400_000_000
"""The bytes that all pictures together may take in the database; beyond, the oldest finished ones are deleted."""
RETRY_S = 30
MADE, STALE, LARGE = "made", "stale", "large"
"""The results of a picture, besides `FAILED`."""


@dataclass(frozen=True)
class Wanted:
    """What a picture is to show: the steps from `first` to `last`, counted from 1.

    A PNG shows the first. A saved page (htm) shows all steps, in all colours and at any pace.
    """

    kind: Kind
    first: int = 1
    last: int = 1
    pace: Pace = "normal"
    theme: Theme = "light"


@dataclass(frozen=True)
class Picture:
    """A picture that was requested, and how far it is."""

    id: str
    kind: Kind
    drawn: int
    total: int
    result: str | None
    """made; or not: stale, large, failed; None while it is drawn"""
    size: int
    until: datetime
    eyes: str
    open: bool
    """True if the match is over and shows everything."""
    game: AnyGame


@dataclass(frozen=True)
class File:
    """A finished picture. `eyes` is whose, as addresses write it, `lang` its language."""

    kind: Kind
    data: bytes
    game: str
    open: bool
    eyes: str
    lang: Lang


_t = table(ReplayPicture)
FACTS = [column for column in _t.c if column.name != "data"]
"""The columns of a picture without its file."""


# --- requesting and looking ------------------------------------------------------------------------------------


def request_picture(site: Site, match_id: str, viewer: Viewer, lang: Lang, eyes: Eyes | str, wanted: Wanted) -> str:
    """Returns the id of the picture, which a worker draws; the same request again returns the same one.

    Raises NotFound, Forbidden, Invalid for steps that it cannot show, and TooMany.
    """
    seen = replays.read_replay(site, match_id, viewer, lang, eyes)
    first, last = _first_and_last_step(seen, wanted)
    facts = {
        "match_id": match_id, "eyes": "none" if seen.eyes is None else str(seen.eyes), "lang": lang,
        "theme": wanted.theme, "kind": wanted.kind,
        "frame_ms": PACES[wanted.pace] if wanted.kind == "gif" else 0, "first_n": first.entry, "last_n": last.entry,
        "seen": digest_of_replay(seen.names, seen.entries, last.entry),
    }  # fmt: skip
    dedupe = hashlib.sha256(encode(sorted(facts.items()))).hexdigest()
    frames, now = last.n - first.n + 1 + (wanted.kind == "htm"), site.now()  # what completes a page counts as one
    fresh = {
        "seat": viewer, "total": frames, "drawn": 0, "data": None, "size": 0, "created_at": now,
        "turn_at": now, "claimed_until": None, "attempts": 0, "done_at": None, "result": None, "until": now + KEPT,
    }  # fmt: skip
    with site.writing() as work:
        found = work.execute(select(_t.c.id, _t.c.result, _t.c.until).where(_t.c.dedupe == dedupe)).first()
        if found is not None and found.until > now and found.result in (None, MADE):
            return str(found.id)
        _check_limit_of_pictures_at_once(work, match_id, viewer)
        _delete_oldest_pictures(work, dedupe)
        if found is not None:
            # Of two requests at once the second finds it fresh, and changes nothing.
            work.execute(update(_t).where(_t.c.id == found.id, _t.c.until == found.until).values(**fresh))
        elif not insert_row_unless_key_exists(
            work, ReplayPicture, {"id": site.entropy(12).hex(), "dedupe": dedupe, **facts, **fresh}
        ):
            return str(work.execute(select(_t.c.id).where(_t.c.dedupe == dedupe)).scalar_one())
        work.wakes = True
        return str(found.id if found else work.execute(select(_t.c.id).where(_t.c.dedupe == dedupe)).scalar_one())


def _first_and_last_step(seen: MatchReplay, wanted: Wanted) -> tuple[Step, Step]:
    """Returns the first and the last step of the picture. Raises Invalid; its `extra["field"]` is the wrong one's."""
    if not seen.steps:
        raise Invalid(N_("The match has not begun yet."))
    most = len(seen.steps)
    if wanted.kind == "htm":
        if not seen.sheet.open:
            raise Invalid(
                N_("A replay can be saved as a page once the match is over. Until then, save a GIF of it.")
            )  # fmt: skip
        if most > boards.MOST:
            raise Invalid(
                N_("This replay is too long for one page. Download the log instead: it can be opened here.")
            )  # fmt: skip
        return seen.steps[0], seen.steps[-1]
    last = wanted.first if wanted.kind == "png" else wanted.last
    if not 1 <= wanted.first <= last <= most:
        message = N_("Choose steps between 1 and %(most)s, the first one not after the last.")
        wrong = "last" if 1 <= wanted.first <= most else "first"
        raise Invalid(message, {"most": most}, extra={"field": wrong})
    if last - wanted.first >= MOST:
        message = N_("A GIF shows at most %(most)s steps. Choose fewer.")
        raise Invalid(message, {"most": MOST}, extra={"field": "last"})
    return seen.steps[wanted.first - 1], seen.steps[last - 1]


def _check_limit_of_pictures_at_once(session: Session, match_id: str, viewer: Viewer) -> None:
    """Raises TooMany if too many pictures are being drawn already, for this viewer or for all.

    Concurrent requests do not see each other, so the limits may be exceeded by that many.
    """
    undone, count = _t.c.done_at.is_(None), func.count()
    mine = select(count).where(undone, _t.c.match_id == match_id, _t.c.seat.is_not_distinct_from(viewer))
    if session.execute(mine).scalar_one() >= OPEN_EACH:
        message = N_("Pictures of this match are being drawn for you already. Ask again when one of them is finished.")
        raise TooMany(message, retry_after=RETRY_S)
    if session.execute(select(count).select_from(_t).where(undone)).scalar_one() >= OPEN_ALL:
        message = N_("Too many pictures are being drawn at the moment. Please try again in a minute.")
        raise TooMany(message, retry_after=RETRY_S)


def _delete_oldest_pictures(session: Session, dedupe: str) -> None:
    """Deletes the oldest finished pictures, except the one to be drawn again, until there is space for another one.

    Raises TooMany if unfinished ones take all of it.
    """
    over = session.execute(select(func.coalesce(func.sum(_t.c.size), 0))).scalar_one() - SPACE
    if over < 0:
        return
    finished = select(_t.c.id, _t.c.size).where(_t.c.done_at.is_not(None), _t.c.size > 0, _t.c.dedupe != dedupe)
    evicted = []
    for row in session.execute(finished.order_by(_t.c.done_at, _t.c.id)):
        evicted.append(row.id)
        over -= row.size
        if over < 0:
            break
    else:
        message = N_("There is no space for more pictures at the moment. Please try again in a minute.")
        raise TooMany(message, retry_after=RETRY_S)
    session.execute(delete(_t).where(_t.c.id.in_(evicted)))


def read_picture(site: Site, match_id: str, viewer: Viewer, picture_id: str) -> Picture:
    """Returns how far the picture is, to those who may see its replay. Raises NotFound, Forbidden."""
    row, seen = _row_and_perspective(site, match_id, viewer, picture_id)
    stale = row.result in (None, MADE) and digest_of_replay(seen.sheet.names, seen.entries, row.last_n) != row.seen
    return Picture(
        row.id, row.kind, row.drawn, row.total, STALE if stale else row.result, row.size, row.until, row.eyes,
        seen.sheet.open, seen.sheet.game,
    )  # fmt: skip


def read_file(site: Site, match_id: str, viewer: Viewer, picture_id: str) -> File:
    """Returns the finished picture, to those who may see its replay.

    Raises NotFound, also while it is not finished, Forbidden, and Gone if the replay shows something else by now.
    """
    row, seen = _row_and_perspective(site, match_id, viewer, picture_id)
    if row.result != MADE:
        raise _unknown_picture_error()
    if digest_of_replay(seen.sheet.names, seen.entries, row.last_n) != row.seen:
        raise Gone(N_("The replay of this match shows something else by now. Make the picture again."))
    with site.reading() as session:
        data = session.execute(select(_t.c.data).where(_t.c.id == row.id)).scalar()
    if data is None:
        raise _unknown_picture_error()
    return File(row.kind, data, seen.sheet.game.meta.slug, seen.sheet.open, row.eyes, row.lang)


def _row_and_perspective(site: Site, match_id: str, viewer: Viewer, picture_id: str) -> tuple[Row[Any], Perspective]:
    """Returns the row, and what this viewer may see now through its eyes. Raises NotFound, Forbidden."""
    with site.reading() as session:
        match_views.visible_match(session, match_id, viewer)
        wanted = select(*FACTS).where(_t.c.id == picture_id, _t.c.match_id == match_id)
        row = session.execute(wanted).first()
    if row is None or row.until <= site.now():
        raise _unknown_picture_error()
    return row, replays.read_perspective(site, match_id, viewer, parse_eyes(row.eyes))


def _unknown_picture_error() -> NotFound:
    return NotFound(N_("There is no such picture. Each is kept for a day: make it again."))


def forget_seat(work: Work, seat: SeatRow) -> None:
    """Deletes all pictures of the seat's match; what a worker is drawing just now is not stored."""
    work.execute(delete(_t).where(_t.c.match_id == seat.match_id))


def delete_pictures_of_matches_left(site: Site, player_id: int) -> None:
    """Deletes the pictures of matches in which somebody else has taken over the player's seat: they have its name."""
    with site.reading() as session:
        left = [one.match_id for one in first_names.seats_taken_over_from(session, player_id)]
    for match_id in left:
        with site.writing() as work:
            work.execute(delete(_t).where(_t.c.match_id == match_id))


forget_old = sweep_of_table(ReplayPicture, lambda c, now: c.until <= now)


def pictures_due(connection: Connection, now: datetime) -> Due:
    """Returns the pictures of replays that are not finished, by when their last frames were drawn."""
    return count_due(connection, now, _t.c.turn_at, _t.c.done_at.is_(None))


# --- what a picture depends on ---------------------------------------------------------------------------------


def digest_of_replay(names: Sequence[str], entries: Sequence[AnyEntry], last_n: int) -> str:
    """Returns a hash of what the viewer sees up to this entry: facts and names, nothing else."""
    digest = hashlib.sha256(encode([*names]))
    for entry in entries:
        if entry.n > last_n:
            break
        digest.update(encode(entry))
    return digest.hexdigest()


def parse_eyes(word: str) -> Eyes:
    """Reads the viewer as the row has it."""
    if word in ("all", "none"):
        return "all" if word == "all" else None
    return int(word)
