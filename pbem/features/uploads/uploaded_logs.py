"""Uploaded logs: validated as strictly as any log, kept for a while, and visible to anybody who knows their address.

A log opened on a page is kept for a day, one sent by a program for a month.

An uploaded log never becomes a match: it has no players, nobody is asked, and it cannot be played on. Its replay is
computed from the log alone. Any failure is blamed on the log and on the entry at which it happens, even if a game
crashes on it: a forged entry may be well formed and still lead to a position that no match can reach.
"""

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from markupsafe import Markup
from sqlalchemy import and_, func, or_, select, true
from sqlmodel import Session

from pbem.config import Config
from pbem.errors import N_, Forbidden, NotFound, TooMany
from pbem.features.uploads.settings import MEGABYTES
from pbem.features.uploads.tables import UploadedLogRow
from pbem.games import find_game
from pbem.kit.contract import Shape
from pbem.kit.logs import log_errors, logfile
from pbem.kit.logs.log_errors import BadLog
from pbem.kit.logs.logfile import Log
from pbem.kit.notation import seat_letter
from pbem.kit.replay import AnyEntry, redact_entries
from pbem.kit.texts import LANGS, Lang, Text
from pbem.models.tables import table
from pbem.render import phrases
from pbem.services.access import idempotency
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.log.locks import lock_player
from pbem.services.site import Site
from pbem.services.statements import sweep_of_table
from pbem.services.views.replays import Eyes, Replay, Step, perspectives_of_open_match, steps_of
from pbem.services.who import HOST, STRANGER, Caller, Owner

SENT = timedelta(days=30)
OPENED = timedelta(days=1)
HOUR = timedelta(hours=1)
PER_HOUR = 300
"""The maximum number of logs accepted in an hour from all senders together."""
PLAYERS = 10
"""The number of players it takes to fill the space for logs; each may use this fraction of it."""
FULL_S = 3600
"""The seconds after which to try again if there is no space."""
_ID = re.compile("[0-9a-f]{24}")

MAX_PICTURE = 262_144
"""The characters of one board: several times the largest of any match. A page asks for a hundred boards at once."""
PICTURE = Text(
    fr="le dessin de la position où elle mène dépasse {most} octets",
    en="the drawing of the position it leads to takes more than {most} bytes",
)
UNDRAWABLE = Text(
    fr="la position où elle mène ne peut pas être dessinée",
    en="the position it leads to cannot be drawn",
)


@dataclass(frozen=True)
class UploadedLog:
    """An uploaded log, and until when it is kept."""

    id: str
    log: Log
    until: datetime


def keep_log(
    site: Site, who: Caller, document: bytes, *, lasts: timedelta = SENT, once: IdempotencyKey | None = None
) -> UploadedLog:
    """Stores the log in this document for the player who sends it, or for a stranger.

    Raises BadLog, KeyReused, Gone, TooMany, and Unauthorized if the player has been erased.
    """
    log = open_log(document)
    canonical = logfile.log_to_bytes(log)
    if len(canonical) > logfile.MAX_BYTES:  # the canonical form adds what was left out, and must open again
        raise log_errors.BadLog(log_errors.BYTES, most=logfile.MAX_BYTES, has=len(canonical))
    letters = [seat_letter(seat) for seat in range(log.seats)]
    for lang in LANGS:  # a log that cannot be told or drawn could never be watched
        replay = replay_log(log, lang, letters, "")
        replay.picture(replay.steps[-1])
    packed = zlib.compress(canonical, 9)
    now = site.now()
    with site.writing() as session:
        player_id = None if who is STRANGER else who
        if player_id is not None:
            lock_player(session, player_id)
        made = idempotency.claim_key(session, once, now)
        if made is not None:
            try:
                return UploadedLog(made, log, _row_of_log(session, made, now).until)
            except NotFound:
                raise idempotency.missing_result_error() from None
        _check_room(session, site.config, player_id, len(packed), now)
        row = UploadedLogRow(
            id=site.entropy(12).hex(), player_id=player_id, game=log.game.meta.slug, document=packed, size=len(packed),
            at=now, until=now + lasts,
        )  # fmt: skip
        session.put(row)
        idempotency.store_answer(session, once, row.id)
        return UploadedLog(row.id, log, row.until)


def _check_room(session: Session, config: Config, player_id: int | None, more: int, now: datetime) -> None:
    """Raises TooMany if another log of `more` bytes does not fit.

    Strangers share half of every limit, so that some space is left; one player may use a tenth of the bytes (PLAYERS).
    Concurrent uploads do not see each other, so the limits may be exceeded by that much.
    """
    t, stranger = table(UploadedLogRow), player_id is None
    shared = t.c.player_id.is_(None) if stranger else true()
    share = 2 if stranger else 1
    size = session.execute(select(func.coalesce(func.sum(t.c.size), 0)).where(shared)).scalar_one()
    if size + more > config.number(MEGABYTES) * 1_000_000 // share:
        message = N_("There is no space for more logs at the moment. Each is kept for a day or a month.")
        raise TooMany(message, retry_after=FULL_S)
    if not stranger:
        own = select(func.coalesce(func.sum(t.c.size), 0)).where(t.c.player_id == player_id)
        if session.execute(own).scalar_one() + more > config.number(MEGABYTES) * 1_000_000 // PLAYERS:
            message = N_("Your logs use all the space that one player has here. Delete one to send another.")
            raise TooMany(message, retry_after=FULL_S)
    if not config.has_caps:
        return
    # Searched by `until`, which has an index; `at` comes after the document in the row and is slow to read. `at` is
    # compared as well because the `until` of a log near its end may equal that of a newer, shorter-lived one.
    lately = [and_(t.c.until > now + lasts - HOUR, t.c.until <= now + lasts) for lasts in (SENT, OPENED)]
    count = select(func.count()).select_from(t).where(shared, or_(*lately), t.c.at > now - HOUR)
    if session.execute(count).scalar_one() >= PER_HOUR // share:
        raise TooMany(N_("Too many logs were sent here within the hour. Please wait."), retry_after=FULL_S)


