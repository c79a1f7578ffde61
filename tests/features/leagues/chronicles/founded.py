"""Leagues: founded, changed, listed and ended, and how their seasons are announced."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

from msgspec.structs import replace
from sqlalchemy import update

from pbem.features.circles import founding as circles
from pbem.features.circles import joining, sheets
from pbem.features.circles.claims import CircleClaim
from pbem.features.leagues import founding, hooks, lookups, reading
from pbem.features.leagues.entry import entering
from pbem.features.leagues.running import seasons
from pbem.features.leagues.tables import League, Season
from pbem.features.leagues.terms import SeasonTerms, check_and_complete_terms, terms_as_json, terms_of
from pbem.games import find_game
from pbem.models.tables import table
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.lobby.match_request import Invitee
from pbem.services.who import HOST, STRANGER, Caller
from tests.features.leagues.stage import DAY, begin_season, end_season, id_of_player
from tests.services.chronicles.chronicle import Chronicle
from tests.table import CAST, House

QUICK: dict[str, Any] = {"matches": 1, "days": 10, "seats": 2, "division_size": 2}


def tell(house: House, told: Chronicle) -> None:
    for name in (*CAST, "Charlie"):
        id_of_player(house, name)
    told.skip()
    _tell_terms(house, told)
    league_id, season_id = _tell_founding(house, told)
    _tell_changing(house, told, league_id, season_id)
    _tell_announcing(house, told, league_id, season_id)
    _tell_ending(house, told, league_id)
    _of_a_circle(house, told)
    _tell_lists(house, told)
    _tell_erasing(house, told)


def _tell_founding(house: House, told: Chronicle) -> tuple[str, str]:
    told.part("founding")
    site, now = house.site, house.clock()

    def found(who: str, name: str, once: str | None = None, at: Any = now + 7 * DAY, **more: Any) -> founding.Founded:
        key = IdempotencyKey("alice", "league", once) if once is not None else None
        game, terms = more.pop("game", "allegeance"), more.pop("terms", QUICK)
        return founding.found_league(site, id_of_player(house, who), name, game, terms, at, once=key, **more)

    made = told.do("Alice founds a league", lambda: found("Alice", " Autumn  league ", "a", listed=True))
    assert made is not None
    told.do("the same request again", lambda: found("Alice", "Autumn league", "a", listed=True))
    told.do("another with its key", lambda: found("Alice", "Autumn league", "b"))
    told.do("a name of 60 letters", lambda: found("Bob", "n" * 60, at=now - DAY))
    told.do("one of 61", lambda: found("Bob", "n" * 61))
    told.do("no name", lambda: found("Bob", " "))
    told.do("no such game", lambda: found("Bob", "League", game="chess"))
    told.do("a year and a day ahead", lambda: found("Bob", "League", at=now + 366 * DAY))
    told.do("a second later", lambda: found("Bob", "League", at=now + 366 * DAY + timedelta(seconds=1)))
    told.do("in no circle of theirs", lambda: found("Bob", "League", circle_id="0"))
    for number in range(18):
        found("Bob", f"League {number}", at=now + 300 * DAY)
    told.skip()
    told.do("Bob's twenty-first", lambda: found("Bob", "League"))
    return made.league_id, made.season_id


def _tell_terms(house: House, told: Chronicle) -> None:
    told.part("terms")
    most = {"division_size": 32, "matches": 12, "days": 366, "rest_days": 366, "promoted": 16, "relegated": 16}
    full = {"bots": ["random"] * 5, "least": 1000, "turn_s": 3600, "window_s": 7200, "unfinished": "none"}
    for title, game, given in [
        ("what is left out", "hogen", {}),
        ("the most of everything", "hogen", most | full | {"rest_days": None, "pairing": "organiser"}),
        ("the least of everything", "hogen", dict.fromkeys(most, 0) | {"division_size": 3, "matches": 1, "days": 1}),
        ("options of the game", "hagakure", {"options": {"rounds": 2}, "rated_with_bots": True, "duplicate": True}),
        ("four seats, a minute each", "hogen", {"seats": 4, "turn_s": 60, "unfinished": "standing"}),
        ("five seats", "hogen", {"seats": 5}),
        ("no such term", "hogen", {"speed": 1}),
        ("no number", "hogen", {"days": "ten"}),
        ("no such option", "hagakure", {"options": {"cards": 2}}),
        ("no time", "hogen", {"turn_s": 1}),
        ("an unknown bot", "hogen", {"bots": ["random", "deep"]}),
        ("six bots", "hogen", {"bots": ["random"] * 6}),
        ("a small division", "hogen", {"division_size": 2}),
        ("a division too large", "hogen", {"division_size": 33}),
        ("no match", "hogen", {"matches": 0}),
        ("many matches", "hogen", {"matches": 13}),
        ("no day", "hogen", {"days": 0}),
        ("many days", "hogen", {"days": 367}),
        ("rest before the end", "hogen", {"rest_days": -1}),
        ("a long rest", "hogen", {"rest_days": 367}),
        ("fewer than none promoted", "hogen", {"promoted": -1}),
        ("more than half promoted", "hogen", {"division_size": 7, "promoted": 4}),
        ("fewer than none relegated", "hogen", {"relegated": -1}),
        ("more than half relegated", "hogen", {"division_size": 7, "relegated": 4}),
        ("fewer than none", "hogen", {"least": -1}),
        ("more than a thousand", "hogen", {"least": 1001}),
    ]:  # fmt: skip
        told.do(title, partial(_check, house, game, given))


def _check(house: House, slug: str, given: Any) -> SeasonTerms:
    game = find_game(slug)
    assert game is not None
    return check_and_complete_terms(house.site, game, given)


def _tell_changing(house: House, told: Chronicle, league_id: str, season_id: str) -> None:
    told.part("changing it")
    site, alice, bob = house.site, id_of_player(house, "Alice"), id_of_player(house, "Bob")
    told.do("Bob changes it", lambda: founding.change_league(site, bob, league_id, name="Ours"))
    told.do("the host changes its name", lambda: founding.change_league(site, HOST, league_id, name=" Cup "))
    told.do("Alice gives it none", lambda: founding.change_league(site, alice, league_id, name=" "))
    told.do("Alice hides it", lambda: founding.change_league(site, alice, league_id, listed=False))
    told.do("and shows it", lambda: founding.change_league(site, alice, league_id, listed=True))
    told.do("new terms", lambda: founding.change_league(site, alice, league_id, terms=QUICK | {"days": 12}))
    told.do("terms that do not do", lambda: founding.change_league(site, alice, league_id, terms={"days": 0}))
    told.do("no league", lambda: founding.change_league(site, alice, "0", name="Ours"))
    told.do("nothing that could be one", lambda: founding.change_league(site, alice, "x", name="Ours"))
    entering.enter_bots(site, alice, season_id, "random", 1)
    told.skip()
    told.do("bots have entered", lambda: founding.change_league(site, alice, league_id, terms=QUICK | {"days": 11}))
    entering.enter_player(site, bob, season_id, "Bob")
    told.skip()
    told.do("Bob has entered", lambda: founding.change_league(site, alice, league_id, terms=QUICK))
    later = house.clock() + 9 * DAY
    told.do("Bob puts it off", lambda: founding.change_start_of_season(site, bob, season_id, later))
    told.do("Alice puts it off", lambda: founding.change_start_of_season(site, alice, season_id, later))
    told.do("too far", lambda: founding.change_start_of_season(site, alice, season_id, house.clock() + 367 * DAY))
    told.do("to the past", lambda: founding.change_start_of_season(site, alice, season_id, house.clock() - DAY))
    told.do("no season", lambda: founding.change_start_of_season(site, alice, "0", later))
    told.do("nothing that could be one", lambda: founding.change_start_of_season(site, alice, "x", later))
    told.do("a second season beside it", lambda: founding.open_season(site, alice, league_id, later))


def _tell_announcing(house: House, told: Chronicle, league_id: str, season_id: str) -> None:
    told.part("one season after another")
    site, alice, bob = house.site, id_of_player(house, "Alice"), id_of_player(house, "Bob")
    entering.enter_player(site, id_of_player(house, "Carol"), season_id, "Carol")
    founding.change_league(site, alice, league_id, terms=QUICK | {"rest_days": None, "bots": ["random"]})
    begin_season(house, season_id)
    told.skip()
    told.do(
        "it has begun: Alice puts it off",
        lambda: founding.change_start_of_season(site, alice, season_id, house.clock() + DAY),
    )
    told.do("Bob closes it", lambda: seasons.end_season_early(site, bob, season_id))
    told.do("Alice closes it", lambda: seasons.end_season_early(site, alice, season_id))
    told.do("the sweep", lambda: seasons.sweep_seasons(site))
    told.do("once more", lambda: seasons.sweep_seasons(site))
    told.do("Alice closes it again", lambda: seasons.end_season_early(site, alice, season_id))
    told.do("what follows", lambda: reading.read_open_following_season(site, STRANGER, season_id))

    def open_season(who: Any, once: str | None = None) -> str:
        key = IdempotencyKey("alice", "season", once) if once is not None else None
        return founding.open_season(site, who, league_id, house.clock() + DAY, once=key)

    told.do("Bob opens another", lambda: open_season(bob))
    second = told.do("Alice opens another", lambda: open_season(alice, "a"))
    told.do("the same request again", lambda: open_season(alice, "a"))
    told.do("with its key, another one", lambda: open_season(alice, "b"))
    told.do("without a key", lambda: open_season(alice))
    assert second is not None
    for who in ("Bob", "Alice"):
        told.do(
            f"what follows, to {who}",
            partial(reading.read_open_following_season, site, id_of_player(house, who), season_id),
        )
    told.do("what follows it", lambda: reading.read_open_following_season(site, bob, second))
    entering.enter_player(site, id_of_player(house, "Dave"), second, "Dave")
    _ask_for(house, second, 9)
    house.clock.forward(days=1)
    told.skip()
    told.do("too few have entered, and the league does not repeat", lambda: seasons.sweep_seasons(site))
    third = told.do("Alice opens a third", lambda: open_season(alice))
    assert third is not None
    entering.enter_player(site, id_of_player(house, "Dave"), third, "Dave")
    founding.change_league(site, alice, league_id, terms=QUICK | {"rest_days": 3})
    _ask_for(house, third, 9)
    house.clock.forward(days=1)
    told.skip()
    told.do("too few have entered, and the league repeats", lambda: seasons.sweep_seasons(site))


def _ask_for(house: House, season_id: str, least: int) -> None:
    """Lets the season take place with this many alone."""
    with house.site.writing() as work:
        season = work.get_one(Season, season_id)
        season.terms = terms_as_json(replace(terms_of(season), least=least))
        work.add(season)


def _of_a_circle(house: House, told: Chronicle) -> None:
    told.part("a league of a circle")
    site, alice, bob = house.site, id_of_player(house, "Alice"), id_of_player(house, "Bob")
    circle_id = circles.found_circle(site, alice, "Lakes", "Alice")
    for name in ("Bob", "Carol", "Dave"):
        joining.join_signed_in(site, CircleClaim(circle_id, 0), id_of_player(house, name), name)
    told.skip()
    at = house.clock() + 2 * DAY
    made = told.do(
        "Alice founds it",
        lambda: founding.found_league(
            site, alice, "Ours", "allegeance", QUICK | {"division_size": 8}, at, circle_id=circle_id, listed=True
        ),
    )
    assert made is not None
    told.do("and lists it", lambda: founding.change_league(site, alice, made.league_id, listed=True))
    told.do(
        "Charlie enters", lambda: entering.enter_player(site, id_of_player(house, "Charlie"), made.season_id, "Charlie")
    )
    for name in ("Bob", "Carol", "Dave"):
        told.do(f"{name} enters", partial(entering.enter_player, site, id_of_player(house, name), made.season_id, name))
    told.do(
        "somebody asks by mail",
        lambda: entering.send_entry_link(
            site, alice, made.season_id, Invitee("Newcomer", "newcomer@example.org"), "en", "Europe/Paris"
        ),
    )
    everybody: dict[str, Caller] = {"a stranger": STRANGER} | {
        name: id_of_player(house, name) for name in ("Alice", "Bob", "Charlie")
    }
    for name, who in everybody.items():
        told.do(f"what {name} sees", partial(reading.read_league, site, who, made.league_id))
        told.do(f"what {name} sees of its season", partial(_season, house, who, made.season_id))
    joining.leave_circle(site, sheets.claim_of_player(site, bob, circle_id))
    told.skip()
    told.do("Bob has left, and sees it", lambda: reading.read_league(site, bob, made.league_id).name)
    told.do("Bob's seasons", lambda: reading.read_own_current_seasons(site, bob))
    told.do("Bob changes the name there", lambda: entering.enter_player(site, bob, made.season_id, "Robert"))
    house.clock.at = at
    told.do("it begins without Bob", lambda: seasons.sweep_seasons(site))
    joining.leave_circle(site, sheets.claim_of_player(site, id_of_player(house, "Carol"), circle_id))
    told.skip()
    told.do(
        "Carol has left since", lambda: reading.read_league(site, id_of_player(house, "Carol"), made.league_id).name
    )
    told.do("and Bob sees it no more", lambda: reading.read_league(site, bob, made.league_id).name)
    end_season(house, made.season_id)
    told.skip()
    told.do("the next season, for Dave", lambda: _next(house, id_of_player(house, "Dave"), made.season_id))
    told.do("for Carol, who has left", lambda: _next(house, id_of_player(house, "Carol"), made.season_id))
    told.do("for a stranger", lambda: _next(house, STRANGER, made.season_id))


def _next(house: House, who: Caller, season_id: str) -> reading.SeasonLine | None:
    return reading.read_open_following_season(house.site, who, season_id)


def _season(house: House, who: Caller, season_id: str) -> reading.SeasonView:
    return reading.read_league_and_season(house.site, who, season_id)[1]


def _list_of(house: House, who: Caller) -> list[Any]:
    found = reading.list_current_leagues(house.site, who)
    return [(one.name, one.mine, one.ended_at is not None, _lines(one)) for one in found]


def _all(house: House, who: Caller) -> list[Any]:
    found, _ = reading.list_all_leagues(house.site, who)
    return [(one.name, one.listed, _lines(one)) for one in found]


def _lines(league: reading.LeagueWithSeasons) -> list[Any]:
    return [(line.number, line.status, line.entered, line.own_status) for line in league.seasons]


def _tell_lists(house: House, told: Chronicle) -> None:
    told.part("lists")
    site = house.site
    everybody: dict[str, Caller] = {"a stranger": STRANGER}
    everybody |= {name: id_of_player(house, name) for name in ("Alice", "Carol", "Dave")}
    for name, who in everybody.items():
        told.do(f"the list that {name} sees", partial(_list_of, house, who))
        told.do(f"what programs of {name} get", partial(_all, house, who))
        if isinstance(who, int):
            told.do(f"the seasons of {name}", partial(reading.read_own_current_seasons, site, who))
    told.do("a page behind no league", lambda: reading.list_all_leagues(site, STRANGER, "0"))
    told.do("behind nothing that could be one", lambda: reading.list_all_leagues(site, STRANGER, "x"))
    house.clock.forward(hours=1)
    for number in range(33):
        owner = id_of_player(house, ("Fanny", "Maximilienne")[number % 2])
        founding.found_league(site, owner, f"F {number}", "niigata", {}, house.clock() + DAY, listed=True)
        house.clock.forward(seconds=number % 2)
    with site.writing() as work:
        work.execute(update(table(League)).values(listed=True))
    told.skip()
    page, after = reading.list_all_leagues(site, STRANGER)
    told.do("the first and the last of a page", lambda: [len(page), page[0].name, page[1].name, page[-1].name, after])
    rest, last = reading.list_all_leagues(site, STRANGER, after or "")
    told.do("those of the next", lambda: [len(rest), rest[0].name, rest[-1].name, f"{last}"])


def _tell_ending(house: House, told: Chronicle, league_id: str) -> None:
    told.part("ending it")
    site, alice, bob = house.site, id_of_player(house, "Alice"), id_of_player(house, "Bob")
    with site.reading() as session:
        season = lookups.season_not_closed(session, league_id)
        assert season is not None
        season_id = season.id
    entering.enter_player(site, id_of_player(house, "Dave"), season_id, "Dave")
    entering.enter_player(site, id_of_player(house, "Carol"), season_id, "Carol")
    told.skip()
    told.do("Bob ends it", lambda: founding.end_league(site, bob, league_id))
    told.do("no league", lambda: founding.end_league(site, bob, "0"))
    told.do("Alice ends it", lambda: founding.end_league(site, alice, league_id))
    house.clock.forward(minutes=1)
    told.do("again", lambda: founding.end_league(site, alice, league_id))
    told.do("Alice changes it", lambda: founding.change_league(site, alice, league_id, name="Ours"))
    told.do("and opens a season", lambda: founding.open_season(site, alice, league_id, house.clock() + DAY))
    told.do("Dave enters", lambda: entering.enter_player(site, id_of_player(house, "Dave"), season_id, "Dave"))
    told.do("what all see", lambda: reading.read_league(site, STRANGER, league_id))
    told.do("the title of a game that is gone", lambda: _go(house, league_id))


def _go(house: House, league_id: str) -> list[str]:
    view = reading.read_league(house.site, STRANGER, league_id)
    return [view.game_title("fr"), replace(view, slug="gone").game_title("en"), view.game.meta.slug]


def _tell_erasing(house: House, told: Chronicle) -> None:
    told.part("erasing")
    site = house.site
    told.do("Alice, who organises leagues, is erased", lambda: hooks.end_leagues(site, id_of_player(house, "Alice")))
    with site.writing() as work:
        hooks.forget_name(work, id_of_player(house, "Dave"))
    told.do("Dave's names are forgotten", lambda: None)
