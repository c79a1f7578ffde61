"""Writes down how matches that are over ended: a row of `results` a seat, and the ratings that follow.

1. The matches that have not been tallied are found by index, those that ended first before the others, some at a time.
2. Each lot is one transaction. It locks the players of the matches, in the order of their ids, then the matches; those
   that another worker has tallied meanwhile are left out. So of two workers with the same matches, or the same player,
   the second waits and goes on from what the first has written.
3. It claims the matches by setting `tallied_at`, writes their results and changes the ratings, all by a number of
   statements that does not depend on how many there are.

A match of which nobody can read how it ended is logged, stays untallied, and holds up no other; `backlog.tallies_due`
counts it. Matches that were called off have no results.

The player of a seat is the one who had it at the end, also if they took it over: standings name them. Then their rating
stays as it is, and so does that of the one who left: nobody would take over a bad position otherwise. A match whose
deal other tables play, too, rates nobody: its result would tell them about their cards.
"""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from statistics import median_low
from typing import Any, NamedTuple

import msgspec
import structlog
from sqlalchemy import insert, select, tuple_, update
from sqlmodel import Session, col

from pbem.errors import Busy
from pbem.kit.contract import Outcome
from pbem.kit.endings import places_of
from pbem.models.results import Result
from pbem.models.tables import Match, SeatRow, SubstituteRow, table
from pbem.services.hooks import all_hooks
from pbem.services.log import locks, waits
from pbem.services.results import ratings
from pbem.services.site import Site, Work

AT_ONCE = 200
"""How many matches one transaction tallies at most."""
RUN_S = 20.0
"""The seconds after which a run begins no other lot."""

log = structlog.get_logger()
_matches, _seats, _substitutes = table(Match), table(SeatRow), table(SubstituteRow)
_read_outcome = msgspec.json.Decoder(Outcome).decode

Place = tuple[datetime, str]
"""Where a match stands in the order in which they are tallied."""


class Ended(NamedTuple):
    """A match that is being tallied."""

    id: str
    game: str
    outcome: Outcome
    ended_at: datetime
    alone: bool
    """False: other tables play the same deal."""


class Sitting(NamedTuple):
    """Who has a seat at the end of a match."""

    match_id: str
    seat: int
    player_id: int | None
    bot: str | None
    resigned: bool


def tally_matches(site: Site) -> int:
    """Tallies the matches that are over and are not tallied yet, for RUN_S at most; returns their number."""
    done, until, after = 0, time.monotonic() + RUN_S, None
    while not site.stopping() and time.monotonic() < until and (found := _find_matches_to_tally(site, after)):
        after = found[-1]
        try:
            done += _tally_waiting(site, [match_id for _, match_id in found])
        except Busy:
            log.info("tally.busy")  # the next run goes on here: ratings follow the order in which matches ended
            break
    if done:
        log.info("tally.done", matches=done)
    return done


def _find_matches_to_tally(site: Site, after: Place | None) -> list[Place]:
    """Returns the first matches that wait, behind this one."""
    m = _matches.c
    wanted = select(m.ended_at, m.id).where(m.status == "over", m.tallied_at.is_(None))
    if after is not None:
        wanted = wanted.where(tuple_(m.ended_at, m.id) > tuple_(*after))
    with site.reading() as session:
        rows = session.execute(wanted.order_by(m.ended_at, m.id).limit(AT_ONCE))
        return [(ended_at, match_id) for ended_at, match_id in rows]


def _tally_waiting(site: Site, match_ids: Sequence[str]) -> int:
    """Tallies those of these matches that still wait; returns their number. Raises Busy."""
    with site.writing() as work:
        sitting = _read_seats(work, match_ids)
        want_ratings = locks.lock_players_and_read_if_rated(
            work, {one.player_id for one in sitting if one.player_id is not None}
        )
        claimed = _claim_matches(work, match_ids, want_ratings, site.now())
        seats = _read_seats(work, [one.id for one in claimed])
        rows = _rows_of_results(work, claimed, seats)
        alone = {one.id for one in claimed if one.alone}
        want = {number for number, wants in want_ratings.items() if wants}
        rated = _rows_to_rate(work, [row for row in rows if row["match_id"] in alone], want)
        ratings.rate_players(work, rated)
        for row in (row for match in rated for row in match):
            row["rated"] = True
        if rows:
            work.connection().execute(insert(table(Result)), rows)
        return len(claimed)


def _read_seats(session: Session, match_ids: Sequence[str]) -> list[Sitting]:
    s = _seats.c
    found = select(s.match_id, s.seat, s.player_id, s.bot, s.resigned).where(s.match_id.in_(match_ids))
    return [Sitting(*row) for row in session.execute(found.order_by(s.match_id, s.seat))] if match_ids else []


