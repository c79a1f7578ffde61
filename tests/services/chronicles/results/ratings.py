"""Results and ratings: who is rated by what, and what players choose to show."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

from sqlalchemy import insert, update
from structlog.testing import capture_logs

from pbem.features.leagues.tables import League, Season, SeasonMatch
from pbem.models.results import Result
from pbem.models.tables import Match, Player, SeatRow, SubstituteRow, table
from pbem.services import versions
from pbem.services.results import sharing, tallying
from pbem.services.results.ratings import FIRST, Strength, rating_as_shown, strengths_after_match
from pbem.services.results.sharing import Choices
from tests.services.chronicles.chronicle import Chronicle
from tests.services.letterbox import id_of
from tests.table import House


def tell(house: House, told: Chronicle) -> None:
    _tell_strengths(told)
    _tell_choices(house, told)
    _tell_matches(house, told)
    _tell_paces(house, told)


def _tell_strengths(told: Chronicle) -> None:
    told.part("strengths")
    told.do("somebody new", lambda: FIRST)
    told.do("the surest first", lambda: [Strength(30.0, 2.0).ordinal, Strength(40.0, 8.0).ordinal])
    told.do("shown", lambda: [rating_as_shown(Strength(25 + 1 / 3, 8.1, 3)), rating_as_shown(Strength(20.0, 1.01, 40))])
    new = [Strength(), Strength(), Strength()]
    old = [Strength(30.0, 2.0, 9), Strength(20.0, 3.0, 5), Strength(25.0, 8.0, 0)]
    for name, strengths, places in [
        ("two new ones", new[:2], [1, 2]), ("level", new[:2], [1, 1]), ("three", new, [2, 1, 3]),
        ("three, of whom two are level", new, [1, 2, 2]), ("three of whom something is known", old, [3, 2, 1]),
        ("in another order", old[::-1], [1, 2, 3]),
    ]:  # fmt: skip
        told.do(
            f"{name} after {places}",
            partial(_after, strengths, places),
        )


def _after(strengths: list[Strength], places: list[int]) -> list[str]:
    return [f"{one.mu:.6f} {one.sigma:.6f} {one.matches}" for one in strengths_after_match(strengths, places)]


def _tell_choices(house: House, told: Chronicle) -> None:
    told.part("choices")
    site = house.site
    house.begin(4)
    told.skip()
    alice = id_of(house, "Alice")
    told.do("Alice's", lambda: sharing.read_shared(site, alice))
    told.do("Alice changes nothing", lambda: sharing.choose_what_to_share(site, alice))
    told.do("wants ratings", lambda: sharing.choose_what_to_share(site, alice, rated=True))
    told.do("shows a pace", lambda: sharing.choose_what_to_share(site, alice, pace_shown=True))
    told.do("wants no mail a week", lambda: sharing.choose_what_to_share(site, alice, weekly=False))
    now, other = Choices(True, True, False), Choices(True, True, True)
    told.do("if all is as it was", lambda: sharing.choose_what_to_share(site, alice, weekly=True, was=now))
    told.do("if it is not", lambda: sharing.choose_what_to_share(site, alice, weekly=False, was=now))
    told.do("and is again", lambda: sharing.choose_what_to_share(site, alice, pace_shown=False, was=other))
    old, new = versions.digest_of_values(False, False, False), versions.digest_of_values(True, False, True)
    told.do(
        "by a form that is old",
        lambda: sharing.choose_what_to_share(site, alice, rated=False, weekly=True, version=old),
    )
    told.do(
        "by another",
        lambda: sharing.choose_what_to_share(site, alice, rated=True, pace_shown=True, weekly=False, version=old),
    )
    told.do(
        "by a new one",
        lambda: sharing.choose_what_to_share(site, alice, rated=True, pace_shown=True, weekly=True, version=new),
    )
    told.do("nobody", lambda: sharing.choose_what_to_share(site, 999, rated=True))


def _end(house: House, outcome: str, **more: Any) -> str:
    """Begins a match of four, and ends it so."""
    match_id = house.begin(4)
    house.clock.forward(minutes=1)
    with house.site.writing() as work:
        m = table(Match)
        over = update(m).where(m.c.id == match_id)
        work.connection().execute(over.values(status="over", ended_at=house.clock(), outcome=outcome, **more))
    return match_id


def _tally(house: House) -> int:
    with capture_logs():
        return tallying.tally_matches(house.site)


def _tell_matches(house: House, told: Chronicle) -> None:
    told.part("matches")
    site = house.site
    ids = {name: id_of(house, name) for name in ("Alice", "Bob", "Carol", "Dave")}
    for name in ("Bob", "Dave"):
        sharing.choose_what_to_share(site, ids[name], rated=True)
    _end(house, '{"reason":"found","winners":[1],"scores":[5,9,7,5]}')
    told.skip()
    told.do("three of four want ratings", lambda: _tally(house))
    told.do("again", lambda: _tally(house))
    told.do("Bob's", lambda: sharing.read_shared(site, ids["Bob"]))
    told.do("Carol's", lambda: sharing.read_shared(site, ids["Carol"]))
    twice, bots, taken, wrong = (_end(house, '{"reason":"found","winners":[0]}') for _ in range(4))
    seats = table(SeatRow)
    with site.writing() as work:
        run = work.connection().execute
        run(update(seats).where(seats.c.match_id == twice, seats.c.seat == 3).values(player_id=ids["Bob"]))
        seat = update(seats).where(seats.c.match_id == bots, seats.c.seat == 2)
        run(seat.values(player_id=None, bot="random", name="Akemi"))
        at = house.clock()
        for number, epoch in ((1, 7), (0, None)):
            work.add(SubstituteRow(match_id=taken, seat=number, away_n=1, player_id=2, name="B", at=at, epoch=epoch))
        run(update(table(Match)).where(table(Match).c.id == wrong).values(outcome="?"))
        run(update(seats).where(seats.c.match_id == taken, seats.c.seat == 3).values(resigned=True))
    told.skip()
    told.do("one with two seats, a bot, a substitute, and what nobody can read", lambda: _tally(house))
    season, other = (_end(house, '{"reason":"draw","winners":[0,1,2,3]}') for _ in range(2))
    with site.writing() as work:
        run = work.connection().execute
        for match_id in (season, other):
            seat = update(seats).where(seats.c.match_id == match_id, seats.c.seat == 2)
            run(seat.values(player_id=None, bot="random", name="Akemi"))
        league = League(id="a", name="Cup", game="hogen", owner_id=1, terms="{}", created_at=at)
        work.add(league)
        work.flush()
        for number, match_id in enumerate((season, other)):
            terms = '{"rated_with_bots":true}' if match_id == season else '{"days":3}'
            row = Season(
                id=f"{number}", league_id="a", number=number, terms=terms, status="running", starts_at=at, ends_at=at,
                due_at=at, created_at=at,
            )  # fmt: skip
            work.add(row)
            work.flush()
            work.add(SeasonMatch(match_id=match_id, season_id=f"{number}", division=1, round=1, seats="[1,2,3,4]"))
    told.skip()
    told.do("bots of a season that rates with them, and of another", lambda: _tally(house))
    told.do("the ratings of Alice", lambda: sharing.read_shared(site, ids["Alice"]).ratings)
    told.do("Alice wants them no more", lambda: sharing.choose_what_to_share(site, ids["Alice"], rated=False))
    told.do("and has none", lambda: sharing.read_shared(site, ids["Alice"]))


def _tell_paces(house: House, told: Chronicle) -> None:
    told.part("paces")
    site = house.site
    match_ids = []
    with site.reading() as session:
        match_ids = [row[0] for row in session.execute(table(Match).select().with_only_columns(table(Match).c.id))]
    like = {"game": "hogen", "place": 1, "ended_at": house.clock() + timedelta(days=1)}
    with site.writing() as work:
        run = work.connection().execute
        run(table(Result).delete())
        rows = [
            {
                **like, "match_id": match_ids[0], "seat": 10 * player + n, "player_id": player,
                "median_s": 60 * (n + player),
            }
            for player, many in ((1, 9), (2, 10), (3, 11)) for n in range(many)
        ]  # fmt: skip
        rows += [{**like, "match_id": match_ids[1], "seat": 1, "player_id": 1, "median_s": None}]
        run(insert(table(Result)), rows)
        run(update(table(Player)).values(pace_shown=True))
    told.skip()

    def everybody(*, rated: bool = True, shown: bool = True) -> Any:
        with site.reading() as session:
            players = [session.get_one(Player, number) for number in (1, 2, 3, 4)]
            for one in players:
                one.rated, one.pace_shown = one.rated and rated, one.pace_shown and shown
            with session.no_autoflush:
                found = sharing.ratings_and_paces_shown(session, "hogen", players)
            session.expunge_all()
            return found

    told.do("of ten matches, and of fewer", everybody)
    told.do("nobody shows any", lambda: everybody(rated=False, shown=False))
    told.do("nobody shows a pace", lambda: everybody(shown=False))
    told.do("nobody wants ratings", lambda: everybody(rated=False))
    told.do("Bob's", lambda: sharing.read_shared(site, 2))