def read_document(site: Site, log_id: str) -> bytes:
    """Returns the log's canonical document. Raises NotFound."""
    with site.reading() as session:
        return zlib.decompress(_row_of_log(session, log_id, site.now()).document)


def open_kept_log(site: Site, log_id: str) -> UploadedLog:
    """Returns the log for watching. Raises NotFound, and BadLog if the rules of its game have changed since."""
    with site.reading() as session:
        row = _row_of_log(session, log_id, site.now())
        return UploadedLog(row.id, open_log(zlib.decompress(row.document)), row.until)


def remove_log(site: Site, owner: Owner, log_id: str) -> None:
    """Deletes the log on behalf of the player who sent it, or of the host. Raises NotFound, Forbidden."""
    with site.writing() as session:
        row = _row_of_log(session, log_id, site.now())
        if owner is not HOST and row.player_id != owner:
            raise Forbidden(N_("Only the sender of this log may delete it."))
        session.delete(row)


forget_old = sweep_of_table(UploadedLogRow, lambda c, now: c.until <= now)


def _row_of_log(session: Session, log_id: str, now: datetime) -> UploadedLogRow:
    """Returns the log's row. Raises NotFound, also if it has expired but is not deleted yet."""
    row = session.get(UploadedLogRow, log_id) if _ID.fullmatch(log_id) else None
    if row is None or row.until <= now:
        raise NotFound(N_("There is no such log. It may have been deleted, or its time is over."))
    return row


@dataclass(frozen=True)
class LogReplay(Replay):
    """The replay of an uploaded log. Its methods raise BadLog if a forged entry makes them fail."""

    def picture(self, step: Step, shape: Shape = "portrait", counted_from: int = 0) -> Markup:
        """Returns the board as a page shows it, with names."""
        with _blame_entry(UNDRAWABLE, step.entry):
            drawn = super().picture(step, shape, counted_from)
        if len(drawn) > MAX_PICTURE:
            raise BadLog(PICTURE, step.entry, most=MAX_PICTURE)
        return drawn

    def line(self, step: Step) -> Markup:
        """Returns the step's line of the story."""
        with _blame_entry(log_errors.UNTELLABLE, step.entry):
            return super().line(step)

    def line_in_words(self, step: Step) -> str:
        """Returns the step's line of the story as plain text."""
        with _blame_entry(log_errors.UNTELLABLE, step.entry):
            return phrases.phrase_text(step.text, self.names)


def open_log(data: bytes) -> Log:
    """Returns the log in this document, if its game is installed. Raises BadLog."""
    return logfile.read(data, find_game)


def perspectives_of(log: Log) -> tuple[Eyes, ...]:
    """Returns the perspectives the log can be replayed from: all for a full log, otherwise only that of its viewer."""
    if log.viewer == "all":
        return perspectives_of_open_match(log.seats)
    assert not isinstance(log.viewer, str), "the only word that a log is made for is all"
    return (log.viewer,)


def replay_log(log: Log, lang: Lang, names: Sequence[str], eyes: Eyes | str) -> LogReplay:
    """Returns the replay of the log from this perspective; "" means everybody's, or the one the log was made for.

    Raises BadLog at the first entry that cannot be told, NotFound for a seat that the log has not, and Forbidden for a
    perspective that it does not offer.
    """
    allowed = perspectives_of(log)
    eyes = allowed[0] if eyes == "" else eyes
    if isinstance(eyes, int) and eyes >= log.seats:
        raise NotFound(N_("There is no such seat."))
    if eyes not in allowed:
        raise Forbidden(N_("This log was made for one viewer and cannot be shown to others."))
    entries: Sequence[AnyEntry] = log.entries
    if log.viewer == "all" and eyes != "all":
        assert not isinstance(eyes, str), "the only word among the allowed eyes is all"
        entries = redact_entries(entries, eyes)  # a full log is of a finished match, so nothing fades
    steps = _steps_of_story(log, entries, lang)
    if not steps:
        raise BadLog(log_errors.SILENT)
    return LogReplay(log.game, names, eyes, lang, steps)


def _steps_of_story(log: Log, entries: Sequence[AnyEntry], lang: Lang) -> tuple[Step, ...]:
    at = 0

    def count_entries() -> Iterable[AnyEntry]:
        nonlocal at
        for entry in entries:
            at = entry.n
            yield entry

    try:
        return tuple(steps_of(log.game, count_entries(), lang))
    except Exception as error:
        raise BadLog(log_errors.UNTELLABLE, at) from error


@contextmanager
def _blame_entry(why: Text, entry: int) -> Iterator[None]:
    """Turns any exception in the block into a BadLog that names this entry."""
    try:
        yield
    except Exception as error:
        raise BadLog(why, entry) from error