def _claim_matches(work: Work, match_ids: Sequence[str], locked: Mapping[int, bool], now: datetime) -> list[Ended]:
    """Returns those of the matches that are this transaction's now, in the order in which they ended.

    Left to the next run is a match at which somebody sits whose row is not locked: they have just got the seat.
    """
    m = _matches.c
    waiting = select(m.id, m.game, m.outcome, m.ended_at, m.deal_id).where(
        m.id.in_(sorted(match_ids)), m.tallied_at.is_(None)
    )
    waiting = waiting.order_by(m.id).with_for_update(key_share=True)
    rows = work.execute(waiting.suffix_with("/* FOR NO KEY UPDATE */", dialect="sqlite")).all()
    unknown = {
        one.match_id for one in _read_seats(work, [row.id for row in rows])
        if one.player_id is not None and one.player_id not in locked
    }  # fmt: skip
    claimed = []
    for row in rows:
        try:
            if row.id not in unknown:
                outcome = _read_outcome(row.outcome)
                claimed.append(Ended(row.id, row.game, outcome, row.ended_at, row.deal_id is None))
        except (msgspec.DecodeError, TypeError):
            log.exception("tally.unreadable", match=row.id)
    if claimed:
        ids = sorted(one.id for one in claimed)
        work.connection().execute(update(_matches).where(m.id.in_(ids)).values(tallied_at=now))
        for feature in all_hooks():
            feature.results.note(work, ids)
    return sorted(claimed, key=lambda one: (one.ended_at, one.id))


def _rows_of_results(work: Work, claimed: Sequence[Ended], seats: Sequence[Sitting]) -> list[dict[str, Any]]:
    """Returns the results of these matches, as rows, match by match in their order."""
    tables, took = defaultdict[str, list[Sitting]](list), _answer_times(work, [one.id for one in claimed])
    for one in seats:
        tables[one.match_id].append(one)
    rows = []
    for match in claimed:
        sitting, scores = tables[match.id], match.outcome.scores
        places = places_of(match.outcome, len(sitting), {one.seat for one in sitting if one.resigned})
        for one in sitting:
            times = took.get((match.id, one.seat), ())
            rows.append(
                {
                    "match_id": match.id, "seat": one.seat, "game": match.game, "player_id": one.player_id,
                    "bot": one.bot, "place": places[one.seat], "score": scores[one.seat] if scores else None,
                    "resigned": one.resigned, "answers": len(times), "median_s": median_low(times) if times else None,
                    "rated": False, "ended_at": match.ended_at,
                }
            )  # fmt: skip
    return rows


def _answer_times(session: Session, match_ids: Sequence[str]) -> dict[tuple[str, int], list[int]]:
    """Returns how many seconds the people took for each of their turns, by match and seat; see `log.waits`.

    At a table without deadlines nobody waits, so none are timed there.
    """
    people = (
        select(col(SeatRow.match_id), col(SeatRow.seat), col(SeatRow.player_id))
        .join(Match, col(Match.id) == col(SeatRow.match_id))
        .where(col(SeatRow.match_id).in_(match_ids), col(SeatRow.bot).is_(None), col(Match.untimed).is_(False))
        .subquery()
    )
    found = defaultdict[tuple[str, int], list[int]](list)
    if match_ids:
        for one in [*waits.waits_in_rows(session, people), *waits.waits_in_archives(session, people)]:
            found[one.match_id, one.seat].append(int(one.took.total_seconds()))
    return found


def _rows_to_rate(session: Session, rows: Sequence[dict[str, Any]], want: set[int]) -> list[list[dict[str, Any]]]:
    """Returns, match by match, the rows of people who are rated by it: two or more who want ratings.

    Who has taken the seat over is not rated, nor is anybody with two seats at the table. A match at which a bot sits
    rates nobody, unless a feature has it do so.
    """
    t = _substitutes.c
    ids = {row["match_id"] for row in rows}
    taken = select(t.match_id, t.seat).where(t.match_id.in_(ids), t.epoch.is_not(None))
    handed_over = {(match_id, seat) for match_id, seat in session.execute(taken)} if ids else set()
    by_match = defaultdict[str, list[dict[str, Any]]](list)
    left_out = {row["match_id"] for row in rows if row["bot"] is not None}
    if left_out:
        left_out = left_out.difference(*(one.results.rate_with_bots(session, left_out) for one in all_hooks()))
    for row in rows:
        wanted = row["player_id"] in want and row["match_id"] not in left_out
        if wanted and (row["match_id"], row["seat"]) not in handed_over:
            by_match[row["match_id"]].append(row)
    found = []
    for match in by_match.values():
        players = [row["player_id"] for row in match]
        alone = [row for row in match if players.count(row["player_id"]) == 1]
        if len(alone) > 1:
            found.append(alone)
    return found
