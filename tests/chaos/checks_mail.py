"""Checks of mails and clocks after the faults."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime

from pbem.models.tables import AskRow, OutboxRow
from pbem.services.calendar import deadlines
from pbem.services.log.consent import is_active_person
from pbem.services.mail import closing
from pbem.services.play import voting
from pbem.services.play.timeouts import SWEEP_INTERVAL
from tests.chaos.evidence import Evidence, Looked, Played
from tests.chaos.relay import Taken


def open_asks(evidence: Evidence) -> Looked:
    """Checks that the relay took a mail about every question that a person can still answer."""
    looked = Looked("open questions have their mail")
    taken = {one.message_id for one in evidence.taken}
    for match_id, played in evidence.matches.items():
        looked.count += 1
        rows = {(row.seat, row.key): row for row in played.mails if row.kind == "turn" and not is_answer(row)}
        for ask in played.asks:
            seat = played.seats[ask.seat]
            answered = ask.closed_at is not None or ask.sealed_at is not None
            if answered or ask.bot is not None or seat.muted or seat.absent or seat.resigned:
                continue
            if ask.follow_at is not None and ask.follow_at > evidence.read_at:
                continue  # an order will answer it first: its mail waits as long
            where, row = f"{match_id} seat {ask.seat} {ask.key}", rows.get((ask.seat, ask.origin))
            if row is None and played.put_again(ask):
                continue  # a player who has pressed the button is not written to
            if not looked.hold(row, f"{where}: no mail was ever queued") or row is None:
                continue
            said = evidence.message_id(row)
            looked.hold(row.result == "sent" and said in taken, f"{where}: its mail is {row.result}, not taken")
    return looked


def check_clocks(evidence: Evidence) -> Looked:
    """Checks that no clock stands still: everything that is waited for has a time at which the wait ends by itself."""
    looked = Looked("no clock stands")
    for match_id, played in evidence.matches.items():
        looked.wrong += [f"{match_id}: {wrong}" for wrong in _faults_of_match(played)]
        looked.count += 1
        if played.row.status != "running":
            continue
        for ask in (ask for ask in played.asks if ask.closed_at is None):
            wrong = _fault_of_clock(played, ask, evidence.read_at)
            looked.hold(wrong is None, f"{match_id} seat {ask.seat} {ask.key}: {wrong}")
    return looked


def _faults_of_match(played: Played) -> Iterator[str]:
    """Returns what is wrong with the match as a whole: nobody could end its wait."""
    people = [seat for seat in played.seats if seat.bot is None]
    here, left = any(map(is_active_person, people)), any(not seat.resigned for seat in people)
    match played.row.status:
        case "paused" if here:
            yield "paused, and somebody is there"
        case "running" if left and not here:
            yield "running, and nobody is there who could play"
        case "inviting" if all(seat.status == "accepted" for seat in played.seats):
            yield "everybody has accepted, and it has not begun"
    if played.row.status in ("unconfirmed", "inviting", "paused") and played.row.lapses_at is None:
        yield f"{played.row.status}, without a last day"


def _fault_of_clock(played: Played, ask: AskRow, now: datetime) -> str | None:
    """Returns why the clock of this open question would never act, or far too late; None if it acts in time."""
    seat = played.seats[ask.seat]
    if ask.sealed_at is not None:
        return None  # its window closes with the last answer
    if ask.bot is None and not is_active_person(seat):
        return None if ask.acts_at is not None and ask.acts_at <= now else "its seat is away, and the clock is not due"
    if ask.deadline is None:
        return None  # at an untimed table no clock runs
    if ask.acts_at is None:
        mails = [row for row in played.mails if (row.kind, row.seat, row.key) == ("turn", ask.seat, ask.origin)]
        waits = any(row.done_at is None or row.result == closing.WITHOUT for row in mails)
        return None if waits and ask.mailed_at is None else "its mail is done with, and its clock stands"
    voted = None if ask.vote_since is None else ask.vote_since + voting.WAITING
    last = max(ask.deadline + deadlines.GRACE_MAX, voted or ask.deadline)
    return None if ask.acts_at <= last else f"its clock acts at {ask.acts_at} only, its deadline is {ask.deadline}"


def check_waiting_work(evidence: Evidence) -> Looked:
    """Checks that no mail, claim, deadline, bot, retention date or webhook call is overdue."""
    looked = Looked("nothing waits")
    ordered = {
        f"turn:{match_id}:{ask.seat}:{ask.origin}"
        for match_id, played in evidence.matches.items()
        for ask in played.asks
        if (ask.follow_at is not None if ask.closed_at is None else ask.closed_at > evidence.read_at - SWEEP_INTERVAL)
    }
    for row in evidence.outbox:
        if row.dedupe in ordered and row.due_at > evidence.read_at:
            continue  # for its order, or for as long again after that has answered
        state = f"due {row.due_at}, claimed until {row.claimed_until}, {row.attempts} attempts"
        looked.hold(row.done_at is not None, f"mail {row.id} {row.dedupe} waits: {state}")
        looked.hold(row.done_at is None or row.claimed_until is None, f"mail {row.id} {row.dedupe} is done and claimed")
    for what, due in evidence.overdue.items():
        looked.hold(due.count == 0, f"{due.count} {what}, the first for {due.age_s:.0f} s")
    for match_id, played in evidence.matches.items():
        asks = [ask for ask in played.asks if ask.closed_at is None]
        only_bots = asks and all(ask.bot is not None for ask in asks)
        looked.hold(not only_bots, f"{match_id} waits for bots alone: {[ask.key for ask in asks]}")
    return looked


def check_sent(evidence: Evidence) -> Looked:
    """Checks that every mail marked as sent was taken, and that every mail that was taken has its row."""
    looked = Looked("mails that count as sent were taken, no other")
    ids = {evidence.message_id(row): row for row in evidence.outbox}
    taken = {one.message_id for one in evidence.taken}
    for said, row in ids.items():
        if row.result == "sent":
            looked.hold(said in taken, f"mail {row.id} {row.dedupe} counts as sent; the relay never took it")
        looked.hold(row.result != "refused", f"mail {row.id} {row.dedupe} was given up as refused")
    for said in taken:
        looked.hold(said in ids, f"the relay took {said}, which no row stands for")
    return looked


def check_repeated_mails(evidence: Evidence) -> Looked:
    """Checks that copies of a mail are alike: to the same reader, about the same subject."""
    looked = Looked("repeats carry the Message-ID of the first")
    of = defaultdict[str, list[Taken]](list)
    for one in evidence.taken:
        of[one.message_id].append(one)
    for said, all_of_it in of.items():
        faces = {(one.to, str(one.message["Subject"]), str(one.message["References"])) for one in all_of_it}
        looked.hold(len(faces) == 1, f"{said} stands for different mails: {faces}")
    stretches = Counter(
        (row.match_id, row.seat, row.key) for row in evidence.outbox if row.kind == "turn" and not is_answer(row)
    )
    for stretch, count in stretches.items():
        looked.hold(count == 1, f"{stretch} has {count} rows, and so as many Message-IDs")
    return looked


def is_answer(row: OutboxRow) -> bool:
    """True if the mail answers one that has come in: it may be a turn mail that is sent once more."""
    return row.dedupe.startswith("reply:")
