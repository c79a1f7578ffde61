"""A cup that its organiser pairs: its matches, the deals that they share, its results and standings, and its end."""

from __future__ import annotations

from typing import Any

from msgspec import structs
from sqlalchemy import update

from pbem.features.leagues import reading, webhooks
from pbem.features.leagues.entry import entering
from pbem.features.leagues.running import bulk, seasons
from pbem.features.leagues.running.bulk import NewTable
from pbem.features.leagues.scores import feed, standings
from pbem.models.deals import DealRow
from pbem.models.tables import Match, OutboxRow, table
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.results import tallying
from pbem.services.who import HOST, STRANGER
from tests.features.leagues.cups import finish_match, open_cup, running_cup, tally_and_publish
from tests.features.leagues.stage import end_season, enter_all, found_league, give_result, id_of_player
from tests.services.chronicles.chronicle import Chronicle
from tests.table import CAST, House


def tell(house: House, told: Chronicle) -> None:
    for name in (*CAST, "Charlie"):
        id_of_player(house, name)
    told.skip()
    season_id, ids = _tell_beginning(house, told)
    played = _tell_pairing(house, told, season_id, ids)
    _tell_results(house, told, season_id, played)
    _tell_deals(house, told)


def _tell_beginning(house: House, told: Chronicle) -> tuple[str, list[int]]:
    told.part("the start")
    site, alice, bob = house.site, id_of_player(house, "Alice"), id_of_player(house, "Bob")
    made, ids = open_cup(house, least=5)
    rotation = found_league(house, "Bob", game="allegeance", matches=1)
    enter_all(house, rotation.season_id, "Carol", "Dave")
    told.skip()
    told.do("Bob begins it", lambda: bulk.begin_season_early(site, bob, made.season_id))
    told.do("too few have entered", lambda: bulk.begin_season_early(site, alice, made.season_id))
    told.do(
        "matches before it has begun",
        lambda: bulk.create_and_start_tables(site, alice, made.season_id, [NewTable((1, 2))]),
    )
    told.do("Fanny enters", lambda: entering.enter_player(site, id_of_player(house, "Fanny"), made.season_id, "Fanny"))
    told.do("Alice begins it", lambda: bulk.begin_season_early(site, alice, made.season_id))
    told.do("again", lambda: bulk.begin_season_early(site, alice, made.season_id))
    told.do(
        "Bob begins a season that is paired in rotation", lambda: bulk.begin_season_early(site, bob, rotation.season_id)
    )
    told.do("matches of that", lambda: bulk.create_and_start_tables(site, bob, rotation.season_id, [NewTable((5, 6))]))
    told.do("no season", lambda: bulk.begin_season_early(site, alice, "0"))
    with site.writing() as work:
        work.execute(update(table(OutboxRow)).values(done_at=house.clock()))
    told.skip()
    return made.season_id, [*ids, 7]


def _tell_pairing(house: House, told: Chronicle, season_id: str, ids: list[int]) -> list[str]:
    told.part("matches")
    site, alice = house.site, id_of_player(house, "Alice")
    a, b, c, d, f = ids

    def pair(*seats: tuple[int, ...], number: int | None = None, who: Any = alice, once: str = "", **more: Any) -> Any:
        key = IdempotencyKey("alice", "pair", once) if once else None
        wanted = [NewTable(one, number) for one in seats]
        return bulk.create_and_start_tables(site, who, season_id, wanted, once=key, **more)

    made = told.do("Alice makes two matches", lambda: pair((a, b), (c, d), once="a"))
    assert made is not None
    told.do("the same request again", lambda: pair((a, b), (c, d), once="a"))
    told.do("another with its key", lambda: pair((a, c), once="b"))
    told.do("Bob makes one", lambda: pair((a, c), who=id_of_player(house, "Bob")))
    told.do("none", pair)
    told.do("51", lambda: pair(*[(a, c)] * 51))
    told.do("of one seat", lambda: pair((a, c), (a,)))
    told.do("of somebody who has not entered", lambda: pair((a, 99)))
    told.do("of somebody twice", lambda: pair((a, a)))
    told.do("in a round in which one has a match", lambda: pair((a, c), number=1))
    told.do("in no round", lambda: pair((a, c), number=0))
    told.do("in round 1001", lambda: pair((a, c), number=1001))
    told.do("one deal for a person twice", lambda: pair((a, c), (b, a), same_deal=True))
    shared = told.do(
        "one deal for two tables, and another for three people",
        lambda: _brief(pair((a, c), (b, d), (f, a, b), same_deal=True)),
    )
    told.do("one match more than the terms say", lambda: pair((c, f), (a, d)))
    last = told.do("in round 1000, for the host", lambda: _brief(pair((d, f), number=1000, who=HOST)))
    assert shared is not None
    assert last is not None
    told.do("Alice's matches", lambda: reading.read_own_matches(site, alice, season_id))
    told.do("Fanny's", lambda: reading.read_own_matches(site, id_of_player(house, "Fanny"), season_id))
    told.do("Charlie's", lambda: reading.read_own_matches(site, id_of_player(house, "Charlie"), season_id))
    return [one.id for one in made] + [one[0] for one in [*shared, *last]]


def _brief(made: list[bulk.TableMade]) -> list[Any]:
    return [(one.id, one.round, one.deal) for one in made]


def _tell_results(house: House, told: Chronicle, season_id: str, played: list[str]) -> None:
    told.part("results")
    site = house.site
    finish_match(house, played[1])
    house.clock.forward(minutes=1)
    finish_match(house, played[0], 0)
    with site.writing() as work:
        work.execute(update(table(OutboxRow)).values(done_at=house.clock()))
    told.skip()
    told.do("none is public before the tally", lambda: feed.publish_results(site))
    tallying.tally_matches(site)
    told.skip()
    told.do("two are", lambda: feed.publish_results(site))
    told.do("once", lambda: feed.publish_results(site))
    told.do("the feed", lambda: feed.read_results(site, STRANGER, season_id, 0))
    told.do("behind the first", lambda: feed.read_results(site, STRANGER, season_id, 1))
    told.do("behind all", lambda: feed.read_results(site, STRANGER, season_id, 2))
    told.do("of no season", lambda: feed.read_results(site, STRANGER, "0", 0))
    told.do("one a page", lambda: _page(house, season_id, 0, 1))
    names = {number: f"N{number}" for number in range(9)}
    told.do("with names", lambda: webhooks.result_with_names(_page(house, season_id, 0, 1).results[0], names))
    told.do("the standings", lambda: standings.read_divisions(site, STRANGER, season_id))
    told.do("of no division", lambda: standings.read_divisions(site, STRANGER, season_id, 2))
    told.do("of no season", lambda: standings.read_divisions(site, STRANGER, "0"))
    told.do("Bob's seasons", lambda: reading.read_own_current_seasons(site, id_of_player(house, "Bob")))
    told.do(
        "the season", lambda: structs.replace(reading.read_league_and_season(site, STRANGER, season_id)[1], terms=None)
    )
    end_season(house, season_id)
    told.skip()
    told.do("the standings at the end", lambda: standings.read_divisions(site, STRANGER, season_id))
    told.do("matches when it is over", lambda: bulk.create_and_start_tables(site, HOST, season_id, [NewTable((1, 2))]))


def _page(house: House, season_id: str, after: int, most: int) -> feed.Results:
    with house.site.reading() as session:
        return feed.read_page_of_results(session, season_id, after, most)


def _tell_deals(house: House, told: Chronicle) -> None:
    told.part("the same deal at several tables")
    site, alice = house.site, id_of_player(house, "Alice")
    made, (a, b, c, d) = running_cup(house, duplicate=True)
    season_id = made.season_id
    told.skip()

    def pair(*seats: tuple[int, ...], **more: Any) -> list[Any]:
        return _brief(bulk.create_and_start_tables(site, alice, season_id, [NewTable(one) for one in seats], **more))

    first = told.do("two tables of a round share one", lambda: pair((a, b), (c, d)))
    second = told.do("those of the next another", lambda: pair((a, c), (b, d)))
    third = told.do("those that share none", lambda: pair((a, d), (b, c), same_deal=False))
    assert first is not None
    assert second is not None
    assert third is not None
    told.do("the deals", lambda: reading.read_shared_deals(site, STRANGER, season_id))
    told.do("what is told of them", lambda: standings.read_compared_deals(site, STRANGER, season_id, 1))
    told.do("in no division", lambda: standings.read_compared_deals(site, STRANGER, season_id, 2))
    told.do("of no season", lambda: standings.read_compared_deals(site, STRANGER, "0", 1))
    finish_match(house, first[0][0])
    tally_and_publish(house)
    told.skip()
    told.do("one of two is over: nothing is public", lambda: feed.publish_results(site))
    told.do("nothing counts", lambda: standings.read_divisions(site, STRANGER, season_id))
    finish_match(house, first[1][0], 0)
    tallying.tally_matches(site)
    told.skip()
    told.do("both are", lambda: feed.publish_results(site))
    told.do("the deals", lambda: reading.read_shared_deals(site, STRANGER, season_id))
    told.do("the open one", lambda: standings.read_compared_deals(site, STRANGER, season_id, 1)[0])
    told.do("they are compared", lambda: standings.read_divisions(site, STRANGER, season_id))
    with site.writing() as work:
        m = table(Match)
        work.execute(update(m).where(m.c.id == first[0][0]).values(spectators=False))
        for match_id in (one[0] for one in second):
            work.execute(update(m).where(m.c.id == match_id).values(outcome='{"reason":"done","winners":[0]}'))
    give_result(house, second[0][0], 1, 2, scores=(9, 4))
    give_result(house, second[1][0], 2, 1, scores=(3, 6))
    with site.writing() as work:
        t = table(DealRow)
        work.execute(update(t).where(t.c.opened_at.is_(None)).values(opened_at=house.clock(), tables_left=0))
    told.skip()
    told.do("deals with scores", lambda: standings.read_compared_deals(site, STRANGER, season_id, 1))
    told.do("the standings", lambda: standings.read_divisions(site, STRANGER, season_id, 1))
    end_season(house, season_id)
    seasons.sweep_seasons(site)
    told.do("at the end", lambda: standings.read_divisions(site, STRANGER, season_id))
